"""A function that is made again for other values that it captures is made once, and gets them as arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Change, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.hoisting.proposal import find_movable
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import relaxing
from traceonce.frameworks.tensorflow.words import CAPTURED_IS_PASSED

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

_NUMBER = re.compile(r"-?(\d+\.?\d*(e[-+]?\d+)?|inf|nan)")


def propose(case: Case) -> Iterator[Candidate]:
    function = case.diagnosis.function
    if CauseCode.NEW_FUNCTION not in case.codes or function.library or function.loop:
        return
    differs = tuple(dict.fromkeys(name for cause in case.diagnosis.causes for name in cause.differs))
    codes = tuple(code for code in (CauseCode.NEW_FUNCTION, CauseCode.CAPTURED) if code in case.codes)
    name = function.short_name
    names = [each for each in differs if each.isidentifier()] or ["…"]
    for as_tensor in (True, False) if _numbers(case) else (False,):
        for relaxed in (False, True):
            options = "reduce_retracing=True" if relaxed else ""
            snippet = _sketch(name, names, options)
            change = _change(case, as_tensor=as_tensor, relaxed=relaxed)
            yield Candidate("pass_captured", "review", codes, change, None, snippet, (CAPTURED_IS_PASSED(),))


def _sketch(name: str, captured: list[str], options: str) -> str:
    passed = ", ".join(f"{each}={each}" for each in captured)
    parameters = ", ".join(captured)
    if not name.isidentifier():
        further = f", {options}" if options else ""
        return f"compiled = tf.function(lambda …, {parameters}: …{further})  # once, outside\ncompiled(…, {passed})"
    decorator = f"@tf.function({options})" if options else "@tf.function"
    return f"{decorator}  # once, outside\ndef {name}(…, {parameters}):\n{name}(…, {passed})"


def _numbers(case: Case) -> dict[str, str]:
    """The captured names that are Python numbers, with the dtypes that they get as tensors."""
    seen: dict[str, set[str]] = {}
    for event in case.events:
        for name, text in (event.reads or {}).items():
            seen.setdefault(name, set()).add(text)
    return {
        name: "int32" if all(re.fullmatch(r"-?\d+", text) for text in texts) else "float32"
        for name, texts in seen.items()
        if len(texts) > 1 and all(_NUMBER.fullmatch(text) for text in texts)
    }


def _change(case: Case, *, as_tensor: bool, relaxed: bool) -> Change:
    numbers = _numbers(case) if as_tensor else {}

    def change(edits: Edits) -> None:
        from traceonce.fix.closures.captures import move_out_with_arguments

        if relaxed:
            relaxing(case)(edits)
        thing = find_movable(case, edits)
        move_out_with_arguments(
            edits, thing, lambda name: f"tf.constant(value, tf.{numbers[name]})" if name in numbers else "value"
        )

    return change


_GROWING = Example(
    title="A growing tensor and a function that closes over it",
    program="""\
import tensorflow as tf

theta = tf.Variable([0.5, -0.5])
history = tf.zeros([0, 2])
for episode in range(5):
    history = tf.concat([history, [[float(episode), 1.0]]], axis=0)

    @tf.function
    def surrogate():
        return tf.reduce_mean(tf.linalg.matvec(history, theta))

    print(float(surrogate()))
""",
    function="surrogate",
    traces_before=5,
    repaired="""\
import tensorflow as tf

theta = tf.Variable([0.5, -0.5])
history = tf.zeros([0, 2])


@tf.function(reduce_retracing=True)
def surrogate(history):
    return tf.reduce_mean(tf.linalg.matvec(history, theta))


for episode in range(5):
    history = tf.concat([history, [[float(episode), 1.0]]], axis=0)

    print(float(surrogate(history=history)))
""",
    traces_after=2,
)

_FACTORY = Example(
    title="A factory that closes over a rate",
    program="""\
import tensorflow as tf

weight = tf.Variable(1.0)


def make_step(rate):
    @tf.function
    def step(x):
        weight.assign_sub(rate * x)
        return weight.read_value()

    return step


rate = 0.5
for epoch in range(4):
    print(float(make_step(rate)(tf.constant(2.0))))
    rate *= 0.5
""",
    function="make_step.<locals>.step",
    traces_before=4,
    repaired="""\
import functools
import tensorflow as tf

weight = tf.Variable(1.0)


@tf.function
def step(x, rate):
    weight.assign_sub(rate * x)
    return weight.read_value()


def make_step(rate):
    return functools.partial(step, rate=tf.constant(rate, tf.float32))


rate = 0.5
for epoch in range(4):
    print(float(make_step(rate)(tf.constant(2.0))))
    rate *= 0.5
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="pass_captured",
    title="Pass captured values as arguments",
    what="Moves a function out of the loop or factory that creates it and passes the values it read there as "
    "arguments. Where the function is handed on, `functools.partial` binds them. Numbers are passed as tensors.",
    why="A function that closes over another value is a new function with its own traces. As a tensor argument, "
    "a new value reuses the trace.",
    beware="A partial has no `get_concrete_function`. An object argument (a model) is compared by identity: "
    "rebuilding it still retraces.",
    propose=propose,
    examples=(_GROWING, _FACTORY),
)
