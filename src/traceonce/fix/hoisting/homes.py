"""Where may code that reads certain names stand? The outermost place at which all of them still mean the same.

Code that is moved out of a loop or a function runs once instead of many times. It may leave

1. a loop, where the loop assigns none of the names that it reads;
2. a function, where the function binds none of them (a class that holds the function as a method is left with it);
3. only to a place at which the names that it needs at once (decorators, defaults, what is wrapped) are bound already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import libcst as cst

from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.scopes import COMPREHENSIONS, Scope, scope_of


class Home(NamedTuple):
    """A place for statements: before `statement`, or behind it. `scope` is whose names they will be among."""

    statement: cst.CSTNode
    scope: Scope
    behind: bool = False


class Reach(NamedTuple):
    """How far out code can go: its outermost home, and what kept it from going on (None: it went all the way).

    `names` are those that `barrier`, a loop, a function or a class, binds.
    """

    home: Home | None
    barrier: cst.CSTNode | None = None
    names: frozenset[str] = frozenset()


def find_home(module: Module, node: cst.CSTNode, reads: set[str], needs: set[str]) -> Reach:
    """The outermost home of the code at `node` that reads these names, and needs some of them at once."""
    home: Home | None = None
    left_method = False
    inner = node
    for outer in module.ancestors(node):
        if isinstance(outer, cst.ClassDef) and inner is outer.body:
            kept = reads & {"__class__", "super"} or (set() if left_method else reads & module.names_bound_in(outer))
            if kept:
                return Reach(home, outer, frozenset(kept))
            if left_method:
                home = _beside(module, outer, needs) or home
        elif runs_again(outer, inner):
            kept = reads & module.names_bound_in(outer)
            if kept:
                return Reach(home, outer, frozenset(kept))
            left_method = isinstance(outer, cst.FunctionDef) and isinstance(scope_of(module, outer), cst.ClassDef)
            if not left_method:
                home = _beside(module, module.statement(outer), needs) or home
        inner = outer
    return Reach(home)


def runs_again(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    """Is `inner` a part of `outer` that is run more often than `outer` itself?"""
    if isinstance(outer, cst.For):
        return inner is outer.body
    if isinstance(outer, cst.While):
        return inner is outer.body or inner is outer.test
    if isinstance(outer, Function):
        return inner is outer.body
    return isinstance(outer, COMPREHENSIONS)


def is_run_again(module: Module, node: cst.CSTNode) -> bool:
    """Is it run more often than what is around it all?"""
    inner = node
    for outer in module.ancestors(node):
        if runs_again(outer, inner):
            return True
        inner = outer
    return False


def needed_at_once(node: cst.CSTNode) -> set[str]:
    """The names that are looked up when a definition or an expression is run, not when what it defines is called."""
    if isinstance(node, cst.Name):
        return {node.value}
    if isinstance(node, cst.FunctionDef):
        parts: Iterable[cst.CSTNode] = (*node.decorators, node.params, *((node.returns,) if node.returns else ()))
        return set().union(*(needed_at_once(part) for part in parts))
    if isinstance(node, cst.Param):
        parts = [part for part in (node.annotation, node.default) if part is not None]
    elif isinstance(node, cst.Lambda):
        parts = [node.params]
    elif isinstance(node, cst.Attribute | cst.Arg):
        parts = [node.value]
    else:
        parts = node.children
    return set().union(*(needed_at_once(part) for part in parts))


def is_private_to_class(node: cst.CSTNode) -> bool:
    """Does the code have names such as ``__x``, which mean another thing outside their class?"""
    names = (part.value for part in walk(node) if isinstance(part, cst.Name))
    return any(name.startswith("__") and not name.endswith("__") for name in names)


def _beside(module: Module, statement: cst.CSTNode, needs: set[str]) -> Home | None:
    """Before `statement`, or behind what binds a name that is needed at once, if nothing in between runs the code."""
    scope = scope_of(module, statement)
    if not isinstance(statement, cst.BaseStatement) or isinstance(scope, cst.ClassDef):
        return None
    late = [later for later in _later(module, statement, scope) if needs & _bound_by(module, later)]
    if not late:
        return Home(statement, scope)
    if scope is not module.tree or module.parent(statement) is not scope:
        return None
    body = list(module.tree.body)
    between = body[body.index(statement) + 1 : body.index(late[-1]) + 1]  # type: ignore[arg-type]  # both are in it
    own = {name for node in body for name in _defined(node)}
    return Home(late[-1], scope, behind=True) if all(_runs_nothing(part, own) for part in between) else None


def _later(module: Module, statement: cst.CSTNode, scope: Scope) -> Iterator[cst.CSTNode]:
    """The statements that come after this one, in its block and in those around it, up to the scope."""
    inner = statement
    for outer in module.ancestors(statement):
        if isinstance(outer, cst.IndentedBlock | cst.Module):
            body = list(outer.body)
            yield from body[body.index(inner) + 1 :]  # type: ignore[arg-type]  # it is in it
        if outer is scope:
            return
        inner = outer


def _bound_by(module: Module, statement: cst.CSTNode) -> set[str]:
    return _defined(statement) or module.names_bound_in(statement)


def _defined(statement: cst.CSTNode) -> set[str]:
    return {statement.name.value} if isinstance(statement, cst.FunctionDef | cst.ClassDef) else set()


def _runs_nothing(statement: cst.CSTNode, own: set[str]) -> bool:
    """Can running this statement not call a function that the file itself defines?"""
    if isinstance(statement, cst.FunctionDef):
        parts: Iterable[cst.CSTNode] = (*statement.decorators, statement.params)
    elif isinstance(statement, cst.ClassDef | cst.SimpleStatementLine):
        parts = [statement]
    else:
        return False
    calls = (node for part in parts for node in walk(part) if isinstance(node, cst.Call))
    return not any(own & needed_at_once(call.func) for call in calls)
