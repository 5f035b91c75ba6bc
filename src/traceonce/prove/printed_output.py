"""Did two runs print the same? Word by word; numbers within what was printed of them; times and addresses set aside.

So is what a framework itself says of its traces, where a program logs that to standard output: it is meant to go.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Collection, Iterator
from typing import TypeAlias

from traceonce.frameworks.base.registry import known_frameworks

# A number, a word, or any other sign; blanks separate, and how many there are is no matter.
_TOKEN = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|[^\W\d_]+|[^\s]")
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?$")
_SET_ASIDE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x…"),
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?"), "‹date›"),
    (re.compile(r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?"), "‹time›"),
    (re.compile(r"\d+(\.\d+)?\s?(ns|µs|us|ms|s|sec|secs|seconds?|min|minutes?|h)(?![\w])"), "‹duration›"),
    (re.compile(r"\d+(\.\d+)?\s?(it|steps?|samples?|examples?|batches)/(s|sec|second)(?![\w])"), "‹rate›"),
    (re.compile(r"[\b\r]"), "\n"),  # a progress bar
)
RELATIVE = 1e-4
Place: TypeAlias = tuple[int, int | None]  # a line, and a token in it; None: the whole line


class Printed:
    """What a run printed, in lines of tokens."""

    def __init__(self, text: str) -> None:
        lines = [line for line in _without_times(text).split("\n") if line.strip()]
        of_traces = _of_traces()
        self.lines = [line for line in lines if of_traces is None or not of_traces.search(line)]
        self.tokens = [_TOKEN.findall(line) for line in self.lines]


@functools.cache
def _of_traces() -> re.Pattern[str] | None:
    """What finds the lines in which a framework says that it has traced again."""
    said = [each.says_of_traces for each in known_frameworks() if each.says_of_traces is not None]
    return re.compile("|".join(said)) if said else None


def _without_times(text: str) -> str:
    for pattern, name in _SET_ASIDE:
        text = pattern.sub(name, text)
    return text


def varying_texts(one: Printed, other: Printed) -> set[Place] | None:
    """Where two runs of the same program differ; None where they do not even print the same number of lines."""
    if len(one.lines) != len(other.lines):
        return None
    return set(_differences(one, other))


def _differences(one: Printed, other: Printed) -> Iterator[Place]:
    for line, (was, now) in enumerate(zip(one.tokens, other.tokens, strict=True)):
        if len(was) != len(now):
            yield line, None
        else:
            yield from ((line, at) for at, pair in enumerate(zip(was, now, strict=True)) if not _alike(*pair))


def printed_difference(
    one: Printed, other: Printed, varying: Collection[Place], counts: Collection[tuple[int, int]] = ()
) -> str | None:
    """The first line that differs in a place that does not vary by itself; None where there is none.

    `counts` are numbers of traces, before and after: a program that prints its own is no other program for that.
    """
    if len(one.lines) != len(other.lines):
        short = min(len(one.lines), len(other.lines))
        extra = (one if len(one.lines) > short else other).lines[short]
        return f"{len(one.lines)} lines → {len(other.lines)} lines (first missing line: {extra.strip()!r})"
    for line, at in _differences(one, other):
        if (line, at) in varying or (line, None) in varying:
            continue
        if at is not None and _counts_traces(one.tokens[line][at], other.tokens[line][at], counts):
            continue
        return f"line {line + 1}: {one.lines[line].strip()!r} → {other.lines[line].strip()!r}"
    return None


def _counts_traces(was: str, now: str, counts: Collection[tuple[int, int]]) -> bool:
    return was.isdigit() and now.isdigit() and (int(was), int(now)) in counts


def _alike(was: str, now: str) -> bool:
    if was == now:
        return True
    if not _NUMBER.match(was) or not _NUMBER.match(now):
        return False
    if was.lstrip("+-").isdigit() and now.lstrip("+-").isdigit():
        return False
    one, other = float(was), float(now)
    rounding = max(_last_digit(was), _last_digit(now)) * 1.01
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=rounding)


def _last_digit(number: str) -> float:
    """What one unit of the last printed digit is worth: a number may be rounded one way or the other."""
    digits, _, exponent = number.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - decimals)) if decimals or exponent else 0.0
