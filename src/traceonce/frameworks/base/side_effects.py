"""State that a traced body changes: the change happens while it is traced, and in no later call.

Found in the source: a place outside of the function whose new value depends on the old one (``self.scale *= 0.9``,
``seen = seen + 1`` with `global`, ``history.append(…)``). Assigning it anew would give the same again, and filling a
cache or making something on the first call is meant to happen once: such changes are left out. What really changed is
for the watcher to compare, before and after a trace.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any

from traceonce.facts import Cause, CauseCode
from traceonce.frameworks.base.chains import Chain

# Of a list, a deque or a dict: called again, they change it again.
GROWING = frozenset({"append", "appendleft", "extend", "insert", "pop", "popleft", "remove"})
# Who counts traces, and calls it so, knows that the body runs once for each.
_COUNTS_TRACES = re.compile(r"trac|compil|jit", re.IGNORECASE)


def updated_chains(code: types.CodeType) -> tuple[Chain, ...]:
    """The places outside of a function that its body changes, depending on what was there; none without its source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TypeError, ValueError):  # a lambda in the middle of a statement, say
        return ()
    function = tree.body[0] if tree.body else None
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return ()
    scope = _Scope(code, function)
    found = {
        chain: None
        for statement in _statements(function)
        for target in _updated_by(statement)
        if (chain := scope.chain(target)) is not None and not _COUNTS_TRACES.search(chain.named())
    }
    return tuple(found)


def describe_state(value: Any) -> str | None:
    """What a change of the value changes, as text; None for what is no plain state."""
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return repr(value)[:200]
    if isinstance(value, (list, dict, set, frozenset, tuple)) or type(value).__name__ == "deque":
        return f"{len(value)} item{'s' * (len(value) != 1)}"
    return None


def changed_state(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Cause]:
    """What a trace has changed of the state that its body changes."""
    for path, was in before.items():
        now = after.get(path, was)
        if now != was:
            yield Cause(CauseCode.SIDE_EFFECT, path, was, now)


class _Scope:
    """Which names of a function lead out of it."""

    def __init__(self, code: types.CodeType, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._arguments = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self._closures = set(code.co_freevars)
        declared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        inner = {argument.arg for node in ast.walk(function) if isinstance(node, ast.arg) for argument in [node]}
        self._locals = ({*code.co_varnames, *code.co_cellvars} | inner) - self._arguments - declared
        self._rebound = _names_stored(function) & self._arguments
        self._declared = declared

    def chain(self, target: ast.expr) -> Chain | None:
        steps: list[tuple[str, Any]] = []
        node = target
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node, ast.Attribute):
                steps.append(("attribute", node.attr))
            elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, (str, int)):
                steps.append(("item", node.slice.value))
            else:
                steps.clear()  # some element: what holds it has changed
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        scope = self._scope_of(node.id, bool(steps) or node is not target)
        return None if scope is None else Chain(scope, node.id, tuple(reversed(steps)))

    def _scope_of(self, name: str, leads_on: bool) -> str | None:
        if name in self._closures:
            return "closure"
        if name in self._arguments:
            return "argument" if leads_on and name not in self._rebound else None
        return None if name in self._locals else "global"


def _names_stored(function: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.stmt]:
    """All statements but those that are to run on the first call only."""
    written = {
        ast.unparse(target)
        for node in ast.walk(function)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    waiting: list[ast.stmt] = list(function.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.If) and _is_once(statement.test, written):
            waiting += statement.orelse
            continue
        yield statement
        for block in ("body", "orelse", "finalbody"):
            waiting += getattr(statement, block, [])
        for handler in getattr(statement, "handlers", []):
            waiting += handler.body


def _is_once(test: ast.expr, written: set[str]) -> bool:
    """Does it ask whether something has been made yet: ``self.w is None``, ``key not in cache``, ``not self.built``?"""
    for node in ast.walk(test):
        if isinstance(node, (ast.Is, ast.In, ast.NotIn)):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr":
            return True
        if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in written:
            return True
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Attribute)


def _updated_by(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, ast.AugAssign):
        yield statement.target
    elif isinstance(statement, ast.Assign):
        read = {ast.unparse(node) for node in ast.walk(statement.value) if isinstance(node, ast.expr)}
        yield from (target for target in statement.targets if ast.unparse(target) in read)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        if isinstance(called, ast.Attribute) and called.attr in GROWING:
            yield called.value
