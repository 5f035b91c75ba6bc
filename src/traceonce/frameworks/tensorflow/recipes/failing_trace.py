"""A trace that fails is written such that it can be traced: what the program means is what it does when run eagerly.

The least change comes first: AutoGraph switched on again, a variable made outside of the function, NumPy's functions
exchanged for TensorFlow's; at last, plain Python. What the trace raised says which of them it may be: a report names a
change from a recording, without the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from traceonce.facts import Note, Verdict
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.relocation import Movable, move_out
from traceonce.fix.source.compile_sites import find_creation, has_option
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, walk
from traceonce.fix.source.wrappers import meaning, wrapped_argument
from traceonce.frameworks.tensorflow.recipes.numpy_names import NUMPY
from traceonce.frameworks.tensorflow.words import (
    AUTOGRAPH_IS_ON,
    NO_NUMPY_IN_IT,
    NO_VARIABLE_IN_IT,
    NUMPY_HAS_NO_TWIN,
    OPTIONS_SHARED_BY_WRAPPER,
    RUNS_AS_PYTHON,
    VARIABLE_IS_KEPT,
)

_VARIABLE = "tensorflow.Variable"
_CONVERTED = "in user code:"  # so begins what is raised in code that AutoGraph has converted


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.verdict is not Verdict.FAILED or case.diagnosis.function.library:
        return
    name = case.diagnosis.function.short_name
    raised = "\n".join(event.error for event in case.events if event.error)
    if _CONVERTED not in raised:
        yield _candidate("autograph", _switch_autograph_on(case), "@tf.function  # without autograph=False")
    if _says(raised, "variable"):
        yield _candidate(
            "variable", _make_variables_outside(case), "kept = tf.Variable(…)  # once, outside; here: kept.assign(…)",
            VARIABLE_IS_KEPT(),
        )  # fmt: skip
    if _says(raised, "numpy"):
        yield _candidate("numpy", _without_numpy(case), f"def {name}(…):  # tf.reduce_max(x) for np.max(x.numpy())")
    yield _candidate("python", _without_wrapper(case), f"def {name}(…):  # without @tf.function", RUNS_AS_PYTHON())


def _says(raised: str, word: str) -> bool:
    """Is it about that? Where it is not known what was raised, it may be."""
    return not raised or word in raised.lower()


def _candidate(kind: str, change: Change, snippet: str, *notes: Note) -> Candidate:
    return Candidate("failing_trace", "review", (), change, None, snippet, notes, untraced=kind == "python")


def _switch_autograph_on(case: Case) -> Change:
    def change(edits: Edits) -> None:
        creation = find_creation(case, edits)
        call = creation.call
        if call is None or not has_option(creation, "autograph"):
            raise Declined(AUTOGRAPH_IS_ON())
        if not creation.module.holds(creation.node, call):
            raise Declined(OPTIONS_SHARED_BY_WRAPPER())
        rest = [each for each in call.args if each.keyword is None or each.keyword.value != "autograph"]
        if len(rest) == len(call.args):
            raise Declined(AUTOGRAPH_IS_ON())
        if rest:
            rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        bare = not rest and isinstance(creation.node, cst.Decorator)
        edits.replace(creation.module, call, lambda node: node.func if bare else node.with_changes(args=rest))

    return change


def _make_variables_outside(case: Case) -> Change:
    """The variable is made once, and gets at the old place the value that it was made with."""

    def change(edits: Edits) -> None:
        module, definition = find_definition(case.diagnosis.function, edits)
        made = [node for node in _calls(definition) if _VARIABLE in meaning(module, node.func)]
        if not made:
            raise Declined(NO_VARIABLE_IN_IT(name=case.diagnosis.function.short_name))
        taken: list[str] = []
        things = []
        for node in made:
            statement: Any = module.statement(node)
            value = next((each.value for each in node.args if each.keyword is None and not each.star), None)
            if value is None or not isinstance(statement, cst.SimpleStatementLine):
                raise Declined(NO_VARIABLE_IN_IT(name=case.diagnosis.function.short_name))
            name = fresh_name(module, f"{definition.name.value}_{_target(statement)}", taken)  # type: ignore[union-attr]
            taken.append(name)
            things.append(Movable(module, node, name))
            start = edits.statements(module, f"{name}.assign(value)", value=value)
            edits.insert_before(module, statement, *start)
        move_out(edits, *things, prefix="kept")

    return change


def _target(statement: cst.SimpleStatementLine) -> str:
    first = statement.body[0]
    target = first.targets[0].target if isinstance(first, cst.Assign) else None
    return target.value if isinstance(target, cst.Name) else "variable"


def _without_numpy(case: Case) -> Change:
    """`x.numpy()` is `x`, and each function of NumPy's is TensorFlow's of the same meaning."""

    def change(edits: Edits) -> None:
        module, definition = find_definition(case.diagnosis.function, edits)
        found = False
        for node in _calls(definition):
            if isinstance(node.func, cst.Attribute) and node.func.attr.value == "numpy" and not node.args:
                edits.replace(module, node, lambda call: call.func.value)
                found = True
                continue
            names = {name for name in meaning(module, node.func) if name.startswith("numpy.")}
            if not names:
                continue
            other = next((NUMPY[name] for name in names if name in NUMPY), None)
            if other is None:
                raise Declined(NUMPY_HAS_NO_TWIN(name=module.code(node.func)))
            new = edits.expression(module, f"tf.{other}", definition)
            edits.replace(module, node.func, new)
            found = True
        if not found:
            raise Declined(NO_NUMPY_IN_IT(name=case.diagnosis.function.short_name))

    return change


def _without_wrapper(case: Case) -> Change:
    def change(edits: Edits) -> None:
        creation = find_creation(case, edits)
        module, node = creation.module, creation.node
        if isinstance(node, cst.Decorator):
            edits.remove(module, node)
            return
        argument = wrapped_argument(node)
        if argument is None:
            raise Declined(OPTIONS_SHARED_BY_WRAPPER())
        edits.replace(module, node, argument.value)

    return change


def _calls(definition: Function) -> Sequence[cst.Call]:
    return [node for node in walk(definition.body) if isinstance(node, cst.Call)]


_AUTOGRAPH = Example(
    title="A branch on a tensor with AutoGraph off",
    program="""\
