"""Statements that change Python state in the body of a function, where only a trace runs them, move to its calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.candidate import Change, Declined
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
from traceonce.words.notes.declined import (
    CALL_NOT_A_STATEMENT,
    CALL_NOT_SEEN,
    CHANGE_NEEDS_LOCALS,
    CHANGE_NOT_BY_ITSELF,
    EVALUATED_TWICE,
    NOT_KNOWN_THERE,
    READ_IN_THE_BODY,
)

_SIMPLE = r"-?[\w.]+"  # what may be evaluated twice
_CONDITIONAL = (cst.Lambda, cst.IfExp, cst.BooleanOperation, *COMPREHENSIONS)


class _Moved(NamedTuple):
    """One statement of the body, to be put before or behind the calls."""

    statement: cst.SimpleStatementLine
    behind: bool


def moving_out(case: Case, paths: list[str], template: str | None, *, returning: bool = False) -> Change:
    """Move what changes the state at these paths beside the calls; `template` is how the body gets what it reads of it
    (as an argument, made from ``value``), None where it reads nothing. `returning`: what the statements need of the
    body is returned, too."""

    def change(edits: Edits) -> None:
        module, definition = find_definition(case.diagnosis.function, edits)
        if not case.sites:
            raise Declined(CALL_NOT_SEEN(name=case.diagnosis.function.short_name))
        calls = {find_call(case, edits, site): edits.module(site.file) for site in case.sites}
        check_other_calls(edits, case, list(calls))
        moved: list[_Moved] = []
        locals_needed: set[str] = set()
        for path in paths:
            changing = _changing(module, definition, path)
            read = _is_read_beside(module, definition, path, changing)
            if read != (template is not None):
                raise Declined(READ_IN_THE_BODY(path=path))
            needed = [_needed(module, definition, one) for one in changing]
            for one, names in zip(changing, needed, strict=True):
                if not returning and names and names != {_returned(definition)}:
                    raise Declined(CHANGE_NEEDS_LOCALS(names=sorted(names), line=module.line(one)))
            moved += [_Moved(one, bool(names)) for one, names in zip(changing, needed, strict=True)]
            locals_needed |= set[str]().union(*needed)
            if template is not None:
                if any(each.behind for each in moved):
                    raise Declined(READ_IN_THE_BODY(path=path))
                pass_as_argument(edits, case, path, template, moved=path in _declared_global(definition))
        moved.sort(key=lambda each: module.line(each.statement))
        for each in moved:
            edits.remove(module, each.statement)
        _declare_no_longer(edits, module, definition, {*paths})
        if returning:
            _return_too(edits, module, definition, sorted(locals_needed))
        for call, owner in calls.items():
            beside = _Call(module, definition, owner, call)
            _put_beside(edits, beside, moved, sorted(locals_needed) if returning else None)

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


def _needed(module: Module, definition: Function, statement: cst.SimpleStatementLine) -> set[str]:
    """What it needs of what the function works out; all else that it reads must be known at the calls."""
    keyword_only = {each.name.value for each in definition.params.kwonly_params}
    own = module.names_bound_in(definition) - {*_parameters(definition)} - keyword_only
    read = {node.value for node in walk(statement) if isinstance(node, cst.Name) and not is_label(module, node)}
    return (read & own) - _declared_global(definition)


def _return_too(edits: Edits, module: Module, definition: Function, names: list[str]) -> None:
    """``return y`` as ``return y, loss``."""
    returns = [node for node in walk(definition.body) if isinstance(node, cst.Return)]
    last = returns[0] if len(returns) == 1 else None
    value = last.value if last is not None else None
    own = (
        last is not None
        and scope_of(module, last) is definition
        and module.parent(module.statement(last)) is definition.body
    )
    if last is None or value is None or not own or not names:
        raise Declined(CHANGE_NEEDS_LOCALS(names=names, line=module.line(definition)))
    whole = edits.expression(module, f"(value, {', '.join(names)})", value=value)
    edits.replace(module, last, last.with_changes(value=whole.with_changes(lpar=[], rpar=[])))


def _declare_no_longer(edits: Edits, module: Module, definition: Function, names: set[str]) -> None:
    """Take names out of the function's ``global`` statements."""
    for statement in (node for node in walk(definition.body) if isinstance(node, cst.Global)):
        kept = [item for item in statement.names if item.name.value not in names]
        line = module.statement(statement)
        if kept and len(kept) < len(statement.names):
            edits.replace(module, statement, statement.with_changes(names=[*kept[:-1], cst.NameItem(kept[-1].name)]))
        elif not kept and isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
            edits.remove(module, line)


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


def _put_beside(edits: Edits, call: _Call, moved: list[_Moved], returned: list[str] | None) -> None:
    owner, node = call.owner, call.node
    statement = owner.statement(node)
    around = list(owner.ancestors(node))
    inside = around[: [each is statement for each in around].index(True)] if statement in around else around
    if not isinstance(statement, cst.SimpleStatementLine) or any(isinstance(each, _CONDITIONAL) for each in inside):
        raise Declined(CALL_NOT_A_STATEMENT(place=f"{owner.file}:{owner.line(node)}"))
    if returned is not None:
        _take_apart(edits, call, statement, moved, returned)
        return
    result: str | None = None
    if any(each.behind for each in moved):
        result = _name_result(edits, call, statement)
    before = [_at_call(edits, call, each, {}) for each in moved if not each.behind]
    known = {name: result for name in [_returned(call.definition)] if name is not None and result is not None}
    behind = [_at_call(edits, call, each, known) for each in moved if each.behind]
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


def _take_apart(
    edits: Edits, call: _Call, statement: cst.SimpleStatementLine, moved: list[_Moved], returned: list[str]
) -> None:
    """``y = f(x)`` as ``y, loss = f(x)``, with the statements behind it."""
    owner, node = call.owner, call.node
    known = {name: fresh_name(owner, name) if binders_seen(owner, name, node) else name for name in returned}
    edits.insert_before(owner, statement, *(_at_call(edits, call, each, {}) for each in moved if not each.behind))
    behind = [_at_call(edits, call, each, known) for each in moved if each.behind]
    part = statement.body[0]
    code = f"target, {', '.join(known.values())} = made"
    assigns = isinstance(part, cst.Assign) and part.value is node and len(part.targets) == 1
    if assigns or (isinstance(part, cst.Expr) and part.value is node):
        target: Any = part.targets[0].target if isinstance(part, cst.Assign) else cst.Name("_")

        def taken(now: Any) -> cst.BaseSmallStatement:
            (line,) = edits.statements(owner, code, target=target, made=now.value)
            assert isinstance(line, cst.SimpleStatementLine)
            return line.body[0]

        edits.replace(owner, part, taken)
        edits.insert_after(owner, statement, *behind)
        return
    result = fresh_name(owner, "result")
    made = cut_out(edits, owner, node, cst.Name(result))
    edits.insert_before(
        owner, statement, lambda: edits.statements(owner, code, target=cst.Name(result), made=made())[0], *behind
    )


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


def _at_call(edits: Edits, call: _Call, moved: _Moved, known: Mapping[str, str]) -> cst.BaseStatement:
    """The statement in the words of the place of the call; `known` are the names there of what the function made."""
    module, definition, owner, node = call
    read = {each.value for each in walk(moved.statement) if isinstance(each, cst.Name) and not is_label(module, each)}
    parts: dict[str, cst.BaseExpression] = {}
    for name in sorted(read):
        if name in known:
            parts[name] = cst.Name(known[name])
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
