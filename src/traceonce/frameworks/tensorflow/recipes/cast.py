"""A dtype that flips between calls is cast once, where the function is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode, Note
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.fix.signatures.prediction import LIFTABLE, predict_traces
from traceonce.fix.signatures.prediction import cast as cast_signature
from traceonce.frameworks.tensorflow.recipes.dtypes import FLOATS, widest
from traceonce.frameworks.tensorflow.recipes.input_signature import propose_signatures
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import NAME as RELAX
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import propose_relaxed
from traceonce.frameworks.tensorflow.words import DIGITS_ARE_LOST, NO_CALL_GIVES_ANOTHER_DTYPE, RESULTS_BECOME_FLOAT64
from traceonce.words.notes.common import ALWAYS_DTYPE

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "cast"
_TREATED = frozenset({CauseCode.DTYPE, CauseCode.KIND})


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or any(event.signed for event in case.events):
        return
    now = predict_traces(case.events)
    for dtypes in _targets(case):
        before, change, notes = cast_signature(dtypes), casting(case, dtypes), tuple(_notes(case, dtypes))
        left = predict_traces(case.events, before)
        snippet = spell_changes(case, {path: f"tf.cast({path}, tf.{dtype})" for path, dtype in dtypes.items()})
        effects = frozenset(Effect("cast", *each) for each in dtypes.items())
        if left < now:
            yield Candidate(
                NAME, "review", tuple(sorted(case.codes & _TREATED)), change, left, snippet, notes, effects=effects
            )
        try:
            yield from propose_signatures(case, f"{NAME}+input_signature", before, (change,), notes, snippet, effects)
        except Declined:
            yield from propose_relaxed(case, f"{NAME}+{RELAX}", before, (change,), _TREATED, notes, snippet, effects)


def casting(case: Case, dtypes: Mapping[str, str]) -> Change:
    """Casts what the calls give for these parameters, where they give another dtype."""

    def change(edits: Edits) -> None:
        for path, dtype in dtypes.items():
            _cast(case, edits, path, dtype)

    return change


def _cast(case: Case, edits: Edits, path: str, dtype: str) -> None:
    from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

    changed = False
    for argument in find_arguments(case, edits, path):
        kinds = argument.site.arguments.get(path, ())
        if kinds == (f"tensor {dtype}",):
            continue
        numbers = bool(kinds) and all(kind in LIFTABLE for kind in kinds)
        code = f"tf.constant(value, tf.{dtype})" if numbers else f"tf.cast(value, tf.{dtype})"
        wrap_argument(edits, argument, code)
        changed = True
    if not changed:
        raise Declined(NO_CALL_GIVES_ANOTHER_DTYPE(path=path))


def _targets(case: Case) -> Iterator[dict[str, str]]:
    """One dtype for each tensor that comes in several: the widest, then the narrower floating ones."""
    seen: dict[str, dict[str, None]] = {}
    mixed: set[str] = set()
    fractions: set[str] = set()
    for leaf in (leaf for signature in case.signatures for leaf in signature.leaves):
        if leaf.kind == "tensor" and leaf.dtype is not None:
            seen.setdefault(leaf.path, {})[leaf.dtype] = None
        elif leaf.kind == "python" and leaf.type_name in LIFTABLE:
            mixed.add(leaf.path)
            if leaf.type_name == "float":
                fractions.add(leaf.path)
    flipping = {path: list(dtypes) for path, dtypes in seen.items() if len(dtypes) > 1 or path in mixed}
    targets = {
        path: widest([*dtypes, "float32"] if path in fractions and not set(dtypes) & set(FLOATS) else dtypes)
        for path, dtypes in flipping.items()
    }
    known = {path: target for path, target in targets.items() if target is not None}
    if not known:
        return
    yield known
    narrower = {path: [dtype for dtype in flipping[path] if dtype in FLOATS and dtype != known[path]] for path in known}
    if any(narrower.values()):
        yield {path: widest(dtypes) or known[path] for path, dtypes in narrower.items()}


def _notes(case: Case, dtypes: Mapping[str, str]) -> Iterator[Note]:
    yield from (ALWAYS_DTYPE(path=path, dtype=dtype) for path, dtype in dtypes.items())
    seen = {leaf.dtype for signature in case.signatures for leaf in signature.leaves if leaf.path in dtypes}
    if "float64" in dtypes.values():
        yield RESULTS_BECOME_FLOAT64()
    elif "float64" in seen or "int64" in seen:
        yield DIGITS_ARE_LOST()


RECIPE = Recipe(
    name=NAME,
    title="Cast once, at the call",
    what="Casts an argument whose dtype differs between calls to one dtype at the call site.",
    why="Each dtype has its own trace; no signature and no relaxed shape accepts two.",
    beware="Results follow the dtype of the arguments, and a narrower dtype loses precision. If you need both "
    "precisions, keep both traces.",
    propose=propose,
    fits_calls=True,
    treats_arguments=True,
    examples=(
        Example(
            title="Integer tensors and NumPy arrays",
            function="share",
            traces_before=10,
            traces_after=1,
            program='''\
import numpy as np
import tensorflow as tf


@tf.function
def share(x):
    x = tf.cast(x, tf.float32)
    return x / tf.reduce_sum(x)


for number in range(1, 6):
    print(share(tf.ones([number])).numpy().sum())
    print(share(np.arange(1, number + 1)).numpy().sum())
''',
            repaired='''\
import numpy as np
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def share(x):
    x = tf.cast(x, tf.float32)
    return x / tf.reduce_sum(x)


for number in range(1, 6):
    print(share(tf.ones([number])).numpy().sum())
    print(share(tf.cast(np.arange(1, number + 1), tf.float32)).numpy().sum())
''',
        ),
        Example(
            title="Two dtypes beside a mode",
            function="summary",
            traces_before=10,
            traces_after=2,
            program='''\
import numpy as np
import tensorflow as tf


@tf.function
def summary(x, how):
    x = tf.cast(x, tf.float32)
    return tf.reduce_sum(x) if how == "sum" else tf.reduce_mean(x)


for number in range(1, 6):
    print(float(summary(tf.ones([number]), "sum")))
    print(float(summary(np.arange(number), "sum")))
''',
            repaired='''\
import numpy as np
import tensorflow as tf


@tf.function(reduce_retracing=True)
def summary(x, how):
    x = tf.cast(x, tf.float32)
    return tf.reduce_sum(x) if how == "sum" else tf.reduce_mean(x)


for number in range(1, 6):
    print(float(summary(tf.ones([number]), "sum")))
    print(float(summary(tf.cast(np.arange(number), tf.float32), "sum")))
''',
        ),
    ),
)  # fmt: skip
