"""What changed between two versions of files: a unified diff that `git apply` and `patch -p1` take, or line by line."""

from __future__ import annotations

import difflib
import io
import os
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

from traceonce.facts.fix import Edit

_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def unified_diff(changes: Mapping[str, tuple[bytes, bytes]], folder: Path) -> str:
    """The diff of ``{file: (before, after)}``, with paths from `folder`, to be read."""
    return "".join(
        b"".join(_diff_of(file, before, after, folder)).decode(_encoding(before), errors="replace")
        for file, (before, after) in changes.items()
    )


def patch(changes: Mapping[str, tuple[bytes, bytes]], folder: Path) -> bytes:
    """The same to be applied: every file in its own encoding."""
    return b"".join(line for file, (before, after) in changes.items() for line in _diff_of(file, before, after, folder))


def line_edits(file: str, before: bytes, after: bytes) -> list[Edit]:
    """The changed lines of one file. Where lines only come in, `end` is the line before `start`."""
    encoding = _encoding(before)
    old, new = (_lines(data.decode(encoding, errors="replace").encode()) for data in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(file, start + 1, end, b"".join(new[from_:to]).decode())
        for tag, start, end, from_, to in matcher.get_opcodes()
        if tag != "equal"
    ]


def _diff_of(file: str, before: bytes, after: bytes, folder: Path) -> Iterator[bytes]:
    name = os.path.relpath(folder / file, folder).replace(os.sep, "/")
    old, new = _header_name(f"a/{name}"), _header_name(f"b/{name}")
    for line in difflib.diff_bytes(difflib.unified_diff, _lines(before), _lines(after), old, new):
        yield line if line.endswith(b"\n") else line + _NO_NEWLINE


def _lines(data: bytes) -> list[bytes]:
    """Lines as `diff` sees them: only a line feed ends one."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _header_name(name: str) -> bytes:
    """A file name as git writes it: quoted where it has odd characters, with a tab behind it where it has blanks."""
    if any(character in '"\\' or ord(character) < 32 for character in name):
        escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n")
        name = f'"{escaped}"'
    elif " " in name:
        name += "\t"
    return os.fsencode(name)


def _encoding(source: bytes) -> str:
    """The encoding that Python reads the file with; a byte order mark stays a character of its first line."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:
        return "utf-8"
    return "utf-8" if encoding == "utf-8-sig" else encoding
