"""A text of any size is looked through in bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from traceonce.knowledge.match import Failures, Index, scan
from traceonce.knowledge.record import Record

INDEX = Index(
    [
        Record(id="tensorflow/known", signature="", regex=r"step '(?P<function>\w+)' failed in a known way"),
        Record(id="tensorflow/near", signature="", regex="a bare failure", context="tensorflow"),
    ]
)
KIB = 1 << 10
MANY = 1_000  # lines

LINES = b"2026-11-15 12:13:01,123 INFO step 12 of epoch 3, loss 0.123, accuracy 0.987\n" * 800
TEXTS = {
    "a log": LINES,
    "no prefixes": b"some line of some program, without an end\n" * 1_500,
    "one line": b"x" * 60_000,
    "words on one line": b"word " * 12_000,
    "a traceback without an end": b"Traceback (most recent call last):\n" + b'  File "a.py", line 3, in f\n' * 2_000,
    "errors": b"ValueError: nothing is known of this one\n" * 1_500,
    "many functions": b"",
    "zeros": b"\x00" * 60_000,
    "carriage returns": b"10/100 [==>...] \r" * 3_500,
}


def chunks(kind: str, count: int) -> Iterator[bytes]:
    """Some 60 KB each."""
    for number in range(count):
        if kind == "many functions":
            names = range(number * MANY, (number + 1) * MANY)
            yield b"".join(b"ERROR: step 'f%d' failed in a known way\n" % name for name in names)
        else:
            yield TEXTS[kind]


@pytest.mark.parametrize("kind", TEXTS)
def test_memory_does_not_grow_with_the_text(kind: str) -> None:
    peaks = []
    for count in (3, 12):
        tracemalloc.start()
        Failures(scan(chunks(kind, count), INDEX))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100 * KIB


def test_what_is_far_apart_is_all_found_and_counted() -> None:
    def log() -> Iterator[bytes]:
        for number in range(4):
            yield LINES
            yield b"ERROR: step 'f%d' failed in a known way\n" % (number % 2)

    found = Failures(scan(log(), INDEX)).found
    assert [(item.function, item.count, item.line) for item in found] == [("f0", 2, 801), ("f1", 2, 1602)]


def test_functions_beyond_a_number_are_counted_together() -> None:
    found = Failures(scan(chunks("many functions", 2), INDEX)).found
    assert sum(item.count for item in found) == 2 * MANY
    assert len(found) == 51
    assert found[-1].function is None


def test_a_context_far_away_in_a_long_text_does_not_count() -> None:
    def log(between: int) -> Iterator[bytes]:
        yield b"INFO: tensorflow is here\n"
        yield b"INFO: nothing\n" * between
        yield b"ERROR: a bare failure\n"
        yield b"INFO: nothing\n" * between

    assert len(Failures(scan(log(100), INDEX)).found) == 1
    assert Failures(scan(log(5_000), INDEX)).found == []
