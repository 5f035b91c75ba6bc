"""``traceonce knowledge match``: the records that explain a text, as JSON; with ``--batch``, for many texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from traceonce.console.input import is_file, join_words, open_input, read_chunks
from traceonce.console.message_line import say
from traceonce.console.shared_options import base_option
from traceonce.errors import UsageError
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.local_base import open_to_read
from traceonce.knowledge.match import Index, Match, match


@click.command(short_help="Match one text, or many, to records; for programs.")
@click.argument("text", nargs=-1)
@click.option(
    "--batch", metavar="FILE|-", help='Read JSON lines, {"id": …, "text": …} each, and answer each with one line.'
)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(min=1), help="Maximum matches per text.")
@click.option("--guesses", default=3, show_default=True, type=click.IntRange(min=0), help="Maximum guesses per text.")
@base_option
def command(text: tuple[str, ...], batch: str | None, limit: int, guesses: int, base: Path | None) -> None:
    """Match a TEXT, a FILE or standard input (-) to records. The answer is JSON, best match first.

    If nothing matches, the nearest records by words are returned with "guess": true. Matches score above 0.5, guesses
    below, and a text that names the record scores 1; records that a traceonce report marks as ignorable come last.

    \b
    traceonce knowledge match "OperatorNotAllowedInGraphError: Using a symbolic tensor as a Python bool"
    traceonce knowledge match train.log
    traceonce knowledge match --batch messages.ndjson > answers.ndjson

    Exit status: 0 whether or not something matched; 2 if the input, or a line of it, is invalid.
    """
    if bool(text) == (batch is not None):
        raise UsageError(
            "nothing to match: give a text, a file, - for standard input, or --batch with a file of JSON lines."
        )
    index = make_index(open_to_read(base))
    if batch is not None:
        raise SystemExit(_answer_all(batch, index, limit, guesses))
    if len(text) == 1 and is_file(text[0]):
        with open_input(text[0]) as file:
            found = match(read_chunks(file, text[0]), index, limit, guesses)
    else:
        found = match(join_words(text), index, limit, guesses)
    _put({"matches": _plain(found)})


def make_index(collection: Collection) -> Index:
    """The index over all records of a base; what cannot be used is said, and the rest is."""
    index = Index(collection)
    for problem in index.refused:
        say(f"traceonce: skipped: {problem}")
    return index


def _answer_all(batch: str, index: Index, limit: int, guesses: int) -> int:
    if not is_file(batch):
        raise UsageError(f"--batch {batch}: no such file.")
    status = 0
    with open_input(batch) as file:
        for number, line in enumerate(_lines(read_chunks(file, batch)), 1):
            if not line.strip():
                continue
            answer = _answer(line, number, index, limit, guesses)
            status = 2 if "error" in answer else status
            _put(answer)
    return status


def _answer(line: bytes, number: int, index: Index, limit: int, guesses: int) -> dict[str, Any]:
    try:
        asked = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return {"id": None, "error": f"line {number}: is not JSON: {error}", "matches": []}
    if not isinstance(asked, dict) or not isinstance(asked.get("text"), str):
        id_ = asked.get("id") if isinstance(asked, dict) else None
        return {"id": id_, "error": f'line {number}: must be an object with "id" and a string "text"', "matches": []}
    return {"id": asked.get("id"), "matches": _plain(match(asked["text"], index, limit, guesses))}


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = bytearray()
    for chunk in chunks:
        rest += chunk
        if b"\n" in chunk:
            *whole, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
            yield from whole
    yield bytes(rest)


def _plain(matches: list[Match]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(found) for found in matches]


def _put(answer: dict[str, Any]) -> None:
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")
    sys.stdout.flush()
