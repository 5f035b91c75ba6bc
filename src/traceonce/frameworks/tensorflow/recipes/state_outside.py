"""A statement that changes Python state in the body, where only a trace runs it, moves out to the calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.closures.parameters import check_other_calls, pass_as_argument
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.placement import cut_out
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.passed_arguments import find_call
from traceonce.fix.source.scopes import COMPREHENSIONS, is_label, scope_of
from traceonce.frameworks.tensorflow.recipes.variables import make_variable
from traceonce.frameworks.tensorflow.words import (
    CALL_NOT_A_STATEMENT,
    CHANGE_NEEDS_LOCALS,
    CHANGE_NOT_BY_ITSELF,
    CHANGED_AT_EACH_CALL,
    READ_IN_THE_BODY,
    VARIABLE_EVERYWHERE,
)
from traceonce.words.notes.declined import CALL_NOT_SEEN, EVALUATED_TWICE, NOT_KNOWN_THERE

_SIMPLE = r"-?[\w.]+"  # what may be evaluated twice
_CONDITIONAL = (cst.Lambda, cst.IfExp, cst.BooleanOperation, *COMPREHENSIONS)
_TEMPLATES = (None, "tf.constant(value, tf.float32)", "tf.constant(value, tf.int32)")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def propose(case: Case) -> Iterator[Candidate]:
    causes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.SIDE_EFFECT]
    paths = list(dict.fromkeys(cause.path for cause in causes))
    if not paths or case.diagnosis.function.library:
        return
    name = case.diagnosis.function.short_name
    for template in _TEMPLATES:
        snippet = f"{name}(…)\n… {paths[0]} …  # here, beside each call, and no longer in {name}"
        notes = (CHANGED_AT_EACH_CALL(names=paths),)
        change = _moving_out(case, paths, template)
        yield Candidate("state_outside", "review", (CauseCode.SIDE_EFFECT,), change, None, snippet, notes)
    if all(_NUMBER.fullmatch(cause.was) for cause in causes):
        for dtype in ("int32", "float32") if all("." not in cause.was for cause in causes) else ("float32",):
            snippet = "\n".join(f"{path} = tf.Variable(…, dtype=tf.{dtype}, trainable=False)" for path in paths)
            notes = (VARIABLE_EVERYWHERE(names=paths),)
            change = _as_variables(case, paths, dtype)
            yield Candidate("state_outside", "review", (CauseCode.SIDE_EFFECT,), change, None, snippet, notes)


def _as_variables(case: Case, paths: list[str], dtype: str) -> Change:
    def change(edits: Edits) -> None:
        for path in paths:
            make_variable(edits, case, path, dtype)

    return change


class _Moved(NamedTuple):
    """One statement of the body, to be put before or behind the calls."""

    statement: cst.SimpleStatementLine
    behind: bool


def _moving_out(case: Case, paths: list[str], template: str | None) -> Change:
    def change(edits: Edits) -> None:
        module, definition = find_definition(case.diagnosis.function, edits)
        if not case.sites:
            raise Declined(CALL_NOT_SEEN(name=case.diagnosis.function.short_name))
        calls = {find_call(case, edits, site): edits.module(site.file) for site in case.sites}
        check_other_calls(edits, case, list(calls))
        moved: list[_Moved] = []
        for path in paths:
            changing = _changing(module, definition, path)
            read = _is_read_beside(module, definition, path, changing)
            if read != (template is not None):
                raise Declined(READ_IN_THE_BODY(path=path))
            moved += [_Moved(one, _comes_behind(module, definition, one)) for one in changing]
            if template is not None:
                if any(each.behind for each in moved):
                    raise Declined(READ_IN_THE_BODY(path=path))
                pass_as_argument(edits, case, path, template)
        moved.sort(key=lambda each: module.line(each.statement))
        for each in moved:
            edits.remove(module, each.statement)
        for call, owner in calls.items():
            _put_beside(edits, _Call(module, definition, owner, call), moved)

    return change


def _changing(module: Module, definition: Function, path: str) -> list[cst.SimpleStatementLine]:
    """The statements that change what is at the path; each must be one of the body itself."""
    found: list[cst.SimpleStatementLine] = []
    for node in walk(definition.body):
        target: cst.CSTNode | None = node.target if isinstance(node, cst.AugAssign | cst.AssignTarget) else None
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            target = node.func.value if isinstance(module.parent(node), cst.Expr) else None
        while isinstance(target, cst.Subscript):
            target = target.value
        if target is None or module.code(target).strip() != path:
            continue
        statement = module.statement(node)
        alone = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
        if not alone or module.parent(statement) is not definition.body:
            raise Declined(CHANGE_NOT_BY_ITSELF(path=path, line=module.line(node)))
        assert isinstance(statement, cst.SimpleStatementLine)
        if statement not in found:
            found.append(statement)
    if not found:
        raise Declined(CHANGE_NOT_BY_ITSELF(path=path, line=module.line(definition)))
    return found


def _is_read_beside(module: Module, definition: Function, path: str, changing: list[Any]) -> bool:
    return any(
        isinstance(node, cst.Name | cst.Attribute)
        and module.code(node).strip() == path
        and not is_label(module, node)
        and not any(module.holds(statement, node) for statement in changing)
        for node in walk(definition.body)
    )


def _parameters(definition: Function) -> list[str]:
    return [each.name.value for each in (*definition.params.posonly_params, *definition.params.params)]


def _comes_behind(module: Module, definition: Function, statement: cst.SimpleStatementLine) -> bool:
    """Does it need what the function returns? All else that it reads must be known at the calls."""
    keyword_only = {each.name.value for each in definition.params.kwonly_params}
    own = module.names_bound_in(definition) - {*_parameters(definition)} - keyword_only
    read = {node.value for node in walk(statement) if isinstance(node, cst.Name) and not is_label(module, node)}
    needed = (read & own) - _declared_global(definition)
    if not needed:
        return False
    if needed != {_returned(definition)}:
        raise Declined(CHANGE_NEEDS_LOCALS(names=sorted(needed), line=module.line(statement)))
    return True


def _declared_global(definition: Function) -> set[str]:
    return {item.name.value for node in walk(definition.body) if isinstance(node, cst.Global) for item in node.names}


def _returned(definition: Function) -> str | None:
    """The name that the function returns, at its one and last return."""
    returns = [node for node in walk(definition.body) if isinstance(node, cst.Return)]
    value = returns[0].value if len(returns) == 1 else None
    return value.value if isinstance(value, cst.Name) else None


class _Call(NamedTuple):
    """One call of the function, and the function."""

    module: Module
    definition: Function
    owner: Module
    node: cst.Call


def _put_beside(edits: Edits, call: _Call, moved: list[_Moved]) -> None:
    owner, node = call.owner, call.node
    statement = owner.statement(node)
    around = list(owner.ancestors(node))
    inside = around[: [each is statement for each in around].index(True)] if statement in around else around
    if not isinstance(statement, cst.SimpleStatementLine) or any(isinstance(each, _CONDITIONAL) for each in inside):
        raise Declined(CALL_NOT_A_STATEMENT(place=f"{owner.file}:{owner.line(node)}"))
    result: str | None = None
    if any(each.behind for each in moved):
        result = _name_result(edits, call, statement)
    before = [_at_call(edits, call, each, None) for each in moved if not each.behind]
    behind = [_at_call(edits, call, each, result) for each in moved if each.behind]
    edits.insert_before(owner, statement, *before)
    if not behind:
        return
    if _is_alone(statement, node):
        edits.insert_after(owner, statement, *behind)
        return
    assert result is not None
    made = cut_out(edits, owner, node, cst.Name(result))
    (like,) = edits.statements(owner, f"{result} = made", made=cst.Name("None"))
    assert isinstance(like, cst.SimpleStatementLine)
    edits.insert_before(owner, statement, lambda: edits.statements(owner, f"{result} = made", made=made())[0], *behind)


def _is_alone(statement: cst.SimpleStatementLine, node: cst.Call) -> bool:
    """Is the statement the call, or ``name = call``?"""
    part = statement.body[0]
    if isinstance(part, cst.Assign):
        return part.value is node and len(part.targets) == 1 and isinstance(part.targets[0].target, cst.Name)
    return isinstance(part, cst.Expr) and part.value is node


def _name_result(edits: Edits, call: _Call, statement: cst.SimpleStatementLine) -> str:
    part = statement.body[0]
    if _is_alone(statement, call.node) and isinstance(part, cst.Assign):
        return call.owner.code(part.targets[0].target)
    wanted = _returned(call.definition) or "result"
    name = fresh_name(call.owner, wanted) if binders_seen(call.owner, wanted, call.node) else wanted
    if _is_alone(statement, call.node):
        edits.replace(call.owner, part, lambda node: cst.Assign([cst.AssignTarget(cst.Name(name))], node.value))
    return name


def _at_call(edits: Edits, call: _Call, moved: _Moved, result: str | None) -> cst.BaseStatement:
    """The statement in the words of the place of the call."""
    module, definition, owner, node = call
    read = {each.value for each in walk(moved.statement) if isinstance(each, cst.Name) and not is_label(module, each)}
    parts: dict[str, cst.BaseExpression] = {}
    for name in sorted(read):
        if name == _returned(definition) and result is not None and moved.behind:
            parts[name] = cst.Name(result)
        elif name in _parameters(definition):
            parts[name] = _given(call, name)
        elif not _means_the_same(call, name):
            raise Declined(NOT_KNOWN_THERE(name=name, place=f"{owner.file}:{owner.line(node)}"))
    code = module.code(moved.statement.with_changes(leading_lines=[])).strip()
    (statement,) = edits.statements(owner, code, node, **parts)
    return statement


def _means_the_same(call: _Call, name: str) -> bool:
    """Is the name at the call the one that the body reads, and can it be set there?"""
    module, definition, owner, node = call
    if owner is not module or binders_seen(module, name, definition.body) != binders_seen(owner, name, node):
        return False
    return name not in _declared_global(definition) or scope_of(owner, node) is owner.tree


def _given(call: _Call, name: str) -> cst.BaseExpression:
    """What the call gives for a parameter; something that may be written twice."""
    module, definition, owner, node = call
    names = _parameters(definition)
    place = f"{owner.file}:{owner.line(node)}"
    is_method = isinstance(scope_of(module, definition), cst.ClassDef) and isinstance(node.func, cst.Attribute)
    index = names.index(name) - is_method
    value: cst.BaseExpression | None = None
    if index < 0:
        assert isinstance(node.func, cst.Attribute)
        value = node.func.value
    elif not any(each.star for each in node.args):
        plain = [each.value for each in node.args if each.keyword is None]
        named = {each.keyword.value: each.value for each in node.args if each.keyword is not None}
        value = named.get(name, plain[index] if index < len(plain) else None)
    if value is None or not re.fullmatch(_SIMPLE, owner.code(value)):
        raise Declined(EVALUATED_TWICE(code=owner.code(value) if value is not None else name, place=place))
    return value


_LIST = Example(
    title="A list that collects losses",
    program="""\
