"""Cases whose places are marked in the text of a program, as a replay would have seen them."""

from __future__ import annotations

import ast
from typing import Any

from tests.unit.handmade import Events, container, diagnosis, python, tensor
from traceonce.facts import FunctionId, Leaf
from traceonce.facts.replay import Making, Site, Span
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits

FILE = "train.py"


def span_of(source: str, code: str, which: int = 0) -> Span:
    """Where Python sees the expression `code` in the source."""
    found = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.expr)
        and not isinstance(getattr(node, "ctx", None), ast.Store)
        and ast.get_source_segment(source, node) == code
    ]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    node = found[which]
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Span(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def marked_case(
    source: str,
    function: str,
    *,
    made: str | None = None,
    called: tuple[str, ...] = (),
    parameters: tuple[str, ...] = ("x", "k"),
    spans: bool = True,
    direct: bool = True,
    parts: tuple[Any, ...] = (),
) -> Case:
    """`made` and `called` are the expressions by which the function is made and called."""
    identity = FunctionId(function, FILE, _first_line(source, function.rpartition(".")[2]))
    leaves: list[Leaf] = [tensor("x", 2), *(python(name, 1) for name in parameters if name != "x")]
    event = Events(identity)(*leaves, container("", "parameters", *parameters), *parts)
    places = [span_of(source, made)] if made else []
    calls = [span_of(source, code) for code in called]
    return Case(
        diagnosis(function=identity),
        (event,),
        tuple(Making(identity, FILE, span.line, "<module>", span if spans else None) for span in places),
        tuple(Site(identity, FILE, span.line, span if spans else None, direct=direct) for span in calls),
    )


def _first_line(source: str, name: str) -> int:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return min([node.lineno, *(each.lineno for each in node.decorator_list)])
        if isinstance(node, ast.Lambda) and name == "<lambda>":
            return node.lineno
    return 1


def edits_of(source: str) -> Edits:
    return Edits({FILE: source.encode()})


def result_of(edits: Edits) -> str:
    return edits.results()[FILE].decode()
