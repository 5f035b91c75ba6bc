"""Foreign text, made safe to print: names, files, values, types and messages of a program, a recording or a log.

A terminal obeys some characters, an editor turns text around for others, and a CI system runs commands that it finds in
a log. The rules, for whatever is not our own text:

1. What cannot be seen is written out as Python would write it (``\\x1b``, ``\\u202e``): control characters, marks of
   direction, characters without width, separators of lines, halves of a character. Letters of every script, emoji and
   blanks stay.
2. Two invisible characters belong to ordinary text, and stay there: the joiners (U+200C, U+200D) between two letters of
   the scripts from Arabic to Mongolian and between two emoji, and a selector of a form (U+FE00 to U+FE0F) after a
   character that can have several. Anywhere else they are written out, as are the tags of which some flags consist.
3. A line has no line break in it, and none of it is a command to GitHub (``::add-mask::`` after blanks, ``##[group]``
   anywhere), Azure (``##vso[``) or TeamCity (``##teamcity[``).
4. A long text is cut in its middle, and says how long it was.

Data (JSON, SARIF, pages, recordings) stays as it is. This is for what people read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

SENTENCE = 1_000  # characters of a sentence that may quote anything
MESSAGE = 4_000  # of an error message

# By the names of the fields of facts; a text in any other field is ours, or code that is shown line by line.
LONGEST: Mapping[str, int] = {
    "name": 160,
    "function": 160,
    "functions": 160,
    "file": 240,
    "via": 240,
    "test": 240,
    "path": 200,
    "type_name": 200,
    "was": 400,
    "now": 400,
    "values": 200,
    "why": 600,
    "causes": 600,
    "unknown": 200,
    "graph_breaks": 600,
    "wider": SENTENCE,
    "note": SENTENCE,
    "notes": SENTENCE,
    "reason": SENTENCE,
    "text": SENTENCE,
    "problems": SENTENCE,
    "better": SENTENCE,
}

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# What Unicode calls default-ignorable and does not put into a category above: selectors, fillers, and what is not
# assigned yet where more of these will be.
_IGNORED = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
)
_FOREIGN = re.compile(r"[^ -~]")
_HIDDEN = re.compile(rf"[{_IGNORED}]")
_EMOJI = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_JOINER = re.compile(f"(?<=[\u0600-\u1cff])[\u200c\u200d](?=[\u0600-\u1cff])|(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}])")
_SELECTED = re.compile(rf"(?<=[^\sA-Za-z{_IGNORED}])[\ufe00-\ufe0f]")
_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")

T = TypeVar("T")


def visible(text: str, keep: str = "") -> str:
    """The text with every character that cannot be seen written out, but for those to `keep`."""
    if text.isprintable() and not _HIDDEN.search(text):
        return text
    return _FOREIGN.sub(lambda found: found[0] if found[0] in keep or _is_seen(found) else escape(found[0]), text)


def in_line(text: str, most: int | None = None) -> str:
    """One line of a terminal or a log."""
    return without_commands(visible(cut(text, most) if most is not None else text))


def in_lines(text: str, most: int | None = None) -> list[str]:
    """Several lines of a terminal or a log; a tab, which code is indented with, becomes blanks."""
    whole = cut(text, most) if most is not None else text
    return [in_line(line.expandtabs(4)) for line in whole.replace("\r\n", "\n").split("\n")]


def without_commands(line: str) -> str:
    """A line of a log in which nothing is a command to those who run CI."""
    return _COMMAND.sub(lambda found: f"{found[1]}\\x3a" if found[0].endswith(":") else "\\x23", line)


def cut(text: str, most: int) -> str:
    """The beginning and the end of a text that is longer than `most` characters, and how long it is."""
    if len(text) <= most:
        return text
    said = f"…[{len(text):,} characters]…"
    kept = max(most - len(said), 2)
    return text[: kept - kept // 2] + said + text[-(kept // 2) :]


def printable(facts: T) -> T:
    """Facts with their long texts cut, each as the name of its field says, and all of them visible.

    Line breaks and tabs stay, for code is shown in lines: whoever prints a line still passes it through `in_line`.
    """
    return _printable(facts, None)  # type: ignore[no-any-return]  # what goes in comes out


def escape(character: str) -> str:
    """As Python writes it in a string."""
    number = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _is_seen(found: re.Match[str]) -> bool:
    text, at = found.string, found.start()
    if _HIDDEN.match(found[0]):
        return bool(_SELECTED.match(text, at))
    return unicodedata.category(found[0]) not in _UNSEEN or bool(_JOINER.match(text, at))


def _printable(value: Any, most: int | None) -> Any:
    """`most` is what the field allows that the value stands in."""
    if type(value) is str:  # and not one of an enumeration
        return visible((cut(value, most) if most is not None else value).replace("\r\n", "\n"), keep="\n\t")
    if isinstance(value, msgspec.Struct):
        fields = value.__struct_fields__
        old = [getattr(value, name) for name in fields]
        new = [_printable(item, LONGEST.get(name)) for name, item in zip(fields, old, strict=True)]
        changes = {name: item for name, item, was in zip(fields, new, old, strict=True) if item is not was}
        return msgspec.structs.replace(value, **changes) if changes else value
    if isinstance(value, (tuple, list)):
        names = getattr(value, "_fields", None)  # of a NamedTuple
        limits = map(LONGEST.get, names) if names is not None else [most] * len(value)
        new = [_printable(item, limit) for item, limit in zip(value, limits, strict=True)]
        if all(item is was for item, was in zip(new, value, strict=True)):
            return value
        return type(value)(*new) if names is not None else type(value)(new)
    return value
