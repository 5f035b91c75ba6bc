"""A lambda, a partial or a bound method that is passed as an argument gets one home, and lives as long as the calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.moving import Movable, keep_on_instance, movable_definition, movable_expression, move_out
from traceonce.fix.predicting import by_name, replay
from traceonce.fix.source.arguments import Argument, find_arguments
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.fix.source.wrapping import is_partial

CALLABLES = {"function", "method", "partial", "partialmethod"}
CODES = (CauseCode.IDENTITY, CauseCode.COLLECTED)
Keep = Callable[[Edits, Movable], None]


def propose(case: Case) -> Iterator[Candidate]:
    paths = tuple(dict.fromkeys(path for path in _paths(case) if _is_callable(case, path)))
    if not paths or case.diagnosis.function.library:
        return
    causes = tuple(code for code in CODES if code in case.codes)
    left = replay(case.events, by_name(frozenset(paths)))
    name = _identifier(paths[0])
    inside = f"self._kept_{name} = …  # once, in __init__; pass self._kept_{name}"
    once = f"kept_{name} = …  # once, before the calls; pass kept_{name}"

    def keep_in_object(edits: Edits, thing: Movable) -> None:
        keep_on_instance(edits, thing, "kept")

    for keep, snippet in ((keep_in_object, inside), (move_out, once)):
        yield Candidate("stable_home", "safe", causes, _change(case, paths, keep), left, snippet)


def _paths(case: Case) -> list[str]:
    return [cause.path for cause in case.diagnosis.causes if cause.code in CODES]


def _is_callable(case: Case, path: str) -> bool:
    kinds = {leaf.type_name for one in case.signatures for leaf in one.leaves if leaf.path == path}
    return bool(kinds) and kinds <= {*CALLABLES, "collected object"} and kinds != {"collected object"}


def _identifier(path: str) -> str:
    names = re.findall(r"[A-Za-z_]\w*", path)
    return names[-1].strip("_") if names else "function"


def _change(case: Case, paths: tuple[str, ...], keep: Keep) -> Callable[[Edits], None]:
    def change(edits: Edits) -> None:
        done: list[cst.CSTNode] = []
        for path in paths:
            arguments = find_arguments(case, edits, path)
            if not arguments:
                raise Declined(f"no call was found that gives {path}")
            _check_alike(arguments, path)
            for argument in arguments:
                thing = _find(argument, path)
                if thing is not None and not any(other is thing.node for other in done):
                    done.append(thing.node)
                    keep(edits, thing)
        if not done:
            raise Declined(f"what is passed as {paths[0]} stands in one place already")

    return change


def _check_alike(arguments: list[Argument], path: str) -> None:
    """Each expression gets a home of its own: the same lambda at two places would be two functions still."""
    written = [argument.module.code(argument.node.value) for argument in arguments]
    if len(set(written)) < len(written) and not all(isinstance(each.node.value, cst.Name) for each in arguments):
        raise Declined(f"{written[0]} is passed as {path} at several places: give it a name, once, and pass that")


def _find(argument: Argument, path: str) -> Movable | None:
    """What makes the argument anew at each call; None where it is a name that stands for one thing."""
    module, value = argument.module, argument.node.value
    if isinstance(value, cst.Name):
        return _defined(module, value)
    if isinstance(value, cst.Lambda | cst.Attribute) or (
        isinstance(value, cst.Call) and is_partial(module, value.func)
    ):
        return movable_expression(module, value, f"kept_{_identifier(path)}")
    raise Declined(f"`{module.code(value)}`, passed as {path}, may be something else each time")


def _is_made_anew(module: Module, value: cst.BaseExpression) -> bool:
    """Is it a lambda, a bound method or a partial: equal each time, and never the same?"""
    return isinstance(value, cst.Lambda | cst.Attribute) or (
        isinstance(value, cst.Call) and is_partial(module, value.func)
    )


def _defined(module: Module, name: cst.Name) -> Movable | None:
    found = binders_seen(module, name.value, name)
    if len(found) != 1:
        raise Declined(f"{name.value} is bound at {len(found) or 'no'} places in {module.file}")
    (binder,) = found
    if isinstance(binder, cst.FunctionDef):
        return movable_definition(module, binder)
    if isinstance(binder, cst.Param):
        raise Declined(f"it comes in as the parameter {name.value}: keep what is passed there")
    assign: Any = module.parent(binder) if isinstance(binder, cst.AssignTarget) else None
    if not isinstance(assign, cst.Assign):
        raise Declined(f"{name.value} may be something else each time")
    value = assign.value
    if isinstance(value, cst.Lambda | cst.Attribute) or (
        isinstance(value, cst.Call) and is_partial(module, value.func)
    ):
        return movable_expression(module, value, name.value)
    raise Declined(f"{name.value} is made by `{module.code(value)}`, which may give something else each time")


_LAMBDA = Example(
    title="A lambda written in the call",
    program="""\
