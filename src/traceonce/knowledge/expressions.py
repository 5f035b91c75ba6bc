"""What can be said of an expression in RE2's syntax without running it: what every text that it matches must hold.

An expression of several branches (``A|B``) is taken apart: each is as specific as it is itself, and each has words of
its own that a text must have before it is worth a search.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple, TypeAlias

import re2

from traceonce.errors import RecordError
from traceonce.knowledge.language import is_chinese

CHINESE = 3  # letters that one Chinese character counts for: it says as much
LEAST = 8  # characters of a fixed part: shorter ones are in every program
DEEPEST = 50  # groups inside of each other; what is deeper counts as unknown

_CHINESE = re2.compile(r"[\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}]{2,}")
_ZERO_WIDTH = frozenset("bBAz")
_CLASSES = frozenset("dDwWpPC")
_FLAGS = re.compile(r"\(\?[imsU-]+\)")
_ERROR_NAME = re.compile(r"^[\w.]*(?:Error|Exception|Warning|Reached):? ?")

Part: TypeAlias = tuple[str, ...]  # a text that is in every match; of several, for `(?:a|b)`, one of them is


class Branch(NamedTuple):
    """One branch: what to compile, the number of its fixed characters, and the tokens that every match has in it."""

    pattern: str
    fixed: int
    required: frozenset[str]


def compile_re2(pattern: str, *, capture: bool = True) -> Any:
    """The expression; where RE2 refuses it, an error with its reason."""
    options = re2.Options()
    options.log_errors = False  # the library would write to standard error as well
    options.never_capture = not capture
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "no reason given"
        raise RecordError(reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)) from None


def branches_of(pattern: str) -> list[Branch]:
    """The branches of an expression; flags at its start hold for each of them."""
    flags, body = _leading_flags(pattern)
    readers = _read(pattern)
    if _FLAGS.search(body):  # they hold for what follows, also in other branches
        return [Branch(pattern, min(reader.fixed for reader in readers), frozenset())]
    return [Branch(flags + each.source, each.fixed, frozenset(tokens_within(each.runs))) for each in readers]


def fixed_parts(pattern: str) -> list[Part]:
    """The fixed parts of eight characters and more, else the longest; without the names of errors before them."""
    if _FLAGS.search(_leading_flags(pattern)[1]):
        return []
    readers = _read(pattern)
    every = readers[0].parts if len(readers) == 1 else _one_of(readers)
    parts = [tuple(dict.fromkeys(_ERROR_NAME.sub("", text).strip() for text in part)) for part in every]
    long = [part for part in parts if _shortest(part) >= LEAST] or [max(parts, key=_shortest, default=("",))]
    return list(dict.fromkeys(part for part in long if all(part)))


def _leading_flags(pattern: str) -> tuple[str, str]:
    end = 0
    while found := _FLAGS.match(pattern, end):
        end = found.end()
    return pattern[:end], pattern[end:]


def _read(pattern: str) -> list[_Reader]:
    flags, body = _leading_flags(pattern)
    return [_Reader(branch, folded=_folds(flags)) for branch in _split(body)]


def _folds(flags: str) -> bool:
    """Is the case of letters of no account?"""
    return "i" in flags.partition("-")[0]


def _one_of(readers: list[_Reader]) -> list[Part]:
    """The longest part of each; nothing is fixed where one of them has none."""
    longest = [max(reader.parts, key=_shortest) for reader in readers]
    return [tuple(dict.fromkeys(itertools.chain(*longest)))] if all(map(_shortest, longest)) else []


def _shortest(part: Part) -> int:
    return min(map(len, part))


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


class _Reader:
    """Reads one branch. `parts` are the texts that are in every match, `fixed` counts the fixed characters.

    In a collapsed text white space is one space, so an expression for white space counts as one.
    """

    def __init__(self, source: str, *, folded: bool, depth: int = 0) -> None:
        self.source = source
        self.fixed = 0
        self.parts: list[Part] = [("",)]  # the first and the last have one text, to which something may be added
        self._folded, self._depth = folded, depth
        at = 0
        while at < len(source):
            at = self._atom(at)

    @property
    def runs(self) -> list[str]:
        """The texts that are in every match, whatever is chosen."""
        return [part[0] for part in self.parts if len(part) == 1 and part[0]]

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
        if following in ("p", "P"):
            return self._put(None, at + 3)
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
        inner, folded = source[at + 1 : end - 1], self._folded
        if inner.startswith("?"):
            name_end = inner.find(">") if inner.startswith(("?P<", "?<")) else inner.find(":")
            if name_end < 0:
                return self._put(None, end)
            folded = folded or (inner[name_end] == ":" and _folds(inner[:name_end]))
            inner = inner[name_end + 1 :]
        if self._depth == DEEPEST:
            return self._put(None, end)
        branches = [_Reader(part, folded=folded, depth=self._depth + 1) for part in _split(inner)]
        least, after = _quantifier(source, end)
        self.fixed += min(branch.fixed for branch in branches) * least
        if after == end and len(branches) == 1:
            first, *others = branches[0].parts
            self._add(first[0])
            self.parts.extend(others)
        else:
            self._break()
            if least:
                self.parts += branches[0].parts if len(branches) == 1 else _one_of(branches)
                self._break()
        return after

    def _put(self, character: str | None, at: int) -> int:
        """Take one character (None: any of several), and what says how often it comes."""
        least, after = _quantifier(self.source, at)
        if character is None or least == 0:
            self._break()
            return after
        self.fixed += least * (CHINESE if is_chinese(character) else 1)
        if self._folded:
            self._break()
            return after
        self._add(character)
        if after != at and character != " ":
            self._break()
        return after

    def _add(self, text: str) -> None:
        self.parts[-1] = (self.parts[-1][0] + text,)

    def _break(self) -> None:
        self.parts.append(("",))


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
