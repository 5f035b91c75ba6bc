"""What `explain` and `knowledge match` are given: words, a file, standard input; read in pieces, with progress."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from traceonce.console.progress_line import ProgressLine
from traceonce.errors import UsageError

CHUNK = 1 << 18
GZIP = b"\x1f\x8b"
FILE_ENDINGS = (".log", ".txt", ".out", ".err", ".json", ".jsonl", ".ndjson", ".gz", ".md", ".py", ".recording")


def is_file(argument: str) -> bool:
    """Does this name something to read? A folder, or a path that leads nowhere, is an error."""
    if argument == "-":
        return True
    if not argument.strip() or len(argument) > 4_000 or "\n" in argument or "\0" in argument:
        return False
    path = Path(argument)
    try:
        if path.is_dir():
            raise UsageError(f"{argument}: is a folder; name a file in it, or quote the text you mean.")
        return path.exists()
    except OSError:  # such as a name that is too long: it is a text
        return False


def check_is_text(argument: str) -> None:
    """Refuse a single word that can only be meant as a file."""
    looks_like_a_path = argument.startswith(("/", "./", "../", "~/")) or argument.lower().endswith(FILE_ENDINGS)
    if looks_like_a_path and not any(character.isspace() for character in argument):
        raise UsageError(f"{argument}: no such file. If it is a text, quote more of it.")


def open_input(name: str) -> BinaryIO:
    if name == "-":
        if sys.stdin is None:
            raise UsageError("-: standard input is closed.")
        return sys.stdin.buffer
    try:
        file = Path(name).open("rb")  # noqa: SIM115  # the caller closes it
        if file.peek(2)[:2] == GZIP:
            return cast(BinaryIO, gzip.GzipFile(fileobj=file))
        return file
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror or error}.") from None


def read_chunks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The bytes of a file, whatever its size; progress on standard error where that is a terminal and it takes long."""
    size = os.fstat(file.fileno()).st_size if name != "-" else 0
    total = f" of {size / 1e6:.0f} MB" if size else ""
    progress, done = ProgressLine(), 0
    while True:
        try:
            chunk = file.read(CHUNK)
        except (OSError, EOFError, zlib.error) as error:
            raise UsageError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}.") from None
        if not chunk:
            break
        yield chunk
        done += len(chunk)
        progress.say(f"{name}: {done / 1e6:.0f} MB{total} read")
    progress.clear()


def join_words(arguments: Sequence[str]) -> str:
    """Words without quotes are one text."""
    text = " ".join(arguments)
    if not text.strip():
        raise UsageError("the text is empty; paste a message, name a file, or give - for standard input.")
    if len(arguments) == 1:
        check_is_text(arguments[0])
    return text
