"""An object that is made again for every use is made once: it moves out, or is kept by the arguments that made it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.homes import Home, find_home
from traceonce.fix.hoisting.keeping import is_run_again
from traceonce.fix.hoisting.placement import place, written
from traceonce.fix.hoisting.relocation import (
    Movable,
    assigned_name,
    makes_a_value,
    move_out,
    plan,
    value_of,
    why_not,
)
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.callees import last_name
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.wrappers import assigned_value, is_partial, meaning
from traceonce.words.notes.declined import AT_THE_TOP_ALREADY, MADE_FROM_CALL, NOTHING_IS_MADE

# Typed, for else 1, True and 1.0 are one key.
CACHE = "functools.lru_cache(maxsize=None, typed=True)"


def made_object(module: Module, expression: cst.BaseExpression) -> cst.BaseExpression | None:
    """What makes the object that stands there: a call, a lambda, also through a name that is given it once."""
    value = assigned_value(module, expression) if isinstance(expression, cst.Name) else expression
    return value if isinstance(value, cst.Call | cst.Lambda) else None


def object_given_to(module: Module, expression: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """What was given as ``name=`` where the thing was made that this name stands for."""
    if not isinstance(expression, cst.Name):
        return None
    for binder in binders_seen(module, expression.value, expression):
        statement = module.parent(binder) if isinstance(binder, cst.AssignTarget) else None
        made = statement.value if isinstance(statement, cst.Assign) else None
        for argument in made.args if isinstance(made, cst.Call) else ():
            if argument.keyword is not None and argument.keyword.value == name:
                return made_object(module, argument.value)
    return None


def objects_used_at(module: Module, line: int) -> Iterator[cst.BaseExpression]:
    """What makes the objects whose methods are called on a line, or that are called there themselves."""
    for call in module.nodes(cst.Call):
        if not module.place(call).start.line <= line <= module.place(call).end.line:
            continue
        used = call.func.value if isinstance(call.func, cst.Attribute) else call.func
        made = made_object(module, used)
        if isinstance(made, cst.Call) and made is not call:
            yield made


def move_makings(edits: Edits, module: Module, makings: Iterable[cst.BaseExpression], *, inner: bool) -> None:
    """Make each once, outside of loops and functions; `inner`: the functions that are written in it, not itself."""
    found = [part for making in makings for part in (_functions_in(making) if inner else [making])]
    found = [part for part in dict.fromkeys(found) if is_run_again(module, part)]
    if not found:
        raise Declined(NOTHING_IS_MADE())
    taken: set[str] = set()
    things = []
    for part in found:
        _check(module, part)
        things.append(_movable(module, part, taken))
        taken.add(things[-1].name)
    for thing in things:
        helpers, reach = plan(thing)
        for helper in helpers:
            if isinstance(value_of(helper), cst.Call):
                _check(module, value_of(helper))  # type: ignore[arg-type]  # a call is an expression
        if reach.home is None or reach.barrier is not None:
            raise Declined(why_not(module, reach))
    move_out(edits, *things, prefix="kept")


def cache_makings(edits: Edits, module: Module, makings: Iterable[cst.BaseExpression]) -> None:
    """Keep each by its arguments, which must be hashable."""
    found = [part for part in dict.fromkeys(makings) if isinstance(part, cst.Call) and is_run_again(module, part)]
    if not found:
        raise Declined(NOTHING_IS_MADE())
    edits.add_import(module, "functools")
    names: dict[str, str] = {}
    for call in found:
        maker = module.code(call.func)
        if is_partial(module, call.func) or any(isinstance(part, cst.Lambda) for part in walk(call)):
            raise Declined(NOTHING_IS_MADE())
        home = _home(module, call)
        if maker not in names:
            names[maker] = fresh_name(module, f"kept_{(last_name(call.func) or 'object').lower()}", names.values())
            made = edits.statements(module, f"{names[maker]} = {CACHE}(maker)", home.statement, maker=call.func)
            place(edits, module, home, written(made))
        edits.replace(module, call.func, cst.Name(names[maker]))


def _home(module: Module, call: cst.Call) -> Home:
    reads = needs = module.free_names(call.func)
    reach = find_home(module, call, set(reads), set(needs))
    if reach.home is None or reach.barrier is not None:
        raise Declined(why_not(module, reach) if reach.barrier is not None else AT_THE_TOP_ALREADY())
    return reach.home


def _functions_in(making: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(making, cst.Lambda):
        return []
    return [part for part in walk(making) if isinstance(part, cst.Lambda)]


def _check(module: Module, making: cst.BaseExpression) -> None:
    """What it is made from must be the same each time: what else is called there makes an object, too."""
    if isinstance(making, cst.Lambda):
        return
    root = {name.partition(".")[0] for name in meaning(module, making.func)} if isinstance(making, cst.Call) else set()
    for part in walk(making):
        if not isinstance(part, cst.Call) or part is making or _in_lambda(module, part, making):
            continue
        meant = meaning(module, part.func)
        name = last_name(part.func) or ""
        same_package = any(each.partition(".")[0] in root for each in meant)
        if not (name[:1].isupper() or is_partial(module, part.func) or same_package or any(map(makes_a_value, meant))):
            raise Declined(MADE_FROM_CALL(name=module.code(part.func)))


def _in_lambda(module: Module, node: cst.CSTNode, within: cst.CSTNode) -> bool:
    for outer in module.ancestors(node):
        if outer is within:
            return False
        if isinstance(outer, cst.Lambda):
            return True
    return False


def _movable(module: Module, part: cst.BaseExpression, taken: set[str]) -> Movable:
    statement = module.statement(part)
    target = assigned_name(statement)
    if target is not None and value_of(statement) is part and len(binders_seen(module, target, statement)) == 1:
        assert isinstance(statement, cst.BaseStatement)
        return Movable(module, part, target, statement, makings=True)
    named = last_name(part.func) if isinstance(part, cst.Call) else "function"
    return Movable(module, part, fresh_name(module, f"kept_{(named or 'object').lower()}", taken), makings=True)
