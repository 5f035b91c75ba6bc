"""Where a program makes and calls a function, read off its source: what a replay sees when it runs the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from traceonce.facts import FunctionId
from traceonce.facts.replay import Making, Site, Span


def makings_of(source: str, function: FunctionId, file: str) -> tuple[Making, ...]:
    """Where `tf.function` stands on the definition, or is given the function (or a lambda)."""
    return tuple(
        Making(function, file, place.lineno, "?", _span(place)) for place in _makings(ast.parse(source), function)
    )


def sites_of(source: str, function: FunctionId, file: str, called: str | None = None) -> tuple[Site, ...]:
    """The calls of that name."""
    name = called or function.short_name
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and not _is_wrapper(node)]
    return tuple(Site(function, file, call.lineno, _span(call)) for call in calls if _last_name(call.func) == name)


def line_of(source: str, name: str) -> int:
    """The first line of a function, that of its first decorator."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if isinstance(node, ast.Lambda) and name == "<lambda>":
            return node.lineno
    raise LookupError(name)


def _span(node: Any) -> Span:
    return Span(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _last_name(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "<lambda>")))


def _is_wrapper(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Attribute) and called.attr == "function"


def _makings(tree: ast.AST, function: FunctionId) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.short_name:
            yield from (decorator for decorator in node.decorator_list if _is_wrapper(decorator))
        elif isinstance(node, ast.Call) and _is_wrapper(node) and node.args:
            yield from [node] if _last_name(node.args[0]) == function.short_name else []
