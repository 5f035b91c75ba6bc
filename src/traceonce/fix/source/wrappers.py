"""What in a file stands for the wrapper of a framework: under any name, with or without options."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import libcst as cst

from traceonce.fix.source.binders import binders_seen, imported_as
from traceonce.fix.source.framework_names import all_sources
from traceonce.fix.source.module import Module
from traceonce.fix.source.scopes import is_label
from traceonce.frameworks.base.descriptor import Source

_PARTIAL = frozenset({"functools.partial"})


class Wrapper(NamedTuple):
    """An expression that wraps functions. *free*: the wrapper itself, options can still be given in a call.

    *bound*: what a wrapper makes of options alone; only a function can be given to it. `calls` are those in
    which options stand, the last one the outermost; `direct` says that they are part of the expression itself.
    """

    source: Source
    kind: Literal["free", "bound"]
    calls: tuple[cst.Call, ...] = ()
    direct: bool = True


def resolve_wrapper(module: Module, expression: cst.CSTNode, depth: int = 0) -> Wrapper | None:
    """What the expression wraps with, or None where it is not known to be a wrapper."""
    if depth > 8:  # names that are assigned from each other
        return None
    if isinstance(expression, cst.Name | cst.Attribute):
        named = _wrapper_named(meaning(module, expression))
        if named is not None:
            return Wrapper(named, "free")
        value = assigned_value(module, expression)
        found = resolve_wrapper(module, value, depth + 1) if value is not None else None
        return found._replace(direct=False) if found is not None else None
    if isinstance(expression, cst.Call):
        if is_partial(module, expression.func):
            found = resolve_wrapper(module, expression.args[0].value, depth + 1) if expression.args else None
            return found._replace(calls=(*found.calls, expression), direct=True) if found else None
        found = resolve_wrapper(module, expression.func, depth + 1)
        if found is not None and found.kind == "free" and wrapped_argument(expression) is None:
            return Wrapper(found.source, "bound", (*found.calls, expression))
    return None


@cache
def _transforms() -> frozenset[str]:
    """What makes one function of another, by dotted name."""
    return _PARTIAL.union(*(source.transforms for source in all_sources()))


@cache
def _given_as() -> frozenset[str]:
    return frozenset(source.given_as for source in all_sources() if source.given_as)


def _wrapper_named(names: set[str]) -> Source | None:
    return next((source for source in all_sources() if names & source.wraps), None)


def wrapped_argument(call: cst.Call) -> cst.Arg | None:
    """The function that is given in ``wrapper(f, …)``."""
    for position, argument in enumerate(call.args):
        given = argument.keyword.value if argument.keyword is not None else None
        if given in _given_as() or (position == 0 and given is None and not argument.star):
            return None if isinstance(argument.value, cst.Name) and argument.value.value == "None" else argument
    return None


def is_partial(module: Module, expression: cst.CSTNode) -> bool:
    return bool(meaning(module, expression) & _PARTIAL)


def innermost_given(module: Module, expression: cst.BaseExpression) -> cst.BaseExpression:
    """The function in ``partial(f, 1)`` and in ``transform(f)``."""
    while isinstance(expression, cst.Call) and expression.args and not expression.args[0].star:
        if not meaning(module, expression.func) & _transforms():
            break
        expression = expression.args[0].value
    return expression


def meaning(module: Module, expression: cst.CSTNode) -> set[str]:
    """The dotted names that a name or attribute may stand for, as imported: ``{'package.function'}``."""
    if isinstance(expression, cst.Attribute):
        return {f"{owner}.{expression.attr.value}" for owner in meaning(module, expression.value)}
    if not isinstance(expression, cst.Name):
        return set()
    return imported_as(binders_seen(module, expression.value, expression), expression.value)


def assigned_value(module: Module, expression: cst.CSTNode) -> cst.BaseExpression | None:
    """What the name was assigned, where that happens at one place only."""
    if not isinstance(expression, cst.Name):
        return None
    found = binders_seen(module, expression.value, expression)
    if len(found) != 1 or not isinstance(found[0], cst.AssignTarget) or not isinstance(found[0].target, cst.Name):
        return None
    statement = module.parent(found[0])
    return statement.value if isinstance(statement, cst.Assign) else None


def readers(module: Module, expression: cst.Name) -> list[cst.Name]:
    """Every place that reads the same variable as this name."""
    bound = binders_seen(module, expression.value, expression)
    return [
        node
        for node in module.nodes(cst.Name)
        if node.value == expression.value and _is_read(module, node) and binders_seen(module, node.value, node) == bound
    ]


def _is_read(module: Module, node: cst.Name) -> bool:
    binding = cst.AssignTarget | cst.Param | cst.FunctionDef | cst.ClassDef | cst.AsName
    return not is_label(module, node) and not isinstance(module.parent(node), binding)
