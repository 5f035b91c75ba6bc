"""A value from outside that changed after the trace becomes an argument, or a `tf.Variable`.

The least change comes first: an argument (a number as a tensor, so that one trace serves all), then a variable, then
an argument as it is, which costs a trace per value and is always right. All stale values are repaired together: with
one of them left, the results are still wrong.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from traceonce.facts import Cause, CauseCode, Note
from traceonce.fix.candidate import Candidate, Change, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.closures.parameters import pass_as_argument, wanted_name
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.recipes.variables import make_variable
from traceonce.frameworks.tensorflow.words import NEW_PYTHON_VALUE_TRACES, VARIABLE_EVERYWHERE
from traceonce.words.notes.common import CURRENT_VALUE_PASSED

_FLOATS = ("float64", "float16", "bfloat16")


def propose(case: Case) -> Iterator[Candidate]:
    # With a note, it is not known whether any call came after the change.
    stale = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.STALE and cause.note is None]
    if not stale or case.diagnosis.function.library:
        return
    shown = [cause for cause in stale if cause.evidence == "measured"]
    yield from _together(case, stale)
    if shown and len(shown) < len(stale):
        yield from _together(case, shown)


def _together(case: Case, causes: Sequence[Cause]) -> Iterator[Candidate]:
    left = predict_traces(case.events)
    paths = [cause.path for cause in causes]
    kinds = [_kind(cause) for cause in causes]
    dtypes = [_dtypes(case, kind) for kind in kinds]
    variants = max(1, *map(len, dtypes))
    for index in range(variants):
        chosen = [found[min(index, len(found) - 1)] if found else None for found in dtypes]
        templates = [_template(kind, dtype) for kind, dtype in zip(kinds, chosen, strict=True)]
        predicted = left if all(kind in _TENSORS for kind in kinds) else None
        yield _as_argument(case, paths, templates, predicted)
    for index in range(variants):
        chosen = [found[min(index, len(found) - 1)] if found else None for found in dtypes]
        if None not in chosen:
            yield _as_variable(case, paths, [str(dtype) for dtype in chosen], left)
    if "bool" in kinds:  # a flag that chooses between branches that a graph cannot choose between
        yield _as_argument(case, paths, ["value"] * len(paths), None)


_TENSORS = ("int", "float", "bool", "tensor", "array")


def _kind(cause: Cause) -> str:
    """What both the earlier and the later value are: the name of a Python type, *tensor*, *array* or *other*."""
    kinds = {_kind_of(cause.was), _kind_of(cause.now)}
    if kinds == {"int", "float"}:
        return "float"
    return kinds.pop() if len(kinds) == 1 else "other"


def _kind_of(text: str) -> str:
    if re.fullmatch(r"\w+ \d+", text):
        return "variable" if "Variable" in text else "tensor"
    if re.match(r"\w+\[.*\] array ", text):
        return "array"
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return "other"
    return type(value).__name__ if type(value) in (bool, int, float, str) else "other"


def _dtypes(case: Case, kind: str) -> list[str]:
    """The dtypes to try for a value that is to become a tensor, the likeliest first."""
    if kind == "bool":
        return ["bool"]
    seen = {leaf.dtype for one in case.signatures for leaf in one.leaves if leaf.dtype is not None}
    floating = next((name for name in _FLOATS if name in seen and "float32" not in seen), "float32")
    return {"int": ["int32", floating], "float": [floating]}.get(kind, [])


def _template(kind: str, dtype: str | None) -> str:
    return f"tf.constant(value, tf.{dtype})" if kind in ("int", "float", "bool") else "value"


def _as_argument(case: Case, paths: Sequence[str], templates: Sequence[str], left: int | None) -> Candidate:
    def change(edits: Edits) -> None:
        for path, template in zip(paths, templates, strict=True):
            pass_as_argument(edits, case, path, template)

    given = ", ".join(
        f"{wanted_name(path)}={_filled(template, path)}" for path, template in zip(paths, templates, strict=True)
    )
    notes = (CURRENT_VALUE_PASSED(), NEW_PYTHON_VALUE_TRACES())
    return _candidate(change, left, f"{case.diagnosis.function.short_name}(…, {given})", notes)


def _as_variable(case: Case, paths: Sequence[str], dtypes: Sequence[str], left: int) -> Candidate:
    def change(edits: Edits) -> None:
        for path, dtype in zip(paths, dtypes, strict=True):
            make_variable(edits, case, path, dtype)

    made = [
        f"{path} = tf.Variable(…, dtype=tf.{dtype}, trainable=False)  # and {path}.assign(…) later"
        for path, dtype in zip(paths, dtypes, strict=True)
    ]
    return _candidate(change, left, "\n".join(made), (VARIABLE_EVERYWHERE(names=paths),))


def _candidate(change: Change, left: int | None, snippet: str, notes: tuple[Note, ...]) -> Candidate:
    return Candidate("state", "review", (CauseCode.STALE,), change, left, snippet, notes)


def _filled(template: str, path: str) -> str:
    return re.sub(r"\bvalue\b", lambda _: path, template)


_GLOBAL = Example(
    title="A global that changes between calls",
    program="""\
