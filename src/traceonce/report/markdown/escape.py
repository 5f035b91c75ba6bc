"""Texts of the user's, made safe for GitHub's Markdown: nothing in them is markup, a link, a mention or invisible.

Names and values stand in code, where GitHub looks for nothing. In prose, what would become a link, a mention or a
reference is parted by a blank of no width.
"""

from __future__ import annotations

import html
import re

from traceonce.facts.printable import cut, in_line, without_commands
from traceonce.facts.printable import visible as visible_in
from traceonce.words.backticks import parts_of

LONGEST = 600  # characters of one text
_BLANKS = str.maketrans("\n\r\t", "   ")
_NAMED = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "$": "&dollar;"}
_MARKUP = re.compile(r"[<>&$\\`*{}\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINK = re.compile(r"@|#(?=\d)|(?<=GH-)(?=\d)|(?<=[a-z])(?=://)|(?<=www)(?=\.)", re.IGNORECASE)
_PARTED = "&#8203;"
_LIST = re.compile(r"(\d*)([-+#=.)])")


def code(text: str) -> str:
    """A name or a value in a line of text."""
    shown = visible(text) or " "
    fence = "`" * (_longest_run(shown) + 1)
    blank = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def cell(text: str) -> str:
    """A name or a value in a table, where a bar ends the cell in code, too."""
    shown = visible(text)
    if "|" not in shown and "\\" not in shown:
        return code(text)
    references = (c if c.isalnum() or c == " " or not c.isascii() else f"&#{ord(c)};" for c in shown)
    return f"<code>{''.join(references).replace('&#64;', '&#64;' + _PARTED)}</code>"


def html_code(text: str) -> str:
    """A name in a line of HTML."""
    return f"<code>{html.escape(visible(text))}</code>"


def block(text: str, language: str) -> str:
    """Lines of code."""
    fence = "`" * max(_longest_run(text) + 1, 3)
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    shown = (without_commands(visible_in(line, keep="\t")) for line in lines)
    return "\n".join([f"{fence}{language}", *shown, fence])


def prose(text: str) -> str:
    """Words with something of the user's among them, at the beginning of a line or within it."""
    return _no_list(_escaped(visible(text).strip()))


def sentence(text: str) -> str:
    """Words with code between backticks, as notes have it."""
    written = ""
    for part in parts_of(text):
        parted = _PARTED if part.code and written.endswith("`") else ""  # or two pieces of code would be one
        written += f"{parted}{code(part.text)}" if part.code else _escaped(visible(part.text))
    return _no_list(written.strip())


def visible(text: str) -> str:
    """One line, not too long, in which every character can be seen."""
    return in_line(cut(text, LONGEST).translate(_BLANKS))


def _escaped(text: str) -> str:
    escaped = _MARKUP.sub(lambda found: _NAMED.get(found[0], f"\\{found[0]}"), text)
    return _LINK.sub(lambda found: f"{found[0]}{_PARTED}", escaped)


def _no_list(line: str) -> str:
    return re.sub(_LIST, r"\1\\\2", line, count=1) if _LIST.match(line) else line


def _longest_run(text: str) -> int:
    """Of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
