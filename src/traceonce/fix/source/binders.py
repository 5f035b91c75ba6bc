"""Which pieces of a file bind a name, and which of them is meant where the name is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import libcst as cst
from libcst.helpers import get_full_name_for_node

from traceonce.fix.source import names
from traceonce.fix.source.module import Function, Module
from traceonce.fix.source.scopes import COMPREHENSIONS, scopes_around

_BINDING: tuple[type[cst.CSTNode], ...] = (
    cst.Import,
    cst.ImportFrom,
    cst.AssignTarget,
    cst.AnnAssign,
    cst.AugAssign,
    cst.NamedExpr,
    cst.For,
    cst.CompFor,
    cst.AsName,
    cst.Param,
    cst.FunctionDef,
    cst.ClassDef,
    cst.MatchAs,
    cst.MatchStar,
    cst.MatchMapping,
)


class Imported(NamedTuple):
    """`name` in the file stands for `what` (``package.function``), by this statement."""

    name: str
    what: str
    statement: cst.Import | cst.ImportFrom


def imported_by(node: cst.Import | cst.ImportFrom) -> Iterator[Imported]:
    if isinstance(node, cst.Import):
        for alias in node.names:
            name = names.imported_name(alias)
            yield Imported(name, alias.evaluated_name if alias.evaluated_alias else name, node)
    elif not isinstance(node.names, cst.ImportStar):
        package = "." * len(node.relative) + (get_full_name_for_node(node.module) or "" if node.module else "")
        for alias in node.names:
            yield Imported(alias.evaluated_alias or alias.evaluated_name, f"{package}.{alias.evaluated_name}", node)


def imported_as(binders: Iterable[cst.CSTNode], name: str) -> set[str]:
    """What the name stands for by those of its binders that are imports."""
    imports = (binder for binder in binders if isinstance(binder, cst.Import | cst.ImportFrom))
    return {each.what for node in imports for each in imported_by(node) if each.name == name}


def binders(module: Module, name: str) -> list[cst.CSTNode]:
    """Every smallest piece of the file that binds the name, in any scope."""
    return [node for node in _binding(module) if name in _bound_by(module, node)]


def _binding(module: Module) -> Iterator[cst.CSTNode]:
    for kind in _BINDING:
        yield from module.nodes(kind)


def all_names(module: Module) -> set[str]:
    """Every name that anything in the file binds."""
    return {name for node in _binding(module) for name in _bound_by(module, node)}


def binders_seen(module: Module, name: str, at: cst.CSTNode) -> list[cst.CSTNode]:
    """What binds the name that is read at `at`: all binders in the innermost scope around it that has any."""
    found = binders(module, name)
    owners = [_owner(module, binder, name) for binder in found]
    for scope in scopes_around(module, at):
        here = [binder for binder, owner in zip(found, owners, strict=True) if owner is scope]
        if here:
            return here
    return []


def _owner(module: Module, binder: cst.CSTNode, name: str) -> cst.CSTNode:
    """The scope in which a binder binds."""
    if isinstance(binder, cst.Param):
        return next(outer for outer in module.ancestors(binder) if isinstance(outer, Function))
    around = [
        scope
        for scope in scopes_around(module, binder)
        if isinstance(binder, cst.CompFor) or not isinstance(scope, COMPREHENSIONS)
    ]
    scope = around[0]
    if isinstance(scope, cst.FunctionDef):
        declared = _declared(scope)
        if name in declared:
            return around[-1] if isinstance(declared[name], cst.Global) else around[1]
    return scope


def _declared(function: cst.FunctionDef) -> dict[str, cst.Global | cst.Nonlocal]:
    found: dict[str, cst.Global | cst.Nonlocal] = {}

    class Declarations(cst.CSTVisitor):
        def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
            return node is function

        def visit_ClassDef(self, node: cst.ClassDef) -> bool:
            return False

        def _visit(self, node: cst.Global | cst.Nonlocal) -> None:
            found.update({item.name.value: node for item in node.names})

        visit_Global = visit_Nonlocal = _visit

    function.visit(Declarations())
    return found


def _bound_by(module: Module, node: cst.CSTNode) -> set[str]:
    if isinstance(node, cst.Import | cst.ImportFrom):
        return {found.name for found in imported_by(node)}
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Param):
        return {node.name.value}
    if isinstance(node, cst.MatchAs | cst.MatchStar):
        return {node.name.value} if node.name is not None else set()
    if isinstance(node, cst.MatchMapping):
        return {node.rest.value} if node.rest is not None else set()
    if isinstance(node, cst.AsName):
        return set() if isinstance(module.parent(node), cst.ImportAlias) else names_in_target(node.name)
    assert isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.NamedExpr | cst.For | cst.CompFor)
    return names_in_target(node.target)


def names_in_target(target: cst.CSTNode) -> set[str]:
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, cst.Tuple | cst.List):
        return {name for element in target.elements for name in names_in_target(element.value)}
    if isinstance(target, cst.StarredElement):
        return names_in_target(target.value)
    return set()
