"""From a file to what JSON says, or to a message that names file, line and remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from traceonce.errors import RecordError


class Document(NamedTuple):
    """What a file holds, and the keys that one of its objects gives twice (of which only the last survives)."""

    data: object
    repeated: list[str]


def read_document(path: Path) -> Document:
    """Read a file; what is wrong with it as a file is a `RecordError`."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise RecordError(f"is not UTF-8 (line {line}, byte {error.start}). Save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"cannot be read: {reason}. Name a file that holds a record") from None
    return parse_document(text)


def parse_document(text: str) -> Document:
    """Parse JSON strictly: no NaN, and no key given twice without a word."""
    repeated: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            repeated.extend(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return found

    try:
        return Document(json.loads(text, object_pairs_hook=keep, parse_constant=_refuse), repeated)
    except json.JSONDecodeError as error:
        raise RecordError(
            f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno}). Correct it there"
        ) from None
    except RecursionError:
        raise RecordError("is nested too deeply to be a record. Flatten it") from None
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"cannot be read: {error}. Correct it") from None


def _refuse(constant: str) -> Any:
    raise RecordError(f"is not JSON: {constant} is no number there. Write null or a number")
