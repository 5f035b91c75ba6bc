"""Files of JSON: read strictly, with a message that says where and what to do; written whole, or not at all."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from traceonce.atomic_files import atomic_write
from traceonce.errors import RecordError


class Document(NamedTuple):
    """What a text holds, and the keys that one of its objects gives twice (of which only the last survives)."""

    data: Any
    repeated: list[str]


@contextlib.contextmanager
def naming(place: object) -> Iterator[None]:
    """Put the place, such as a file, before the message of an error in this block."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None


def read_text(path: Path) -> str:
    """The text of a file; an error does not name it."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise RecordError(f"is not UTF-8 (line {line}, byte {error.start}); save it as UTF-8.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"cannot be read: {reason}; name a file with a record.") from None


def parse_json(text: str) -> Document:
    """Parse JSON strictly: no NaN, and no key given twice without a word."""
    repeated: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            repeated.extend(name for name in found if names.count(name) > 1)
        return found

    try:
        return Document(json.loads(text, object_pairs_hook=keep, parse_constant=_refuse), repeated)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RecordError(f"is not JSON: {error.msg} in {place}; correct it there.") from None
    except RecursionError:
        raise RecordError("is nested too deeply to be a record; flatten it.") from None
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"holds a number that is out of range ({error}); correct it.") from None


def _refuse(constant: str) -> NoReturn:
    raise RecordError(f"is not JSON: {constant} is not a number there; write null or a number.")


def json_text(data: Any) -> str:
    """As our files have it."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or not at all."""
    try:
        atomic_write(path, text.encode())
    except UnicodeEncodeError:
        raise RecordError(f"{path}: half of a character (a lone surrogate) cannot be written; correct it.") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be written ({error.strerror or error}).") from None
