"""One file of the user's, parsed, with the positions of everything in it."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import TypeAlias, TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider

from traceonce.facts.replay import Span
from traceonce.fix.candidate import Declined
from traceonce.fix.source import names
from traceonce.words.notes.declined import (
    CANNOT_BE_PARSED,
    CANNOT_BE_PARSED_AT,
    CANNOT_BE_WRITTEN_BACK,
    ENCODING_CANNOT_HOLD,
    NOT_IN_ITS_ENCODING,
)

Function: TypeAlias = cst.FunctionDef | cst.Lambda
Kind = TypeVar("Kind", bound=cst.CSTNode)
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Module:
    """A file as it was when the program ran. Nothing here changes it; `Edits` does."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.encoding, text = _decode(file, source)
        try:
            parsed = cst.parse_module(text)
        except (cst.ParserSyntaxError, RecursionError) as error:
            if isinstance(error, cst.ParserSyntaxError):
                raise Declined(CANNOT_BE_PARSED_AT(file=file, line=error.raw_line)) from None
            raise Declined(CANNOT_BE_PARSED(file=file)) from None
        if parsed.code != text:
            raise Declined(CANNOT_BE_WRITTEN_BACK(file=file))
        wrapper = MetadataWrapper(parsed)
        self.tree: cst.Module = wrapper.module
        self._positions = wrapper.resolve(PositionProvider)
        self._parents = wrapper.resolve(ParentNodeProvider)
        self._lines = _NEWLINE.split(text)
        self._by_place: dict[tuple[int, int, int, int], list[cst.CSTNode]] = {}
        self._by_kind: dict[type, list[cst.CSTNode]] = {}
        for node, place in sorted(self._positions.items(), key=lambda item: _key(item[1])):
            self._by_place.setdefault(_key(place), []).append(node)
            self._by_kind.setdefault(type(node), []).append(node)

    def encode(self, text: str) -> bytes:
        """`text` in the encoding of this file."""
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError:
            raise Declined(ENCODING_CANNOT_HOLD(file=self.file, encoding=self.encoding)) from None

    def at(self, span: Span, *kinds: type[cst.CSTNode]) -> cst.CSTNode | None:
        """The node that stands exactly there (of one of these kinds; without any, an expression)."""
        start = (span.line, self._column(span.line, span.column))
        end = (span.end_line, self._column(span.end_line, span.end_column))
        wanted = kinds or (cst.BaseExpression,)
        for node in self._by_place.get((*start, *end), ()):
            if isinstance(node, wanted):
                return node
        return self._method_call(start, end) if cst.Call in wanted or not kinds else None

    def _method_call(self, start: tuple[int, int], end: tuple[int, int]) -> cst.Call | None:
        """Python places the call of a method that stands on a later line than its object at the method's name."""
        for call in self.nodes(cst.Call):
            if isinstance(call.func, cst.Attribute):
                name, whole = self.place(call.func.attr).start, self.place(call).end
                if (name.line, name.column) == start and (whole.line, whole.column) == end:
                    return call
        return None

    def function_at(self, line: int, name: str) -> Function | None:
        """The function that starts on `line` (that of its first decorator, as Python counts), if there is just one."""
        if name == "<lambda>":
            lambdas = [node for node in self.nodes(cst.Lambda) if self.line(node) == line]
            return lambdas[0] if len(lambdas) == 1 else None
        for node in self.nodes(cst.FunctionDef):
            first = node.decorators[0].decorator if node.decorators else node
            if node.name.value == name and self.line(first) == line:
                return node
        return None

    def nodes(self, kind: type[Kind]) -> list[Kind]:
        """All nodes of this very kind, in the order of the file."""
        return self._by_kind.get(kind, [])  # type: ignore[return-value]  # filed by their type

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self._parents.get(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What holds the node, from its parent outwards."""
        outer = self.parent(node)
        while outer is not None:
            yield outer
            outer = self.parent(outer)

    def holds(self, outer: cst.CSTNode, node: cst.CSTNode) -> bool:
        """Is `node` the same as `outer`, or somewhere in it?"""
        return node is outer or any(ancestor is outer for ancestor in self.ancestors(node))

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement of a body that holds the node; where the body stands on the line of its owner, that body."""
        while (outer := self.parent(node)) is not None:
            if isinstance(outer, cst.IndentedBlock | cst.Module) or isinstance(node, cst.SimpleStatementSuite):
                return node
            node = outer
        return node

    def code(self, node: cst.CSTNode) -> str:
        """The text of the node, as written."""
        return self.tree.code_for_node(node)

    def line(self, node: cst.CSTNode) -> int:
        return int(self.place(node).start.line)

    def place(self, node: cst.CSTNode) -> CodeRange:
        return self._positions[node]

    def names_bound_in(self, node: cst.CSTNode) -> set[str]:
        """The names that this scope, loop or statement assigns; of a function its parameters too, not its own name."""
        return names.bound_in(node)

    def free_names(self, node: cst.CSTNode) -> set[str]:
        """The names that the expression or definition reads and does not bind itself."""
        return names.free_in(node)

    def _column(self, line: int, offset: int) -> int:
        if not 1 <= line <= len(self._lines):
            return offset
        return len(self._lines[line - 1].encode()[:offset].decode(errors="ignore"))


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and everything in it."""
    yield node
    for child in node.children:
        yield from walk(child)


def _key(place: CodeRange) -> tuple[int, int, int, int]:
    return (place.start.line, place.start.column, place.end.line, place.end.column)


def _decode(file: str, source: bytes) -> tuple[str, str]:
    """The encoding that Python reads the file with, and its text; newlines stay as they are."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return encoding, source.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        raise Declined(NOT_IN_ITS_ENCODING(file=file)) from None