import tensorflow as tf

losses = []
weight = tf.Variable(1.0)


@tf.function
def step(x):
    loss = (weight * x - 1.0) ** 2
    weight.assign_sub(0.1 * loss)
    losses.append(loss)
    return loss


for number in range(4):
    step(tf.constant(float(number)))
print(len(losses))
""",
    function="step",
    traces_before=1,
    repaired="""\
import tensorflow as tf

losses = []
weight = tf.Variable(1.0)


@tf.function
def step(x):
    loss = (weight * x - 1.0) ** 2
    weight.assign_sub(0.1 * loss)
    return loss


for number in range(4):
    loss = step(tf.constant(float(number)))
    losses.append(loss)
print(len(losses))
""",
    traces_after=1,
)

_COUNTER = Example(
    title="A counter that the body reads",
    program="""\
import tensorflow as tf


class Average:
    def __init__(self):
        self.count = 0
        self.total = tf.Variable(0.0)

    @tf.function
    def update(self, x):
        self.count += 1
        self.total.assign_add(x)
        return self.total / self.count


average = Average()
for number in range(4):
    value = average.update(tf.constant(float(number)))
    print(average.count, float(value))
""",
    function="Average.update",
    traces_before=1,
    repaired="""\
import tensorflow as tf


class Average:
    def __init__(self):
        self.count = 0
        self.total = tf.Variable(0.0)

    @tf.function
    def update(self, x, count):
        self.total.assign_add(x)
        return self.total / count


average = Average()
for number in range(4):
    average.count += 1
    value = average.update(tf.constant(float(number)), count=tf.constant(average.count, tf.float32))
    print(average.count, float(value))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="state_outside",
    title="Change state outside the function",
    what="Moves a statement that changes Python state (a list, a counter) from the body to each call, and passes "
    "the values that the body reads; or turns the state into a `tf.Variable`.",
    why="The Python code of a `tf.function` runs only during tracing. On calls served by a graph the list does "
    "not grow and the counter does not change, without a warning.",
    beware="Results change to what the source says. Calls added later need the same statement next to them.",
    propose=propose,
    examples=(_LIST, _COUNTER),
)
