"""Cut a text into messages: a traceback with its error, an entry of a log, a block of our report, a paragraph.

1.  A line that is indented goes on with the message before it.
2.  Another line begins a new message if it has the prefix of an entry of a log, if it begins a traceback, if it is an
    error (unless the traceback above it still waits for one), or if it is a title: the first line that we say about a
    function in a report, a log or a test (the title of a function that can be ignored is indented). So does a
    heading of pytest's, and what a framework says of a recompilation.
3.  An empty line ends a message, but for an error's: frameworks put several paragraphs into one error. Nor does it
    end what a framework says of a recompilation, as long as lines are indented.
4.  Where the lines inside a traceback have prefixes, too, prefixes do not part messages there.
5.  What gets too long is cut into pieces that overlap.
6.  A framework may say of each recompilation which guard failed, for every graph that it had compiled so far, the
    newest first. The first is why; the guards of older graphs, which the one before had failed as well, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import re2

from traceonce.facts.error_text import main_line
from traceonce.knowledge.language import is_chinese
from traceonce.knowledge.match.plain_lines import OVERLAP, Line

LONGEST = 32_768  # characters of a message
AFTER_ERROR = 40  # lines that are not indented and may follow an error's first one
NARROWEST, WIDEST = 40, 300  # columns: beyond these, lines of one length are no sign of wrapping

_ERRORS = ("Error", "Exception", "Warning", "Interrupt", "Reached")  # how the names of errors end
_CHINESE_ERRORS = ("错误", "异常", "警告")
_LONGEST_NAME = 120
_TRACEBACK = "Traceback (most recent call last)"
_NAME = r"^(?:\S.*?[\s:'])??([^\s:']+(?: \[\w+\])?)"  # what stands before it may be a prefix that is not known
_TITLE = re2.compile(
    rf"{_NAME}(?:  (?:retraced [0-9]|(?:re)?compiled [0-9]|fell back to |(?:trac|compil)ing raised "
    r"|(?:silently|possibly) wrong: )"
    r"| re(?:traced|compiled), the [0-9]+(?:st|nd|rd|th) time: "
    r"|(?: \([^()]*\))? was traced [0-9,]+ times?(?: after .{1,60})?, max_traces allows )"
)
_TITLE_WORDS = ("traced ", "compiled ", "fell back to ", "ing raised ", " wrong: ", "traced, the ", "compiled, the ")
_IGNORABLE = re2.compile(rf"{_NAME}  [0-9,]+ (?:trace|compilation)s?(?: in (?:at least )?[0-9,]+ calls?)? · ")
_HEADING = re2.compile(r"^(?:={3,} .+ ={3,}|_{3,} .+ _{3,}|-{3,} .+ -{3,})$")  # pytest's
_RECOMPILED = "Recompiling function "
_GUARD = re2.compile(r"^- ([0-9]+/[0-9]+): ")  # the graph that it is of; other lines say where the guard comes from
_AN_ERROR = re2.compile(r"\b[A-Z]\w*(?:Error|Exception):\s")


class Message(NamedTuple):
    """A message on one line. `unwrapped` is the same with words put together again that the end of a line had cut.

    `raw` has the prefixes of its lines, too; `error` is the line that names an error; `line` the number of the first.
    `lines` are the numbers and texts of all.
    `function` is the one that a title of ours is about; `ignorable` says that our report lets one ignore it.
    """

    text: str
    unwrapped: str | None
    raw: str
    error: str | None
    line: int
    function: str | None = None
    ignorable: bool = False
    lines: tuple[tuple[int, str], ...] = ()

    def line_at(self, before: str) -> int:
        """The number of the line with what follows `before`, the beginning of `text` or of `unwrapped`."""
        left = _solid(before)
        for number, text in self.lines:
            left -= _solid(text)
            if left < 0:
                return number
        return self.line

    @property
    def tells_of_an_error(self) -> bool:
        return self.error is not None or _TRACEBACK in self.text or _AN_ERROR.search(self.text) is not None


def cut_messages(lines: Iterable[tuple[int, Line]]) -> Iterator[Message]:
    """The messages of a text, in order."""
    block = _Block(1)
    for number, line in lines:
        if not line.text:
            block.blank()
        elif block.lines and block.goes_on_with(line):
            block.add(number, line)
            if block.size > LONGEST:
                yield block.message()
                block = block.rest(number)
        else:
            if block.lines:
                yield block.message()
            block = _Block(number)
            block.add(number, line)
    if block.lines:
        yield block.message()


def is_error(text: str) -> bool:
    """Does the line begin with the name of an error, and a colon?"""
    name, colon, _ = text[:_LONGEST_NAME].partition(":")
    if not colon and not name.isascii():
        name, colon, _ = name.partition("：")
    if " " in name or not (colon or len(text) < _LONGEST_NAME):
        return False
    return name.endswith(_ERRORS) or (bool(colon) and name.endswith(_CHINESE_ERRORS))


def is_title(text: str) -> bool:
    """Is it the first line about a function in a report, a log or a test of ours?"""
    return any(word in text for word in _TITLE_WORDS) and _TITLE.search(text) is not None


def is_ignorable(text: str) -> bool:
    """Is it the line about a function that our report lets one ignore?"""
    return " · " in text and _IGNORABLE.search(text) is not None


def function_name(text: str) -> str | None:
    """A name as it was captured, without what stuck to it: the mark of a diff, the end of a line written out."""
    return text.rpartition("\\n")[2].lstrip("+").strip() or None


class _Block:
    """The lines of a message so far."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lines: list[Line] = []
        self.numbers: list[int] = []
        self.size = 0
        self._gap = False
        self._traceback = False
        self._error: str | None = None
        self._since_error = 0
        self._every_line_has_a_prefix = False
        self._recompiled = False
        self._guarded: str | None = None
        self._of_older_graphs = False

    def blank(self) -> None:
        self._gap = True

    def goes_on_with(self, line: Line) -> bool:
        if _TRACEBACK in line.text or is_ignorable(line.text):
            return False
        if line.indented:
            return not self._gap or self._traceback or self._recompiled or self._error is not None
        if line.text.startswith(_RECOMPILED):
            return False
        if is_error(line.text):
            return self._traceback and self._error is None
        if line.entry and not self._every_line_has_a_prefix:
            return False
        if line.text[:3] in ("===", "___", "---") and _HEADING.search(line.text):
            return False
        if is_title(line.text) and not self._may_be_cut_before(line):
            return False
        if self._error is not None:
            return self._since_error < AFTER_ERROR
        return self._traceback or not self._gap

    def _may_be_cut_before(self, line: Line) -> bool:
        """May a terminal have cut the name that the line begins with? Then the line before it is no shorter."""
        last = self.lines[-1].raw
        if self._gap or is_title(self.lines[0].text) or not NARROWEST <= len(last) <= WIDEST:
            return False
        return len(last) >= len(line.raw) and (last[-1].isalnum() or last[-1] in "_.<>")

    def add(self, number: int, line: Line) -> None:
        self._gap = False
        if _RECOMPILED in line.text:
            self._recompiled, self._guarded, self._of_older_graphs = True, None, False
        elif self._recompiled and line.indented and self._is_of_an_older_graph(line.text):
            return
        if not self.lines:
            self._traceback = _TRACEBACK in line.text
        elif line.entry and line.indented and (self._traceback or self._error is not None):
            self._every_line_has_a_prefix = True
        if self._error is not None:
            self._since_error += not line.indented
        elif not line.indented and is_error(line.text):
            self._error = line.text
        self.lines.append(line)
        self.numbers.append(number)
        self.size += len(line.raw) + 1

    def _is_of_an_older_graph(self, text: str) -> bool:
        """Is it, in what a framework says of a recompilation, about another graph than the first guard is of?"""
        if not self._of_older_graphs and (found := _GUARD.search(text)):
            self._guarded = self._guarded or found[1]
            self._of_older_graphs = found[1] != self._guarded
        return self._of_older_graphs

    def message(self) -> Message:
        texts = [line.text for line in self.lines]
        ignorable = is_ignorable(texts[0])
        title = _IGNORABLE.search(texts[0]) if ignorable else _TITLE.search(texts[0]) if is_title(texts[0]) else None
        return Message(
            text=collapse(texts),
            unwrapped=_unwrap(self.lines) if len(texts) > 1 else None,
            raw=" ".join(line.raw for line in self.lines),
            error=self._error and self._telling_line(self._error),
            line=self.number,
            function=function_name(title[1]) if title else None,
            ignorable=ignorable,
            lines=tuple(zip(self.numbers, texts, strict=True)),
        )

    def _telling_line(self, error: str) -> str:
        """Of an error in code that was rewritten, the line at its end; else its first one."""
        texts = [line.text for line in self.lines]
        return main_line("\n".join(texts[texts.index(error) :])) if error in texts else error

    def rest(self, number: int) -> _Block:
        """A new block that begins with the end of this one."""
        block = _Block(number)
        block._traceback, block._error, block._since_error = self._traceback, self._error, self._since_error
        kept = 0
        for own, line in zip(reversed(self.numbers), reversed(self.lines), strict=True):
            if kept + len(line.raw) > OVERLAP:
                break
            kept += len(line.raw) + 1
            block.lines.insert(0, line)
            block.numbers.insert(0, own)
        block.size = kept
        return block


def collapse(texts: list[str]) -> str:
    """One line, its words parted by one space; between Chinese characters the end of a line is none."""
    joined = texts[0]
    for text in texts[1:]:
        joined += text if _both_chinese(joined, text) else f" {text}"
    return " ".join(joined.split())


def _solid(text: str) -> int:
    """The number of its characters that are no white space."""
    return sum(map(len, text.split()))


def _both_chinese(before: str, after: str) -> bool:
    return bool(before and after) and is_chinese(before[-1]) and is_chinese(after[0])


def _unwrap(lines: list[Line]) -> str | None:
    """The text with lines put together that a terminal has cut in the middle of a word: all of them of one length."""
    widest = max(len(line.raw) for line in lines)
    full = [len(line.raw) == widest for line in lines[:-1]]
    if widest < NARROWEST or not any(full):
        return None
    joined = ""
    for line, is_full in zip(lines, [*full, False], strict=True):
        start = " " if line.indented else ""  # the cut was before a space
        joined += f"{start}{line.text}" if is_full else f"{start}{line.text} "
    return " ".join(joined.split())
