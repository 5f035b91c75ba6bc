"""Lines of logs and terminals, made plain: without colours, control characters, boxes, timestamps, levels and ranks."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
import re2

LONGEST_LINE = 16_384  # characters; a longer line is taken in pieces
OVERLAP = 2_048  # of such pieces, so that what is cut in one is whole in the next

_PARAMETERS, _BETWEEN = "0123456789:;<=>?", " !\"#$%&'()*+,-./"  # of escape sequences
_WRITTEN_OUT = re2.compile(
    r"(?:\\x1b|\\u001[bB]|\\033|\\e|\^\[)\[[0-9;]*[A-Za-z]"
    r"|\[[0-9]{1,2}(?:;[0-9]{1,3})*m"  # what is left where the escape character was lost
)
_MANY = 300  # written-out sequences that are taken out of a line; more is no log
_BLANKS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), *range(0x200B, 0x2010), 0x2028, 0x2029, 0xFEFF, 0xFFFD], " ")
_BLANKS |= {ord("\b"): "", ord("❱"): "", **dict.fromkeys(range(0x2500, 0x25A0), "")}  # boxes and bars
_BOXES = re2.compile(r"[❱\x{2500}-\x{259f}]")
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL|SEVERE)"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|\s?[+-][0-9]{2}:?[0-9]{2})?"
_DATE = r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}"
_SOURCE = r"[\w./+-]+:[0-9]+\]"
_ENTRY = (  # what tells that an entry of a log begins here
    rf"[IWEFDV][0-9]{{4}} {_TIME} +[0-9]+ {_SOURCE}"  # absl
    rf"|[IWEFD]0000 00:00:[0-9.]+ +[0-9]+ {_SOURCE}"  # absl, before it is set up
    rf"|{_DATE}T{_TIME} std(?:out|err) [FP]\b"  # containers
    rf"|\[?{_DATE}[T ]{_TIME}\]?:?(?: [IWEFD] {_SOURCE})?"
    rf"|\[?{_TIME}\]?"
    rf"|[A-Z][a-z]{{2}} [ 0-9][0-9] {_TIME} [\w.-]+ [\w./-]+(?:\[[0-9]+\])?:"  # syslog
    r"|\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}\]"  # web servers
    rf"|{_LEVEL}:[\w.]*:"  # logging's own form
    rf"|\|\s*{_LEVEL}\s*\|\s*[\w.<>]+:[\w.<>]+:[0-9]+ -"
    rf"|-? ?[\w.]+ - {_LEVEL} -"
    rf"|{_LEVEL} +[\w.]+:[\w.]+:[0-9]+\s"  # pytest's live log
    rf"|\[{_LEVEL}\]:?|{_LEVEL}(?::| -| \||\s)"
    r"|##\[[a-z]+\]"
)
_PLACE = (  # what tells who printed a line: a rank, a worker, a quoting
    r"\[[0-9]+,[0-9]+\]<std[a-z]+>:?"
    r"|\[(?:rank)?[0-9]+\]:"
    r"|\[[0-9]+/[0-9]+(?:_[0-9]+)?\]|\[__[a-z_]+\]"  # the frame that is compiled, the kind of log
    r"|\[[A-Za-z][\w.:/@-]{0,60}\]:?"
    r"|(?:rank|Rank|RANK|worker|node|task)[ _-]?[0-9]+[:>]"
    r"|\((?:[\w.-]+ )?pid=[0-9]+(?:, ip=[0-9.]+)?\)"
    r"|[0-9]{1,4}:\s"
    r"|[\w.-]{1,60} +\|"
    r"|>{1,2}\s"
)
_PREFIX = re2.compile(rf"(?:\s?(?:(?P<entry>{_ENTRY})|{_PLACE}))+ ?")
_HEAD = 200  # characters in which a prefix ends
_BEGIN_PREFIXES = frozenset("0123456789[(|#>-")
_IN_PREFIXES = frozenset(":|]-")


class Line(NamedTuple):
    """A line as it reads without its prefix. `raw` still has it: it may tell which program this is.

    `entry` says that the prefix is one with which an entry of a log begins; `indented` that white space is left.
    """

    text: str
    raw: str
    entry: bool
    indented: bool


def clean_line(line: str) -> Line:
    if "\x1b" in line:
        first, *others = line.split("\x1b")
        line = first + "".join(map(_after_sequence, others))
    if "[" in line and ("m" in line or "\\" in line):
        line = _WRITTEN_OUT.sub("", line, _MANY)
    if not line.isprintable() or (not line.isascii() and _BOXES.search(line)):
        framed = _BOXES.match(line) is not None
        line = line.translate(_BLANKS)
        line = line.removeprefix(" ") if framed else line  # between the frame and the text
    raw = line = line.rstrip()
    if line[:4] == "E   " or line == "E":  # pytest's
        return Line(line[1:].strip(), raw, False, False)
    end, entry = _prefix_of(line)
    line = line[end:]
    return Line(line.strip(), raw, entry, line[:1].isspace())


def _prefix_of(line: str) -> tuple[int, bool]:
    """Where the prefix of a line ends, and whether it is that of an entry. All of its characters are ASCII."""
    first, head = line[:1], line[:_HEAD]
    if first not in _BEGIN_PREFIXES and (not first.isalpha() or _IN_PREFIXES.isdisjoint(head)):
        return 0, False
    found = _PREFIX.match(head.encode(errors="replace"))
    return (found.end(), found.start(1) >= 0) if found else (0, False)


def _after_sequence(text: str) -> str:
    """What follows an escape character, without the sequence that it began: a colour, a movement, a title, a link."""
    if text.startswith("]"):
        return text.partition("\x07")[2]
    parameters = text[1:].lstrip(_PARAMETERS) if text.startswith("[") else text
    return parameters.lstrip(_BETWEEN)[1:]


def clean_lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Line]]:
    """Clean lines, each with its number; a line that is a JSON object is taken for the texts in it."""
    for number, line in lines:
        if line[:1] == "{" and line.rstrip()[-1:] == "}" and (texts := _texts_in_json(line)) is not None:
            for text in texts:
                for part in text.splitlines():
                    yield number, clean_line(part)
        else:
            yield number, clean_line(line)


def _texts_in_json(line: str) -> list[str] | None:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return list(_strings(value, 4))


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item, depth - 1)


def decode(chunks: Iterable[bytes]) -> Iterator[str]:
    """Text from bytes of any kind: UTF-16 where a mark says so, else UTF-8; what is neither becomes a space later."""
    decoder: codecs.IncrementalDecoder | None = None
    for chunk in chunks:
        if decoder is None:
            wide = chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")(errors="replace")
        yield decoder.decode(chunk)
    if decoder is not None:
        yield decoder.decode(b"", final=True)


def split_lines(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a very long one comes in pieces that overlap, so that memory stays bounded."""
    rest, number = "", 1
    for chunk in chunks:
        lines = (rest + chunk).splitlines(keepends=True)
        rest = lines.pop() if lines and not lines[-1].endswith("\n") else ""  # after "\r" there may come "\n"
        for line in lines:
            yield from ((number, piece) for piece in _pieces(line.rstrip("\r\n")))
            number += 1
        while len(rest) > 2 * LONGEST_LINE:
            yield number, rest[:LONGEST_LINE]
            rest = rest[LONGEST_LINE - OVERLAP :]
    yield from ((number, piece) for piece in _pieces(rest))


def _pieces(line: str) -> Iterator[str]:
    while len(line) > LONGEST_LINE:
        yield line[:LONGEST_LINE]
        line = line[LONGEST_LINE - OVERLAP :]
    yield line
