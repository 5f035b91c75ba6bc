"""Statements put into a block, and taken out of one, with blank lines as a person would leave them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.hoisting.homes import Home
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module

_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)


class New(NamedTuple):
    """A statement to be placed: what it looks like now, and what it is once all changes inside it are made."""

    like: Any
    get: Callable[[], Any]


def written(statements: Iterable[cst.BaseStatement]) -> list[New]:
    """Statements of our own."""
    return [New(statement, partial(_same, statement)) for statement in statements]


def _same(statement: cst.BaseStatement) -> cst.BaseStatement:
    return statement


def place(edits: Edits, module: Module, home: Home, new: Sequence[New]) -> None:
    """Put new statements at their home."""
    statement: Any = home.statement
    before, after = _neighbours(module, statement)
    previous, following = (statement, after) if home.behind else (before, statement)
    likes = [each.like for each in new]
    gap = 2 if isinstance(module.parent(statement), cst.Module) else 1
    simple = not home.behind and not any(isinstance(node, _DEFINITIONS) for node in (following, *likes))
    taken = _blank_lines(statement) if simple else 0  # the new ones stand where the old one stood
    first = max(taken, _gap(previous, likes[0], gap)) if simple else _gap(previous, likes[0], gap, otherwise=1)
    gaps = [first, *(_gap(one, other, gap) for one, other in itertools.pairwise(likes))]
    if following is not None:
        wanted = _gap(likes[-1], following, gap)
        edits.amend(module, following, lambda node: _at_least(_fewer(node, taken), wanted))
    insert = edits.insert_after if home.behind else edits.insert_before
    insert(module, statement, *(partial(_get_spaced, each, blank) for each, blank in zip(new, gaps, strict=True)))


def _get_spaced(new: New, blank: int) -> cst.BaseStatement:
    statement: cst.BaseStatement = _spaced(new.get(), blank)
    return statement


def take_out(edits: Edits, module: Module, statement: cst.CSTNode, *, for_good: bool = True) -> New:
    """Remove a statement, to be placed elsewhere with the comment right above it.

    A block does not start with the blank line that stood behind it, unless something else comes there.
    """
    seen: list[Any] = []

    def look(node: Any) -> Any:
        seen.append(node)
        return node

    edits.amend(module, statement, look)
    edits.remove(module, statement)
    before, after = _neighbours(module, statement)
    if for_good and before is None and after is not None:
        edits.amend(module, after, lambda node: _spaced(node, 0))
    return New(statement, lambda: _with_own_comment(seen[-1]))


def cut_out(
    edits: Edits, module: Module, node: cst.CSTNode, instead: cst.BaseExpression
) -> Callable[[], cst.BaseExpression]:
    """Put something else in the place of an expression, and give the expression itself once it is changed."""
    seen: list[cst.BaseExpression] = []

    def exchange(expression: cst.BaseExpression) -> cst.BaseExpression:
        seen.append(expression)
        return instead

    edits.replace(module, node, exchange)
    return lambda: seen[-1]


def indented(statements: Sequence[New]) -> list[cst.BaseStatement]:
    """The same statements as a block of their own."""
    likes = [each.like for each in statements]
    gaps = [1 if isinstance(likes[0], _DEFINITIONS) else 0]
    gaps += [_gap(one, other, 1) for one, other in itertools.pairwise(likes)]
    return [_get_spaced(each, blank) for each, blank in zip(statements, gaps, strict=True)]


def _with_own_comment(statement: Any) -> Any:
    lines = _lines(statement)
    attached = next((n for n, line in enumerate(reversed(lines)) if line.comment is None), len(lines))
    return statement.with_changes(leading_lines=lines[len(lines) - attached :])


def _neighbours(module: Module, statement: cst.CSTNode) -> tuple[Any, Any]:
    block = module.parent(statement)
    body: list[cst.CSTNode] = list(block.body) if isinstance(block, cst.IndentedBlock | cst.Module) else [statement]
    index = body.index(statement)
    return (body[index - 1] if index else None), (body[index + 1] if index + 1 < len(body) else None)


def _gap(one: Any, other: Any, gap: int, otherwise: int = 0) -> int:
    if one is None:
        return 0
    return gap if isinstance(one, _DEFINITIONS) or isinstance(other, _DEFINITIONS) else otherwise


def _lines(node: Any) -> list[cst.EmptyLine]:
    return list(getattr(node, "leading_lines", ()))


def _blank_lines(node: Any) -> int:
    lines = _lines(node)
    return next((number for number, line in enumerate(lines) if line.comment is not None), len(lines))


def _spaced(node: Any, blank: int) -> Any:
    """The node with so many blank lines before it and its comments."""
    return node.with_changes(
        leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *_lines(node)[_blank_lines(node) :]]
    )


def _at_least(node: Any, blank: int) -> Any:
    return _spaced(node, blank) if isinstance(node, cst.CSTNode) and _blank_lines(node) < blank else node


def _fewer(node: Any, blank: int) -> Any:
    return _spaced(node, _blank_lines(node) - blank) if blank and isinstance(node, cst.CSTNode) else node
