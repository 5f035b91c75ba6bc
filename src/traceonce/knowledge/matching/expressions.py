"""What can be said of a regular expression without running it: how much fixed text it has, and what a text must hold.

An expression of several branches (``A|B``) is taken apart: each is as specific as it is itself, and each has words of
its own that a text must have before it is worth a search.
"""

from __future__ import annotations

from typing import NamedTuple

import re2

CHINESE = 3  # letters that one Chinese character counts for: it says as much

_CHINESE = re2.compile(r"[\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}]{2,}")
_ZERO_WIDTH = frozenset("bBAz")
_CLASSES = frozenset("dDwWpPC")


class Branch(NamedTuple):
    """One branch: what to compile, the number of its fixed characters, and the tokens that every match has in it."""

    pattern: str
    fixed: int
    required: frozenset[str]


def branches_of(pattern: str) -> list[Branch]:
    """The branches of an expression in RE2's syntax; flags at its start hold for each of them."""
    flags = ""
    body = pattern
    while body.startswith("(?") and ")" in body and set(body[2 : body.index(")")]) <= set("imsU-"):
        end = body.index(")") + 1
        flags, body = flags + body[:end], body[end:]
    parts = [_Parser(part) for part in _split(body)]
    folded = "i" in flags
    return [
        Branch(flags + part.source, part.fixed, frozenset() if folded else frozenset(tokens_within(part.runs)))
        for part in parts
    ]


def tokens_of(text: str) -> set[str]:
    """What a collapsed text has to offer: its words, as spaces part them, and pairs of Chinese characters."""
    tokens = set(text.split(" "))
    if not text.isascii():
        tokens.update(chinese_pairs(text))
    return tokens


def tokens_within(runs: list[str]) -> set[str]:
    """The tokens that a text surely has if these runs of characters are somewhere in it: words at an edge may go on."""
    tokens = {word for run in runs for word in run.split(" ")[1:-1] if word}
    tokens.update(pair for run in runs for pair in chinese_pairs(run))
    return tokens


def chinese_pairs(text: str) -> set[str]:
    """Chinese is written without spaces: pairs of characters stand for words."""
    return {run[at : at + 2] for run in _CHINESE.findall(text) for at in range(len(run) - 1)}


def is_chinese(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff" or "\u3400" <= character <= "\u4dbf"


def _split(pattern: str) -> list[str]:
    """The branches at the top level."""
    parts, start, depth, at = [], 0, 0, 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif character == "[":
            at = _end_of_class(pattern, at) - 1
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == "|" and depth == 0:
            parts.append(pattern[start:at])
            start = at + 1
        at += 1
    return [*parts, pattern[start:]]


def _end_of_class(pattern: str, at: int) -> int:
    """The place after the bracket that closes the class that opens here."""
    at += 1
    if pattern[at : at + 1] == "^":
        at += 1
    if pattern[at : at + 1] == "]":
        at += 1
    while at < len(pattern) and pattern[at] != "]":
        if pattern[at] == "\\":
            at += 1
        elif pattern.startswith("[:", at):
            at = max(pattern.find(":]", at), at) + 1
        at += 1
    return at + 1


class _Parser:
    """Reads one branch. `runs` are stretches of text that are in every match, `fixed` counts the fixed characters.

    In a collapsed text white space is one space, so an expression for white space counts as one.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.fixed = 0
        self.runs = [""]
        at = 0
        while at < len(source):
            at = self._atom(at)

    def _atom(self, at: int) -> int:
        source, character = self.source, self.source[at]
        if character == "(":
            return self._group(at)
        if character == "[":
            end = _end_of_class(source, at)
            return self._put(" " if source[at:end] in ("[ ]", r"[\s]") else None, end)
        if character == "\\":
            return self._escape(at)
        if character in "^$":
            return at + 1
        return self._put(None if character == "." else character, at + 1)

    def _escape(self, at: int) -> int:
        following = self.source[at + 1 : at + 2]
        if following in _ZERO_WIDTH:
            return at + 2
        if following == "s":
            return self._put(" ", at + 2)
        if following in _CLASSES and self.source[at + 2 : at + 3] == "{":
            return self._put(None, self.source.find("}", at) + 1 or len(self.source))
        if following.isalnum():  # a class, or a character by its number
            return self._put(None, at + 2)
        return self._put(following, at + 2)

    def _group(self, at: int) -> int:
        source = self.source
        end, depth = at + 1, 1
        while end < len(source) and depth:
            if source[end] == "\\":
                end += 2
            elif source[end] == "[":
                end = _end_of_class(source, end)
            else:
                depth += {"(": 1, ")": -1}.get(source[end], 0)
                end += 1
        inner = source[at + 1 : end - 1]
        if inner.startswith("?"):
            name_end = inner.find(">") if inner.startswith(("?P<", "?<")) else inner.find(":")
            if name_end < 0:
                return self._put(None, end)
            inner = inner[name_end + 1 :]
        branches = [_Parser(part) for part in _split(inner)]
        least, after = _quantifier(source, end)
        self.fixed += min(branch.fixed for branch in branches) * least
        if after == end and len(branches) == 1:
            first, *others = branches[0].runs
            self.runs[-1] += first
            self.runs.extend(others)
        else:
            self.runs.append("")
        return after

    def _put(self, character: str | None, at: int) -> int:
        """Take one character (None: any of several), and what says how often it comes."""
        least, after = _quantifier(self.source, at)
        if character is None or least == 0:
            self.runs.append("")
            return after
        self.fixed += least * (CHINESE if is_chinese(character) else 1)
        self.runs[-1] += character
        if after != at and character != " ":
            self.runs.append("")
        return after


def _quantifier(source: str, at: int) -> tuple[int, int]:
    """How often at least what stands before it has to come, and the place after it."""
    character = source[at : at + 1]
    least, after = 1, at
    if character in ("*", "?", "+"):
        least, after = (1 if character == "+" else 0), at + 1
    elif character == "{" and "}" in source[at:]:
        end = source.index("}", at)
        number = source[at + 1 : end].partition(",")[0]
        if not number.isdigit():
            return 1, at
        least, after = min(int(number), 1000), end + 1
    else:
        return 1, at
    return least, after + (source[after : after + 1] == "?")
