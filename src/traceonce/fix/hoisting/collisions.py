"""Would a name meet another thing of the same name where it is put? And names that would not."""

from __future__ import annotations

import builtins
from collections.abc import Iterable

import libcst as cst

from traceonce.fix.source.binders import binders, binders_seen
from traceonce.fix.source.module import Function, Module
from traceonce.fix.source.scopes import Scope, is_label, scope_of


def collides(module: Module, name: str, scope: Scope, home: Scope) -> bool:
    """The name is bound in `scope` and would be bound in `home`, which is further out.

    1. Nothing of that name may be bound at the new home, or in a function between the two.
    2. Nothing else that is read in the new home may be called so and come from further out (a builtin, a global).
    3. With ``global`` and ``nonlocal`` it is not followed any further.
    """
    if scope is home:
        return False
    if hasattr(builtins, name) or _is_declared(module, name):
        return True
    for binder in binders(module, name):
        owner = _owner(module, binder)
        between = isinstance(owner, Function) and owner is not scope and module.holds(owner, scope)
        if owner is home or (between and module.holds(home, owner)):
            return True
    return any(_comes_from_outside(module, node, home) for node in _readers(module, name, home))


def fresh_name(module: Module, wanted: str, also: Iterable[str] = ()) -> str:
    """`wanted`, or the same with a number where the file has that name already, or `also` has it."""
    taken = {*also, *(node.value for node in module.nodes(cst.Name))}
    number = 2
    name = wanted
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _is_declared(module: Module, name: str) -> bool:
    declared = (
        *(each.names for each in module.nodes(cst.Global)),
        *(each.names for each in module.nodes(cst.Nonlocal)),
    )
    return any(item.name.value == name for items in declared for item in items)


def _owner(module: Module, binder: cst.CSTNode) -> cst.CSTNode:
    if isinstance(binder, cst.Param):
        return next(outer for outer in module.ancestors(binder) if isinstance(outer, Function))
    return scope_of(module, binder)


def _readers(module: Module, name: str, home: Scope) -> list[cst.Name]:
    return [
        node
        for node in module.nodes(cst.Name)
        if node.value == name
        and not is_label(module, node)
        and not isinstance(module.parent(node), cst.Param)
        and module.holds(home, node)
    ]


def _comes_from_outside(module: Module, node: cst.Name, home: Scope) -> bool:
    found = binders_seen(module, node.value, node)
    return not found or not all(module.holds(home, binder) for binder in found)
