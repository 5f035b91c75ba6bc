"""The function that calls what TensorFlow traces anew each time (a Jacobian, a vectorised map) is compiled itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes.library_report import site_of
from traceonce.fix.source.definitions import function_around
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.scopes import scope_of
from traceonce.frameworks.tensorflow.words import (
    CALLER_BECOMES_GRAPH,
    CALLER_IS_DECORATED,
    CALLER_SUSPENDS,
    NO_CALLER_TO_COMPILE,
)
from traceonce.words.notes.declined import CALL_NOT_SEEN

_OPTIONS = ("", "(reduce_retracing=True)")


def propose(case: Case) -> Iterator[Candidate]:
    function = case.diagnosis.function
    if CauseCode.NEW_FUNCTION not in case.codes or function.package != "tensorflow" or function.name.endswith("]"):
        return
    for options in _OPTIONS:
        place = site_of(case.diagnosis) if case.diagnosis.call_sites else "the call"
        snippet = f"@tf.function{options}\ndef …:  # the function around {place}"
        yield Candidate(
            "compile_caller",
            "review",
            (CauseCode.NEW_FUNCTION,),
            _change(case, options),
            None,
            snippet,
            (CALLER_BECOMES_GRAPH(),),
            untraced=True,
        )


def _change(case: Case, options: str) -> Callable[[Edits], None]:
    def change(edits: Edits) -> None:
        if not case.diagnosis.call_sites:
            raise Declined(CALL_NOT_SEEN(name=case.diagnosis.function.short_name))
        done: list[cst.FunctionDef] = []
        for site in case.diagnosis.call_sites:
            module = edits.module(site.file)
            definition = _outermost(module, site.line)
            if definition is None:
                raise Declined(NO_CALLER_TO_COMPILE(place=f"{site.file}:{site.line}"))
            if definition not in done:
                done.append(definition)
                _compile(edits, module, definition, options)

    return change


def _outermost(module: Module, line: int) -> cst.FunctionDef | None:
    """The function or method around the line that is not made again by another function."""
    return next((each for each in function_around(module, line) if not _is_inside(module, each)), None)


def _is_inside(module: Module, definition: cst.FunctionDef) -> bool:
    return any(isinstance(outer, cst.FunctionDef) for outer in module.ancestors(definition))


def _compile(edits: Edits, module: Module, definition: cst.FunctionDef, options: str) -> None:
    name = definition.name.value
    if definition.decorators:
        raise Declined(CALLER_IS_DECORATED(name=name))
    if definition.asynchronous or any(isinstance(part, cst.Yield | cst.Await) for part in walk(definition)):
        raise Declined(CALLER_SUSPENDS(name=name))
    if isinstance(scope_of(module, definition), cst.ClassDef) and name.startswith("__") and name != "__call__":
        raise Declined(CALLER_SUSPENDS(name=name))
    decorator = cst.Decorator(edits.expression(module, f"tf.function{options}", definition))
    edits.amend(module, definition, lambda node: node.with_changes(decorators=[decorator]))


_JACOBIAN = Example(
    title="A Jacobian at every point",
    program="""\
import tensorflow as tf


def jacobian_at(point):
    with tf.GradientTape() as tape:
        tape.watch(point)
        value = tf.stack([point[0] * point[1], tf.sin(point[0])])
    return tape.jacobian(value, point)


for number in range(4):
    print(jacobian_at(tf.constant([1.0, float(number)])).numpy().round(3).tolist())
""",
    function="pfor.<locals>.f",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function
def jacobian_at(point):
    with tf.GradientTape() as tape:
        tape.watch(point)
        value = tf.stack([point[0] * point[1], tf.sin(point[0])])
    return tape.jacobian(value, point)


for number in range(4):
    print(jacobian_at(tf.constant([1.0, float(number)])).numpy().round(3).tolist())
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="compile_caller",
    title="Compile the caller",
    what="Adds `tf.function` to the function around a call that TensorFlow retraces every time: `tape.jacobian`, "
    "`tape.batch_jacobian`, `tf.vectorized_map`.",
    why="Called eagerly, these build a graph for a single call and discard it. Inside a `tf.function` they are "
    "part of its graph, which is kept.",
    beware="The function's Python code (prints, counters, values that are not a `tf.Variable`) then runs only "
    "during tracing.",
    propose=propose,
    examples=(_JACOBIAN,),
)
