"""State that a traced body changes: the change happens while it is traced, and in no later call.

Found in the source: a place outside of the function whose new value depends on the old one (``self.scale *= 0.9``,
``seen = seen + 1`` with `global`, ``history.append(…)``, ``counts[k] += 1`` in a NumPy array). What the body empties it
fills again, and filling a cache or making something on the first call is meant to happen once: such changes are left
out. Assigning it anew would give the same again (``FLAG = True``, ``setattr``, ``seen.add(…)``): wrong only where the
program puts it back (`assigned_state`). Drawing a random number, or the next item of an iterator, is such a change, too
(`drawn_from`). What really changed is for the watcher to compare, before and after a trace.
"""

from __future__ import annotations

import ast
import collections
import hashlib
import inspect
import re
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from traceonce.facts import Cause, CauseCode
from traceonce.frameworks.base.assigned_state import entries_of, is_array
from traceonce.frameworks.base.chains import Chain
from traceonce.frameworks.base.drawn_from import RANDOM, describe_source, load_numpys

# Of a list, a deque or a dict: called again, they change it again.
GROWING = frozenset({"append", "appendleft", "extend", "insert", "pop", "popleft", "remove"})
# Of a set or a dict: called again with the same, they change nothing.
SETTING = frozenset({"add", "update", "fill"})
# Who counts traces, and calls it so, knows that the body runs once for each.
_COUNTS_TRACES = re.compile(r"trac(?:e|ing)|compil|jit(?!ter)", re.IGNORECASE)
_MISSING = frozenset({"AttributeError", "KeyError", "LookupError", "IndexError", "NameError"})
_BLOCKS = (ast.stmt, ast.ExceptHandler)  # statements of their own
_LONGEST = 200  # of a text that is shown whole
_SETATTR = ("setattr", "object.__setattr__")
_SHORT = 16  # numbers of an array that is shown whole


class Updated(NamedTuple):
    """A place outside of a function that its body changes; or, where it is `drawn`, something that it draws from.

    `assigned`: a second run would set it to the same; `filled`: a part of it, by an index or a key.
    """

    chain: Chain
    drawn: bool = False
    assigned: bool = False
    filled: bool = False


class State(NamedTuple):
    """What stands at such a place, as text; of what is drawn from, what `kind` of thing it is.

    `entries` are the parts of what is only assigned.
    """

    text: str
    kind: str | None = None
    entries: frozenset[str] | None = None


def find_updated(code: types.CodeType) -> tuple[Updated, ...]:
    """The places outside of a function that its body changes, depending on what was there; none without its source."""
    try:
        found = _find(code, ast.parse(textwrap.dedent(inspect.getsource(code))))
    except Exception:  # no source, a lambda in the middle of a statement, code that is nested too deeply
        return ()
    if any(updated.drawn and updated.chain.steps[-1:] == (("attribute", "random"),) for updated in found):
        load_numpys()
    return found


def _find(code: types.CodeType, tree: ast.Module) -> tuple[Updated, ...]:
    function = tree.body[0] if tree.body else None
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return ()
    function = _Attributes().visit(function)
    scope, statements = _Scope(code, function), list(_statements(function))
    anew = {text for statement in statements for text in _made_anew(statement)}
    targets = [(target, False, False) for statement in statements for target in _updated_by(statement)]
    targets += [(source, True, False) for statement in statements for source in _drawn_by(statement)]
    targets = [target for target in targets if ast.unparse(target[0]) not in anew]
    targets += [(target, False, True) for statement in statements for target in _assigned_by(statement)]
    found = {
        Updated(chain, drawn, assigned, assigned and _is_filled(target)): None
        for target, drawn, assigned in targets
        if (chain := scope.chain(target, drawn)) is not None and not _COUNTS_TRACES.search(chain.named())
    }
    return tuple(found)


def describe_updated(value: Any, updated: Updated) -> State | None:
    """What stands at a place now, as far as it tells of a change."""
    if updated.drawn:
        source = describe_source(value)
        return State(source[1], source[0]) if source is not None else None
    text = describe_state(value)
    if text is None or (updated.filled and isinstance(value, dict)):  # by key: so caches are filled
        return None
    return State(text, entries=entries_of(value) if updated.assigned else None)


def describe_state(value: Any) -> str | None:
    """What a change of the value changes, as text; None for what is no plain state."""
    try:
        if type(value) in (str, bytes) and len(value) > _LONGEST:
            return f"{len(value)} characters"
        if value is None or type(value) in (bool, int, float, complex, str, bytes):
            return repr(value)[:_LONGEST]
        if is_array(value):
            return str(value.tolist()) if value.size <= _SHORT else f"{value.dtype}{list(value.shape)} {_digest(value)}"
        if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            return repr(value.item())[:_LONGEST]
        if isinstance(value, (list, dict, set, frozenset, tuple, collections.deque)):
            return f"{len(value)} item{'s' * (len(value) != 1)}"
    except Exception:  # an int of too many digits, or a class of the user's that has no length
        return None
    return None


