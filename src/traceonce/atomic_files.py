"""Files that are replaced in one step: whoever reads one meets all of the old content, or all of the new.

New content is written to a file beside the old one, and safe on the disk, before it takes the old one's name. A full
disk or an interrupt therefore leaves everything as it was. A file that is replaced keeps its mode, and its owner where
that can be. Links are not followed: whoever wants that gives the real path.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple


def atomic_write(path: Path, data: bytes) -> None:
    """Write one file, whole or not at all."""
    with _naming(path), _beside(path, data) as new:
        os.replace(new, path)


def write_named(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that a user has named: a link is followed, and a pipe or a device is written through."""
    with _naming(Path(path)):
        if os.path.exists(path) and not os.path.isfile(path):
            Path(path).write_bytes(data)
        else:
            atomic_write(Path(os.path.realpath(path)), data)


def atomic_write_all(
    contents: Mapping[Path, bytes], *, replace: bool = True, last_check: Callable[[], object] = lambda: None
) -> None:
    """Write all of these files, or leave everything as it was.

    Without `replace`, none of them may be there yet. `last_check` is called when all that takes time is done; what it
    raises stops everything. An `OSError` has the name of the file that is to blame.
    """
    with contextlib.ExitStack() as at_the_end:
        ready = [at_the_end.enter_context(_prepared(path, data, replace)) for path, data in contents.items()]
        last_check()
        _exchange(ready)


class _Ready(NamedTuple):
    """A file with its new content beside it, and a copy of its old one, if any: going back needs no room."""

    path: Path
    new: Path
    old: Path | None


@contextlib.contextmanager
def _prepared(path: Path, data: bytes, replace: bool) -> Iterator[_Ready]:
    with contextlib.ExitStack() as at_the_end:
        with _naming(path):
            new = at_the_end.enter_context(_beside(path, data))
            keeps = replace and path.exists()
            old = at_the_end.enter_context(_beside(path, path.read_bytes())) if keeps else None
        yield _Ready(path, new, old)


def _exchange(ready: list[_Ready]) -> None:
    """Rename all; where one fails, and also where the user interrupts, those before it go back."""
    done: list[_Ready] = []
    try:
        for each in ready:
            with _naming(each.path):
                if each.old is None:
                    each.path.touch(exist_ok=False)  # fails where somebody else was quicker
                done.append(each)  # first: an interrupt may come right after the renaming
                os.replace(each.new, each.path)
    except BaseException:
        for each in reversed(done):
            if each.old is None:
                each.path.unlink(missing_ok=True)
            else:
                os.replace(each.old, each.path)
        raise


@contextlib.contextmanager
def _beside(path: Path, data: bytes) -> Iterator[Path]:
    """A new file in the same folder that can take this path's name; gone at the end, if it has not taken it."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    there = path.exists()
    try:
        mode = 0o600 if there else 0o666  # what replaces a private file is at no time readable by others
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if there:
            shutil.copymode(path, temporary)
            kept = path.stat()
            with contextlib.suppress(OSError):  # only an administrator can give files away, and only then it matters
                os.chown(temporary, kept.st_uid, kept.st_gid)
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Errors name the file that was to be written, not the one beside it."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise
