"""Recordings as nobody would write them: real ones, cut, bent and filled with hostile values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

Place = tuple[Any, ...]  # keys and indexes, from the whole document down
DEEP = "\x7fdeep\x7f"  # stands for a nesting that Python's own writer could not write

TEXTS = [
    "",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>' onmouseover='alert(1)",
    "</script><!-- ]]> --> ${7*7} {{7*7}} %s %n",
    "javascript:alert(1)",
    "nul \x00 nul",
    "name\r\nSet-Cookie: session=stolen\r\n\r\n<html>",
    "../../../../etc/passwd",
    "=cmd|' /C calc'!A0",
    "'; DROP TABLE recordings; --",
    "lone \ud800 surrogate",
    "\u202eright to left\u202c \u2028 \u2029 \ufeff \uffff",
    "|\\`*_[]()~~#\n```\n| a | b |\n",
    "A.<locals>.<lambda>" * 40,
    "0" * 5_000,
    "1e999999",
    "9" * 4_400,  # more digits than Python makes a number of without being told to
]
LONG = "long " * 200_000
NUMBERS = [
    0,
    -1,
    1,
    0.5,
    -1e9,
    1e18,
    1e308,
    -1e308,
    5e-324,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    2**64,
    10**400,  # larger than any float
    float("nan"),
    float("inf"),
    float("-inf"),
]
OTHERS: list[Any] = [None, True, False, [], {}, [None], {"": None}, [[], {}], DEEP]


def texts() -> st.SearchStrategy[str]:
    return st.sampled_from([*TEXTS, LONG]) | st.text(max_size=20)


def numbers() -> st.SearchStrategy[Any]:
    return st.sampled_from(NUMBERS) | st.integers() | st.floats()


def anything() -> st.SearchStrategy[Any]:
    return st.sampled_from(OTHERS) | texts() | numbers()


def alike(value: Any) -> st.SearchStrategy[Any]:
    """Values of the same type, which a reader that checks types lets through."""
    if isinstance(value, bool) or value is None:
        return st.sampled_from([True, False, None])
    if isinstance(value, int):
        return st.sampled_from([number for number in NUMBERS if isinstance(number, int)]) | st.integers()
    if isinstance(value, float):
        return numbers()
    if isinstance(value, str):
        return texts()
    if isinstance(value, list):
        return st.sampled_from([[], value * 2, value[::-1], value[:1] * 30, value[1:]])
    return st.sampled_from([{}, {text: item for item in value.values() for text in TEXTS}])


def places_of(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every place in a document, the document itself first."""
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places_of(item, (*place, key))


def at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document


def write(document: Any, ascii_only: bool = True) -> bytes:
    """As JSON, also where JSON has no word for it: NaN, lone surrogates, a nesting of 100,000."""
    text = json.dumps(document, ensure_ascii=ascii_only, separators=(",", ":"))
    deep = "[" * 100_000 + "]" * 100_000
    return text.replace(json.dumps(DEEP), deep).encode(errors="surrogatepass")


def read_lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def write_lines(entries: Sequence[Any], ascii_only: bool = True) -> bytes:
    return b"".join(write(entry, ascii_only) + b"\n" for entry in entries)


@st.composite
def bent(draw: st.DrawFn, document: Any) -> Any:
    """A document with a few places changed: to another value of the type, to anything, or to nothing at all."""
    document = json.loads(json.dumps(document))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.sampled_from(list(places_of(document))[1:] or [()]))
        if not place:
            break
        *before, last = place
        parent, value = at(document, tuple(before)), at(document, place)
        change = draw(st.sampled_from(["alike"] * 6 + ["anything", "remove", "rename"]))
        if change == "remove":
            del parent[last]
        elif change == "rename" and isinstance(parent, dict):
            parent[draw(texts())] = parent.pop(last)
        else:
            parent[last] = draw(alike(value) if change == "alike" else anything())
    return document


@st.composite
def bent_lines(draw: st.DrawFn, entries: list[Any]) -> bytes:
    """A log with its lines in another order, some twice, some gone, some bent."""
    lines = list(entries)
    for _ in range(draw(st.integers(0, 3))):
        number, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match draw(st.sampled_from(["move", "repeat", "drop"])):
            case "move":
                lines.insert(other, lines.pop(number))
            case "repeat":
                lines[number:number] = [lines[number]] * draw(st.sampled_from([1, 2, 50]))
            case "drop" if len(lines) > 1:
                del lines[number]
    return write_lines(draw(bent(lines)), draw(st.booleans()))


@st.composite
def flipped(draw: st.DrawFn, data: bytes) -> bytes:
    changed = bytearray(data)
    for position, byte in draw(st.lists(st.tuples(st.integers(0, len(data) - 1), st.integers(0, 255)), min_size=1)):
        changed[position] = byte
    return bytes(changed)


def cut(data: bytes) -> st.SearchStrategy[bytes]:
    """Without its end, or without its middle."""
    ends = st.just(b"") | st.integers(1, 300).map(lambda length: data[-length:])
    return st.tuples(st.integers(0, len(data)), ends).map(lambda parts: data[: parts[0]] + parts[1])


def nonsense() -> st.SearchStrategy[bytes]:
    """No recording at all."""
    return (
        st.binary(max_size=200)
        | anything().map(write)
        | st.sampled_from(
            [
                b"",
                b"\n" * 10_000,
                b"\x00" * 10_000,
                b'{"a":' * 100_000,
                b'{"schema":"traceonce.recording/1","events":' + b"[" * 100_000,
                b'{"schema":"traceonce.recording/1"}',
                b'{"schema":"traceonce.recording/2"}',
                b'{"schema":"traceonce.recording/1","events":[NaN]}',
                b'\xef\xbb\xbf{"schema":"traceonce.recording/1"}',
                '{"schema":"traceonce.recording/1"}'.encode("utf-16"),
                b"PK\x03\x04" + bytes(range(256)),
            ]
        )
    )


class Sent(bytes):
    """Bytes that are shown by their beginning where a test fails."""

    def __repr__(self) -> str:
        return f"<{len(self)} bytes: {bytes(self[:2_000])!r} …>"


def hostile_recordings(logs: Sequence[bytes], documents: Sequence[bytes]) -> st.SearchStrategy[Sent]:
    """Made of real recordings, as logs of lines and as documents."""
    lines, parsed = [read_lines(log) for log in logs], [json.loads(document) for document in documents]
    makers: list[Callable[[], st.SearchStrategy[bytes]]] = [
        lambda: st.sampled_from(lines).flatmap(bent_lines),
        lambda: st.sampled_from(lines).flatmap(bent_lines),
        lambda: st.sampled_from(parsed).flatmap(bent).map(write),
        lambda: st.sampled_from([*logs, *documents]).flatmap(flipped),
        lambda: st.sampled_from([*logs, *documents]).flatmap(cut),
        nonsense,
    ]
    return st.one_of(*(make() for make in makers)).map(Sent)
