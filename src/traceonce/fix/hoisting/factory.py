"""An object that is made again and again is made once for each set of arguments: a function of its own keeps it.

`Factory` is the new function. It takes what the expression reads from the function or the loop around it, and makes
the object with all that is done to it right after (`model.compile(…)`). Whether that is the same object in all that
matters, a run has to show: what it keeps between calls is shared now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.homes import Home, is_run_again
from traceonce.fix.hoisting.placement import New, cut_out, place, take_out
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.scopes import scope_of
from traceonce.words.notes.declined import (
    MADE_NOWHERE_SEEN,
    MADE_ONCE_ALREADY,
    MAKING_CANNOT_MOVE,
    READS_CHANGED_GLOBAL,
)

CACHE = "functools.lru_cache(maxsize=None, typed=True)"  # typed, for else 1, True and 1.0 are one key
_DEPTH = 4  # functions that an object is passed through
_STUCK = (cst.Yield, cst.Await, cst.NamedExpr, cst.GeneratorExp)


class Made(NamedTuple):
    """The call that makes an object, and the name that it is given; None where it has none."""

    module: Module
    node: cst.Call
    name: str | None


def find_made(module: Module, used: cst.BaseExpression, depth: int = 0) -> Made:
    """The call that made the object that is used here, followed through names and parameters."""
    if isinstance(used, cst.Call):
        return Made(module, used, None)
    if not isinstance(used, cst.Name) or depth > _DEPTH:
        raise Declined(MADE_NOWHERE_SEEN(code=module.code(used)))
    found = binders_seen(module, used.value, used)
    if len(found) != 1:
        raise Declined(MADE_NOWHERE_SEEN(code=used.value))
    binder = found[0]
    if isinstance(binder, cst.Param):
        made = {id(each.node): each for each in _given(module, binder, depth)}
        if len(made) != 1:
            raise Declined(MADE_NOWHERE_SEEN(code=used.value))
        return next(iter(made.values()))
    statement: Any = module.parent(binder)
    value = statement.value if isinstance(binder, cst.AssignTarget) and isinstance(statement, cst.Assign) else None
    if isinstance(value, cst.Call) and len(statement.targets) == 1 and isinstance(binder.target, cst.Name):  # type: ignore[attr-defined]
        return Made(module, value, used.value)
    if isinstance(value, cst.Name):
        return find_made(module, value, depth + 1)
    raise Declined(MADE_NOWHERE_SEEN(code=used.value))


def _given(module: Module, parameter: cst.Param, depth: int) -> Iterator[Made]:
    """What the calls in this file give for a parameter of a function."""
    owner = next(outer for outer in module.ancestors(parameter) if isinstance(outer, Function))
    if not isinstance(owner, cst.FunctionDef) or not isinstance(scope_of(module, owner), cst.Module):
        return
    names = [each.name.value for each in (*owner.params.posonly_params, *owner.params.params)]
    for call in module.nodes(cst.Call):
        if not isinstance(call.func, cst.Name) or call.func.value != owner.name.value:
            continue
        if binders_seen(module, call.func.value, call) != [owner]:
            continue
        positions = [each for each in call.args if each.keyword is None]
        keyword = next(
            (each for each in call.args if each.keyword and each.keyword.value == parameter.name.value), None
        )
        index = names.index(parameter.name.value) if parameter.name.value in names else len(positions)
        if any(each.star for each in call.args) or (keyword is None and index >= len(positions)):
            raise Declined(MADE_NOWHERE_SEEN(code=parameter.name.value))
        yield find_made(module, (keyword or positions[index]).value, depth + 1)


def keep_in_function(edits: Edits, made: Made, until: cst.CSTNode) -> None:
    """Make the object in a function that remembers it. `until` is the use that must stay behind."""
    module, node = made.module, made.node
    if any(isinstance(part, _STUCK) for part in walk(node)):
        raise Declined(MAKING_CANNOT_MOVE(code=module.code(node)))
    if not is_run_again(module, node):
        raise Declined(MADE_ONCE_ALREADY(code=module.code(node)))
    setup = list(done_to(module, made, until))
    worked_out = _worked_out(module, node)
    parts = [each for each in (node.func, *(each.value for each in node.args)) if each not in worked_out]
    own = {made.name} if made.name is not None else set()
    reads = set[str]().union(*(module.free_names(each) for each in (*parts, *setup))) - own
    parameters = [name for name in sorted(reads, key=_order(module, node)) if _is_local(module, name, node)]
    factory = None if setup else _sole_factory(module, node)
    if factory is not None:
        edits.add_import(module, "functools")
        cache = cst.Decorator(edits.expression(module, CACHE))
        edits.amend(module, factory, lambda definition: definition.with_changes(decorators=[cache]))
        return
    named = {(fresh_name(module, name) if name in reads else name): value for value, name in worked_out.items()}
    for name, value in named.items():
        edits.replace(module, value, cst.Name(name))
    _write(edits, made, setup, [*parameters, *named], named)


def _worked_out(module: Module, node: cst.Call) -> dict[cst.BaseExpression, str]:
    """Arguments that are worked out (``0.1 * step``), with names: what comes of them tells objects apart."""
    found: dict[cst.BaseExpression, str] = {}
    for position, argument in enumerate(node.args):
        value = argument.value
        if isinstance(value, cst.BinaryOperation | cst.UnaryOperation) and any(
            _is_local(module, name, node) for name in module.free_names(value)
        ):
            found[value] = argument.keyword.value if argument.keyword is not None else f"argument_{position + 1}"
    return found


def _write(
    edits: Edits,
    made: Made,
    setup: Sequence[Any],
    parameters: Sequence[str],
    given: Mapping[str, cst.BaseExpression],
) -> None:
    module, node = made.module, made.node
    thing = made.name or _name_of_made(module, node)
    name = fresh_name(module, f"make_{thing}")
    edits.add_import(module, "functools")
    top: Any = next(outer for outer in (node, *module.ancestors(node)) if module.parent(outer) is module.tree)
    call = edits.expression(module, f"{name}({', '.join(parameters)})", **given)
    taken = [take_out(edits, module, statement) for statement in setup]
    get = cut_out(edits, module, node, call)
    code = f"@{CACHE}\ndef {name}({', '.join(parameters)}):\n    "
    code += f"{thing} = made\n    return {thing}" if setup else "return made"
    (like,) = edits.statements(module, code, made=cst.Name("None"))

    def whole() -> cst.BaseStatement:
        (function,) = edits.statements(module, code, made=get())
        assert isinstance(function, cst.FunctionDef)
        first, *last = function.body.body
        body = [first, *(each.get().with_changes(leading_lines=[]) for each in taken), *last]
        return function.with_changes(body=cst.IndentedBlock(body=body))

    place(edits, module, Home(top, module.tree), [New(like, whole)])


def done_to(module: Module, made: Made, until: cst.CSTNode) -> Iterator[cst.BaseStatement]:
    """What is done to the object right after it is made: ``name.compile(…)``, ``name.trainable = False``."""
    statement = module.statement(made.node)
    block = module.parent(statement)
    if made.name is None or not isinstance(block, cst.IndentedBlock | cst.Module):
        return
    body: list[Any] = list(block.body)
    for later in body[body.index(statement) + 1 :]:
        if module.holds(later, until) or not _is_done_to(later, made.name):
            return
        yield later


def _is_done_to(statement: Any, name: str) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    part = statement.body[0]
    if isinstance(part, cst.Expr) and isinstance(part.value, cst.Call):
        return _root(part.value.func) == name and not isinstance(part.value.func, cst.Name)
    if isinstance(part, cst.Assign) and len(part.targets) == 1:
        target = part.targets[0].target
        return isinstance(target, cst.Attribute) and _root(target) == name
    return False


def _root(node: cst.CSTNode) -> str | None:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else None


def _is_local(module: Module, name: str, node: cst.CSTNode) -> bool:
    """Does the name have to be passed: is it bound by a function around the expression, or by a loop around it?"""
    found = binders_seen(module, name, node)
    if not found:
        return False
    if any(scope_of(module, binder) is not module.tree or isinstance(binder, cst.Param) for binder in found):
        return True
    loops = [outer for outer in module.ancestors(node) if isinstance(outer, cst.For | cst.While)]
    inside = [binder for binder in found if any(module.holds(loop, binder) for loop in loops)]
    if not inside and len(found) > 1 and not all(isinstance(each, cst.Import | cst.ImportFrom) for each in found):
        raise Declined(READS_CHANGED_GLOBAL(name=name))
    return bool(inside)


def _order(module: Module, node: cst.CSTNode) -> Any:
    """Parameters come in the order in which the expression reads them."""
    code = module.code(node)
    return lambda name: (code.find(name) % (len(code) + 1), name)


def _sole_factory(module: Module, node: cst.Call) -> cst.FunctionDef | None:
    """The plain function of this file that the call is of, where nothing else reads it."""
    if not isinstance(node.func, cst.Name):
        return None
    found = binders_seen(module, node.func.value, node)
    definition = found[0] if len(found) == 1 else None
    if not isinstance(definition, cst.FunctionDef) or definition.decorators or definition.asynchronous:
        return None
    if scope_of(module, definition) is not module.tree:
        return None
    if any(isinstance(part, cst.Yield) for part in walk(definition)):
        return None
    name = definition.name.value
    uses = [each for each in module.nodes(cst.Name) if each.value == name and each is not definition.name]
    return definition if uses == [node.func] else None


def _name_of_made(module: Module, node: cst.Call) -> str:
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    return name.value.lower().strip("_") or "object" if isinstance(name, cst.Name) else "object"
