"""A lambda, a partial or a bound method that is passed as an argument gets one home, and lives as long as the calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import libcst as cst

from traceonce.facts import CauseCode, Leaf
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe, Settled
from traceonce.fix.case import Case
from traceonce.fix.closures.captures import captured_names, reads_of
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.relocation import (
    Movable,
    keep_on_instance,
    movable_definition,
    movable_expression,
    move_out,
    plan,
)
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import by_name, replay_kept
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.fix.source.passed_arguments import Argument, find_arguments
from traceonce.fix.source.wrappers import is_partial
from traceonce.frameworks.tensorflow.words import (
    BOUND_AT_PLACES,
    COMES_IN_AS_PARAMETER,
    MADE_BY_SOMETHING,
    MAY_DIFFER,
    NOT_BOUND,
    NUMBER_IN_VARIABLE,
    ONE_PLACE_ALREADY,
    PASSED_AT_SEVERAL_PLACES,
    PASSED_MAY_DIFFER,
)
from traceonce.words.notes.declined import NO_CALL_GIVES, READ_BY_HELPERS

CALLABLES = {"function", "method", "partial", "partialmethod"}
CODES = (CauseCode.IDENTITY, CauseCode.COLLECTED)
Keep: TypeAlias = Callable[[Edits, list[Movable]], None]
SHOWN = 3  # of several that are passed


def propose(case: Case) -> Iterator[Candidate]:
    paths = tuple(dict.fromkeys(path for path in _paths(case) if _is_callable(case, path)))
    if not paths or case.diagnosis.function.library:
        return
    causes = tuple(code for code in CODES if code in case.codes)
    calls = Counter((site.file, site.line) for site in case.sites)
    left = replay_kept(case.events, frozenset(paths), {line for line, number in calls.items() if number > 1})
    leaves = [leaf for one in case.signatures for leaf in one.leaves if leaf.path in paths and leaf.value is not None]
    inside = "self._kept_" if leaves and all(map(_is_of_method, leaves)) else "kept_"
    for keep, prefix in ((_keep_in_objects, inside), (_keep_outside, "kept_")):
        yield Candidate(
            "stable_home", "safe", causes, _change(case, paths, keep), left, _snippet(leaves, paths, prefix)
        )
    notes = (NUMBER_IN_VARIABLE(),)
    yield Candidate(
        "stable_home",
        "review",
        causes,
        _change_with_variables(case, paths),
        left,
        f"number = tf.Variable(0.0, trainable=False)  # once; before the call: number.assign(…)\n"
        f"{_snippet(leaves, paths, 'kept_')}",
        notes,
    )


def _paths(case: Case) -> list[str]:
    return [cause.path for cause in case.diagnosis.causes if cause.code in CODES]


def _is_callable(case: Case, path: str) -> bool:
    kinds = {leaf.type_name for leaf in leaves_at(case.signatures, path)}
    return bool(kinds) and kinds <= {*CALLABLES, "collected object"} and kinds != {"collected object"}


def _is_of_method(leaf: Leaf) -> bool:
    """Was it defined in a method? The name then reads ``Model.fit.<locals>.<lambda>``."""
    owner = (leaf.value or "").rpartition(".<locals>.")[0].rpartition("<locals>.")[2]
    return "." in owner


def _snippet(leaves: Sequence[Leaf], paths: Sequence[str], prefix: str) -> str:
    lines: dict[str, None] = {}
    several = len({leaf.value for leaf in leaves}) > 1
    for leaf in leaves:
        name = (leaf.value or "").removeprefix("partial of ").rpartition(".")[2]
        made = {"partial": f"functools.partial({name}, …)", "method": f"….{name}"}.get(leaf.type_name or "", "…")
        kept = f"{prefix}{name.strip('_') if several and name.isidentifier() else _identifier(leaf.path)}"
        lines[f"{kept} = {made}  # once, before the calls; pass {kept}"] = None
    kept = f"{prefix}{_identifier(paths[0])}"
    return "\n".join(list(lines)[:SHOWN]) or f"{kept} = …  # once, before the calls; pass {kept}"


def _identifier(path: str) -> str:
    names = re.findall(r"[A-Za-z_]\w*", path)
    return names[-1].strip("_") if names else "function"


def _keep_outside(edits: Edits, things: list[Movable]) -> None:
    move_out(edits, *things, prefix="kept")


def _keep_in_objects(edits: Edits, things: list[Movable]) -> None:
    """What reads `self` is kept by the object, the rest outside."""
    rest: list[Movable] = []
    for number, thing in enumerate(things):
        if any(thing.module is other.module and thing.node.deep_equals(other.node) for other in things[:number]):
            code = thing.module.code(thing.node)
            raise Declined(PASSED_AT_SEVERAL_PLACES(code=code))
        try:
            keep_on_instance(edits, thing, "kept")
        except Declined:
            rest.append(thing)
            if len(rest) == len(things):
                raise
    move_out(edits, *rest, prefix="kept")


def _change_with_variables(case: Case, paths: tuple[str, ...]) -> Callable[[Edits], None]:
    """The numbers that it reads from around the call are held in variables, which get them right before the call."""

    def change(edits: Edits) -> None:
        given = [(path, argument) for path in paths for argument in find_arguments(case, edits, path)]
        found = [(each, _find(each, path, several=False, taken=set())) for path, each in given]
        things = [(argument, thing) for argument, thing in found if thing is not None]
        if len(things) != 1:
            raise Declined(PASSED_AT_SEVERAL_PLACES(code=paths[0]))
        argument, thing = things[0]
        names = captured_names(thing)
        held = {name: fresh_name(thing.module, f"kept_{name}") for name in names}
        made = _hold(edits, argument, thing, held)
        move_out(edits, thing, prefix="kept", passed=names, after=made)

    return change


def _hold(edits: Edits, argument: Argument, thing: Movable, held: dict[str, str]) -> list[cst.BaseStatement]:
    """Read variables in the thing, and assign them before the call; the statements that make them."""
    module = thing.module
    statement = argument.module.statement(argument.call)
    if argument.module is not module or not isinstance(statement, cst.SimpleStatementLine):
        raise Declined(PASSED_MAY_DIFFER(code=thing.name, path=thing.name))
    if any({*held} & module.free_names(helper) for helper in plan(thing, held).helpers):
        raise Declined(READ_BY_HELPERS(names=sorted(held)))
    made: list[cst.BaseStatement] = []
    for name, variable in held.items():
        made += edits.statements(module, f"{variable} = tf.Variable(0.0, trainable=False)")
        edits.insert_before(module, statement, *edits.statements(module, f"{variable}.assign({name})"))
        for read in reads_of(module, thing.node, name):
            edits.replace(module, read, cst.Name(variable))
    return made


def _change(case: Case, paths: tuple[str, ...], keep: Keep) -> Callable[[Edits], None]:
    def change(edits: Edits) -> None:
        given = {path: find_arguments(case, edits, path) for path in paths}
        several = sum(map(len, given.values())) > 1
        things: list[Movable] = []
        for path, arguments in given.items():
            if not arguments:
                raise Declined(NO_CALL_GIVES(path=path))
            for argument in arguments:
                thing = _find(argument, path, several, {other.name for other in things})
                if thing is not None and not any(other.node is thing.node for other in things):
                    things.append(thing)
        if not things:
            raise Declined(ONE_PLACE_ALREADY(path=paths[0]))
        keep(edits, things)

    return change


def _find(argument: Argument, path: str, several: bool, taken: set[str]) -> Movable | None:
    """What makes the argument anew at each call; None where it is a name that stands for one thing."""
    module, value = argument.module, argument.node.value
    if isinstance(value, cst.Name):
        return _defined(module, value, taken)
    if not _is_made_anew(module, value):
        raise Declined(PASSED_MAY_DIFFER(code=module.code(value), path=path))
    name = _name_within(value) if several else None
    return movable_expression(module, value, f"kept_{name or _identifier(path)}", taken)


def _name_within(value: cst.BaseExpression) -> str | None:
    """`huber` of ``functools.partial(huber, 1.0)`` and of ``losses.huber``; a lambda has no name."""
    if isinstance(value, cst.Call):
        value = value.args[0].value if value.args else value
    name = value.attr if isinstance(value, cst.Attribute) else value
    return name.value.strip("_") or None if isinstance(name, cst.Name) else None


def _is_made_anew(module: Module, value: cst.BaseExpression) -> bool:
    """Is it a lambda, a bound method or a partial: equal each time, and never the same?"""
    return isinstance(value, cst.Lambda | cst.Attribute) or (
        isinstance(value, cst.Call) and is_partial(module, value.func)
    )


def _defined(module: Module, name: cst.Name, taken: set[str]) -> Movable | None:
    found = binders_seen(module, name.value, name)
    if len(found) != 1:
        bound = NOT_BOUND(name=name.value, file=module.file)
        if found:
            bound = BOUND_AT_PLACES(name=name.value, count=len(found), file=module.file)
        raise Declined(bound)
    (binder,) = found
    if isinstance(binder, cst.FunctionDef):
        return movable_definition(module, binder)
    if isinstance(binder, cst.Param):
        raise Declined(COMES_IN_AS_PARAMETER(name=name.value))
    assign: Any = module.parent(binder) if isinstance(binder, cst.AssignTarget) else None
    if not isinstance(assign, cst.Assign):
        raise Declined(MAY_DIFFER(name=name.value))
    if _is_made_anew(module, assign.value):
        return movable_expression(module, assign.value, name.value, taken)
    raise Declined(MADE_BY_SOMETHING(name=name.value, code=module.code(assign.value)))


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
    title="A bound method, a new object on every access",
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
    title="A partial created in a function",
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

_NUMBER = Example(
    title="A lambda that reads a loop variable",
    program="""\
