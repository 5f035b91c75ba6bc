"""Statements put into a block, and taken out of one, with blank lines as a person would leave them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import libcst as cst

from traceonce.fix.scopes import Home
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module

_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)


def place(edits: Edits, module: Module, home: Home, new: Sequence[cst.BaseStatement]) -> None:
    """Put new statements at their home."""
    statement: Any = home.statement
    before, after = _neighbours(module, statement)
    previous, following = (statement, after) if home.behind else (before, statement)
    gap = 2 if isinstance(module.parent(statement), cst.Module) else 1
    simple = not home.behind and not any(isinstance(node, _DEFINITIONS) for node in (following, *new))
    taken = _blank_lines(statement) if simple else 0  # the new ones stand where the old one stood
    first = max(taken, _gap(previous, new[0], gap)) if simple else _gap(previous, new[0], gap, otherwise=1)
    placed = [_spaced(new[0], first)]
    for one, other in itertools.pairwise(new):
        placed.append(_spaced(other, _gap(one, other, gap)))
    if following is not None:
        wanted = _gap(new[-1], following, gap)
        edits.amend(module, following, lambda node: _at_least(_fewer(node, taken), wanted))
    (edits.insert_after if home.behind else edits.insert_before)(module, statement, *placed)


def take_out(edits: Edits, module: Module, statement: cst.CSTNode) -> None:
    """Remove a statement; a block does not start with the blank line that stood behind it."""
    edits.remove(module, statement)
    before, after = _neighbours(module, statement)
    if before is None and after is not None:
        edits.amend(module, after, lambda node: _spaced(node, 0))


def indented(statements: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """The same statements as a block of their own."""
    found = [_spaced(statements[0], 1 if isinstance(statements[0], _DEFINITIONS) else 0)]
    for one, other in itertools.pairwise(statements):
        found.append(_spaced(other, _gap(one, other, 1)))
    return found


def with_own_comment(statement: Any) -> Any:
    """A statement that moves, with the comment right above it; what stands further above stays where it is."""
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
