"""Real messages, as a run produced them: what a user would paste."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from traceonce.knowledge.match import Index, match
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.record import Record

KEPT = 3  # examples in a record
LONGEST = 2000  # characters of one


def harvest(record: Record, runs: Sequence[TrialMeasurement]) -> list[str]:
    """The messages of these runs by which the record is found: by their words, not by its name in them."""
    index = Index([record])
    every = dict.fromkeys(_shorten(message) for seen in runs for message in messages(seen))
    return [message for message in every if match(message.replace(record.id, ""), index, guesses=0)][:KEPT]


def messages(seen: TrialMeasurement) -> Iterator[str]:
    """What a person would see of a trial, one message at a time: the error, the log, our report, our log."""
    if seen.error is not None:
        yield seen.error.line.strip()
        yield seen.error.traceback.strip()
    yield from log_entries(seen.log)
    yield from report_blocks(seen.report)
    yield from seen.retraces_logged[:2]


# Some put the prefix of an entry before each of its lines: what is indented behind it goes on with the entry.
_GOES_ON = r"[^\n]*?\] \[\d+/\d+(?:_\d+)?\](?: \[__\w+\])?(?:  |\s*$)"
_ENTRY = re.compile(
    rf"^(?=WARNING:|ERROR:|INFO:|[IWEFV]\d{{4}} (?!{_GOES_ON})|\d{{4}}-\d\d-\d\d "
    r"|TRACING CACHE MISS|Traceback|\S+(?:Error|Warning)\b)",
    re.M,
)


def log_entries(log: str) -> list[str]:
    """The log, cut where an entry begins."""
    return [entry.strip() for entry in _ENTRY.split(log) if entry.strip()]


def report_blocks(report: str) -> list[str]:
    """Our report, one block for each function: the headline is no message of its own."""
    blocks = [block.strip("\n") for block in report.split("\n\n")]
    return [block for block in blocks if block and not block.startswith("traceonce  ")]


# A trial holds what would be a program of its own: there the function would be called `train_step`.
_AROUND = re.compile(r"\b(?:failure|message_\w+)\.<locals>\.")


def _shorten(message: str) -> str:
    """Both ends of a long one: a traceback has its error last, a warning its words first."""
    message = _AROUND.sub("", message)
    half = LONGEST // 2
    return message if len(message) <= LONGEST else f"{message[:half]}\n…\n{message[-half:]}"