import tensorflow as tf


@tf.function
def apply(x, activation):
    return tf.reduce_sum(activation(x))


for step in range(4):
    print(step, float(apply(tf.ones([3]), lambda v: v * 2.0)))
""",
    function="apply",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function
def apply(x, activation):
    return tf.reduce_sum(activation(x))


kept_activation = lambda v: v * 2.0
for step in range(4):
    print(step, float(apply(tf.ones([3]), kept_activation)))
""",
    traces_after=1,
)

_METHOD = Example(
    title="A bound method, which is a new object every time",
    program="""\
import tensorflow as tf


@tf.function
def train_step(x, loss):
    return loss(x) * 0.5


class Model:
    def __init__(self, scale):
        self.scale = scale

    def loss(self, x):
        return tf.reduce_mean(x * self.scale)

    def fit(self, data):
        for x in data:
            print(float(train_step(x, self.loss)))


model = Model(3.0)
for epoch in range(2):
    model.fit([tf.ones([2]), tf.zeros([2])])
""",
    function="train_step",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function
def train_step(x, loss):
    return loss(x) * 0.5


class Model:
    def __init__(self, scale):
        self.scale = scale
        self._kept_loss = self.loss

    def loss(self, x):
        return tf.reduce_mean(x * self.scale)

    def fit(self, data):
        for x in data:
            print(float(train_step(x, self._kept_loss)))


model = Model(3.0)
for epoch in range(2):
    model.fit([tf.ones([2]), tf.zeros([2])])
""",
    traces_after=1,
)

_PARTIAL = Example(
    title="A partial made in a function",
    program="""\
import functools
import tensorflow as tf


def power(x, n):
    return x**n


@tf.function
def transform(x, function):
    return function(x) + 1.0


def evaluate(x):
    square = functools.partial(power, n=2.0)
    return transform(x, square)


for value in (1.0, 2.0, 3.0):
    print(float(evaluate(tf.constant(value))))
""",
    function="transform",
    traces_before=3,
    repaired="""\
import functools
import tensorflow as tf


def power(x, n):
    return x**n


@tf.function
def transform(x, function):
    return function(x) + 1.0


square = functools.partial(power, n=2.0)


def evaluate(x):
    return transform(x, square)


for value in (1.0, 2.0, 3.0):
    print(float(evaluate(tf.constant(value))))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="stable_home",
    title="Keep the function that is passed",
    what="Gives a lambda, a partial, an inner function or a bound method that is passed as an argument a name, once.",
    why="TensorFlow knows such an argument by its identity, and holds it weakly. One that is made at the call is gone "
    "after it, and its trace can never be used again.",
    beware="What is kept sees later changes of what it reads only if that is a `tf.Variable`. An object that keeps its "
    "own bound method is freed by the cyclic garbage collector, not at once.",
    propose=propose,
    examples=(_LAMBDA, _METHOD, _PARTIAL),
)