import tensorflow as tf

RATE = 0.5


@tf.function
def step(x):
    return x * RATE


for epoch in range(3):
    print(epoch, float(step(tf.constant(8.0))))
    RATE = RATE / 2
""",
    function="step",
    traces_before=1,
    repaired="""\
import tensorflow as tf

RATE = 0.5


@tf.function
def step(x, rate):
    return x * rate


for epoch in range(3):
    print(epoch, float(step(tf.constant(8.0), rate=tf.constant(RATE, tf.float32))))
    RATE = RATE / 2
""",
    traces_after=1,
)

_ATTRIBUTE = Example(
    title="An attribute that a helper of the method reads",
    program="""\
import tensorflow as tf


class Model:
    def __init__(self):
        self.noise = 0.25

    def noisy(self, x):
        return x + self.noise

    @tf.function
    def step(self, x):
        return self.noisy(x) * 2.0


model = Model()
for _ in range(3):
    print(float(model.step(tf.constant(1.0))))
    model.noise *= 0.5
""",
    function="Model.step",
    traces_before=1,
    repaired="""\
import tensorflow as tf


class Model:
    def __init__(self):
        self.noise = tf.Variable(0.25, dtype=tf.float32, trainable=False)

    def noisy(self, x):
        return x + self.noise

    @tf.function
    def step(self, x):
        return self.noisy(x) * 2.0


model = Model()
for _ in range(3):
    print(float(model.step(tf.constant(1.0))))
    model.noise.assign(model.noise * 0.5)
""",
    traces_after=1,
)

_FLAG = Example(
    title="A flag that chooses a branch",
    program="""\
import tensorflow as tf


class Layer:
    def __init__(self):
        self.training = True

    @tf.function
    def call(self, x):
        if self.training:
            return x * 0.5
        return x


layer = Layer()
print(layer.call(tf.ones([2])).numpy())
layer.training = False
print(layer.call(tf.ones([2])).numpy())
""",
    function="Layer.call",
    traces_before=1,
    repaired="""\
import tensorflow as tf


class Layer:
    def __init__(self):
        self.training = True

    @tf.function
    def call(self, x, training):
        if training:
            return x * 0.5
        return x


layer = Layer()
print(layer.call(tf.ones([2]), training=tf.constant(layer.training, tf.bool)).numpy())
layer.training = False
print(layer.call(tf.ones([2]), training=tf.constant(layer.training, tf.bool)).numpy())
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="state",
    title="Pass changing values, or make them variables",
    what="Turns an outside value that has changed since the trace into an argument or a `tf.Variable`.",
    why="A trace keeps the value from tracing time. TensorFlow does not read it again, and does not warn.",
    beware="Results change to what the source says. A value used as a Python number (an index, part of a string) "
    "is now a tensor inside the function.",
    propose=propose,
    examples=(_GLOBAL, _ATTRIBUTE, _FLAG),
)