import tensorflow as tf


@tf.function(autograph=False)
def leak(x):
    if tf.reduce_sum(x) > 0:
        return x
    return 0.1 * x


for value in (1.0, -1.0):
    print(float(leak(tf.constant(value))))
""",
    function="leak",
    traces_before=0,
    repaired="""\
import tensorflow as tf


@tf.function
def leak(x):
    if tf.reduce_sum(x) > 0:
        return x
    return 0.1 * x


for value in (1.0, -1.0):
    print(float(leak(tf.constant(value))))
""",
    traces_after=1,
)

_IN_A_CALL = Example(
    title="A variable created in the call",
    program="""\
import tensorflow as tf


@tf.function
def weighted(x):
    total = tf.Variable(0.0)
    for step in tf.range(3):
        total.assign_add(tf.reduce_sum(x) * tf.cast(step, tf.float32))
    return total.read_value()


for value in (1.0, 2.0):
    print(float(weighted(tf.constant([value, value]))))
""",
    function="weighted",
    traces_before=1,  # TensorFlow's first trace makes the variables, the second one refuses to
    repaired="""\
import tensorflow as tf

weighted_total = tf.Variable(0.0)


@tf.function
def weighted(x):
    weighted_total.assign(0.0)
    total = weighted_total
    for step in tf.range(3):
        total.assign_add(tf.reduce_sum(x) * tf.cast(step, tf.float32))
    return total.read_value()


for value in (1.0, 2.0):
    print(float(weighted(tf.constant([value, value]))))
""",
    traces_after=1,
)

_NUMPY = Example(
    title="NumPy inside a graph",
    program="""\
import numpy as np
import tensorflow as tf


@tf.function
def normalise(x):
    return x / np.max(x.numpy())


for value in (1.0, 2.0):
    print(normalise(tf.constant([value, 4.0])).numpy())
""",
    function="normalise",
    traces_before=0,
    repaired="""\
import numpy as np
import tensorflow as tf


@tf.function
def normalise(x):
    return x / tf.reduce_max(x)


for value in (1.0, 2.0):
    print(normalise(tf.constant([value, 4.0])).numpy())
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="failing_trace",
    title="Make the function traceable",
    what="Changes a function whose trace fails: enables AutoGraph, creates variables outside the function, or "
    "replaces NumPy functions and `.numpy()` with TensorFlow's. If none of these works, it removes "
    "`tf.function`.",
    why="During tracing a tensor has no value, so Python cannot branch on it and NumPy cannot compute with it. A "
    "variable belongs to the program, not to a single call.",
    beware="Results are checked against an eager run. If each call created its own variable, review how it is "
    "used: there is now one variable, reset to the same value at the start of each call.",
    propose=propose,
    repairs_failures=True,
    examples=(_AUTOGRAPH, _IN_A_CALL, _NUMPY),
)