def changed_state(before: Mapping[str, State], after: Mapping[str, State]) -> Iterator[Cause]:
    """What a trace has changed of the state that its body changes."""
    for path, was in before.items():
        now = after.get(path, was)
        if now == was or was.entries is not None:
            continue
        told = (was.text, now.text) if was.kind != RANDOM else ("", "")
        yield Cause(CauseCode.SIDE_EFFECT, path, *told, type_name=was.kind)


def _digest(array: Any) -> str:
    return hashlib.blake2b(array.tobytes(), digest_size=6).hexdigest()


class _Attributes(ast.NodeTransformer):
    """`setattr` and `getattr` with a name that is written there, as the attributes that they stand for."""

    def visit_Call(self, node: ast.Call) -> ast.AST:  # `ast` looks for this name
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and _names_attribute(node):
            return ast.Attribute(node.args[0], node.args[1].value, ast.Load())  # type: ignore[attr-defined]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) in _SETATTR and _names_attribute(call):
            target = ast.Attribute(call.args[0], call.args[1].value, ast.Store())  # type: ignore[attr-defined]
            return ast.copy_location(ast.Assign([target], call.args[2]), node)
        return node


def _names_attribute(call: ast.Call) -> bool:
    named = call.args[1] if len(call.args) >= 2 else None
    return isinstance(named, ast.Constant) and isinstance(named.value, str)


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

    def chain(self, target: ast.expr, drawn: bool = False) -> Chain | None:
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
        scope = self._scope_of(node.id, drawn or bool(steps) or node is not target)
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
    """All statements but those that are to run on the first call only, and those of functions inside."""
    written = {
        ast.unparse(target)
        for node in ast.walk(function)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    waiting: list[list[ast.stmt]] = [function.body]
    while waiting:
        for statement in waiting.pop():
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if isinstance(statement, ast.If) and _is_once(statement.test, written):
                waiting.append(statement.orelse)
                if isinstance(statement.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                    break  # what follows runs on the first call only
                continue
            yield statement
            waiting += [getattr(statement, block, []) for block in ("body", "orelse", "finalbody")]
            waiting += [handler.body for handler in getattr(statement, "handlers", []) if not _is_missing(handler)]


def _is_missing(handler: ast.ExceptHandler) -> bool:
    """Does it run where something is not there yet?"""
    caught = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else set()
    return bool(caught & _MISSING)


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
        yield from (target for target in statement.targets if _is_read(target, statement.value))
    for place, method in _changed_by_call(statement):
        if method in GROWING or (method in SETTING and _is_given(place, statement)):
            yield place


def _assigned_by(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement sets to something that does not depend on what was there."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            if not _is_read(target, statement.value):
                yield target
    for place, method in _changed_by_call(statement):
        if method in SETTING and not _is_given(place, statement):
            yield place


def _changed_by_call(statement: ast.stmt) -> Iterator[tuple[ast.expr, str]]:
    """What a method is called on, for its effect; and the arrays that NumPy is told to write to, as ``out=total``."""
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) or statement.value is None:
        return
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        if isinstance(called, ast.Attribute):
            yield called.value, called.attr
    for node in ast.walk(statement.value):
        if isinstance(node, ast.Call):
            yield from ((keyword.value, "fill") for keyword in node.keywords if keyword.arg == "out")


def _is_given(place: ast.expr, statement: ast.stmt) -> bool:
    """Does an argument of a call depend on what stands at this place?"""
    text = ast.unparse(place)
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    given: list[ast.expr] = [argument for call in calls for argument in call.args]
    given += [keyword.value for call in calls for keyword in call.keywords if keyword.arg != "out"]
    parts = (node for argument in given for node in ast.walk(argument))
    return any(isinstance(node, ast.expr) and ast.unparse(node) == text for node in parts)


def _is_filled(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant)


def _drawn_by(statement: ast.stmt) -> Iterator[ast.expr]:
    """What `next` is called on, and whatever a method is called on: it may be a random generator.

    A seed that is drawn makes the operations that use it no constants.
    """
    waiting: list[ast.AST] = [node for node in ast.iter_child_nodes(statement) if not isinstance(node, _BLOCKS)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
            yield node.args[0]
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, _BLOCKS) and not (isinstance(child, ast.keyword) and child.arg == "seed")
        ]


def _is_read(target: ast.expr, value: ast.expr) -> bool:
    text = ast.unparse(target)
    return any(type(node) is type(target) and ast.unparse(node) == text for node in ast.walk(value))


def _made_anew(statement: ast.stmt) -> Iterator[str]:
    """What a statement empties, or assigns without reading it; and what it fills by key, as a cache is filled."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            if not _is_read(target, statement.value):
                yield ast.unparse(target)
                if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant):
                    yield ast.unparse(target.value)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        if isinstance(called, ast.Attribute) and called.attr in ("clear", "setdefault", "seed"):
            yield ast.unparse(called.value)