import tensorflow as tf


@tf.function
def evaluate(x, loss):
    return tf.reduce_mean(loss(x))


for weight in (0.1, 0.2, 0.5, 0.7):
    print(round(float(evaluate(tf.constant([1.0, 2.0]), lambda v: weight * v**2)), 4))
""",
    function="evaluate",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function
def evaluate(x, loss):
    return tf.reduce_mean(loss(x))


kept_weight = tf.Variable(0.0, trainable=False)
kept_loss = lambda v: kept_weight * v**2
for weight in (0.1, 0.2, 0.5, 0.7):
    kept_weight.assign(weight)
    print(round(float(evaluate(tf.constant([1.0, 2.0]), kept_loss)), 4))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="stable_home",
    title="Keep the function that is passed",
    what="Gives a lambda, partial, inner function or bound method that is passed as an argument a name, once. A "
    "number that it reads from the surrounding code moves into a `tf.Variable`.",
    why="TensorFlow compares such an argument by identity and holds it weakly. One created at the call is gone "
    "afterwards, and its trace is never reused.",
    beware="The kept function sees later changes only in a `tf.Variable`. An object that stores its own bound "
    "method is freed by the cyclic garbage collector, not immediately.",
    propose=propose,
    settled=Settled(frozenset({CauseCode.IDENTITY, CauseCode.COLLECTED}), by_name),
    only_moves=True,
    examples=(_LAMBDA, _METHOD, _PARTIAL, _NUMBER),
)
