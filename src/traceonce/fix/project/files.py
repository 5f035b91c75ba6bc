"""The user's files: read once, and written all or none."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from traceonce.errors import UsageError

_AGAIN = "run `traceonce fix` again"


class Snapshot:
    """The files of a project as they were when they were read, by the names that recordings use.

    The project is what is given here: nothing else is ever written.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = {name: Path(path).absolute() for name, path in paths.items()}
        self.contents: dict[str, bytes] = {}
        for name, path in self._paths.items():
            try:
                self.contents[name] = path.read_bytes()
            except OSError as error:
                raise UsageError(f"{name}: cannot be read: {error.strerror or error}.") from None
        self._hashes = {name: _hash(content) for name, content in self.contents.items()}

    def write(self, changed: Mapping[str, bytes]) -> None:
        """Put all new contents in place, or change nothing at all."""
        targets = {name: self._target(name) for name in changed}
        with contextlib.ExitStack() as at_the_end:
            ready = [at_the_end.enter_context(_prepared(name, targets[name], data)) for name, data in changed.items()]
            for name, target in targets.items():  # once more: writing took its time
                self._check_unchanged(name, target)
            _exchange(ready)

    def _target(self, name: str) -> Path:
        """The real file to write, if it may be written."""
        if name not in self._paths:
            raise UsageError(f"{name}: lies outside the project and is not written; make the change by hand.")
        path = Path(os.path.realpath(self._paths[name]))
        self._check_unchanged(name, path)
        if not os.access(path, os.W_OK):
            raise UsageError(f"{name}: cannot be written; make it writable, then {_AGAIN}. Nothing was changed.")
        return path

    def _check_unchanged(self, name: str, path: Path) -> None:
        try:
            now = _hash(path.read_bytes())
        except OSError as error:
            raise UsageError(
                f"{name}: cannot be read any more ({error.strerror or error}); {_AGAIN}. Nothing was changed."
            ) from None
        if now != self._hashes[name]:
            raise UsageError(f"{name}: has changed since it was read; {_AGAIN}. Nothing was changed.")


class _Ready(NamedTuple):
    """A file with its new content and a copy of its old one beside it."""

    name: str
    target: Path
    new: Path
    old: Path


@contextlib.contextmanager
def _prepared(name: str, target: Path, data: bytes) -> Iterator[_Ready]:
    """Both written and safe on the disk; whatever is left of them is removed in the end."""
    with contextlib.ExitStack() as at_the_end:
        try:
            new = _beside(target, data)
            at_the_end.callback(_discard, new)
            old = _beside(target, target.read_bytes())
            at_the_end.callback(_discard, old)
        except OSError as error:
            raise UsageError(f"{name}: cannot be written: {error.strerror or error}. Nothing was changed.") from None
        yield _Ready(name, target, new, old)


def _beside(target: Path, data: bytes) -> Path:
    """A new file with this content and the mode and owner of the target, in its folder, so that it can replace it."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    path = Path(name)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        shutil.copymode(target, path)
        kept = target.stat()
        with contextlib.suppress(OSError):  # only an administrator can give files away, and only then it matters
            os.chown(path, kept.st_uid, kept.st_gid)
    except BaseException:
        _discard(path)
        raise
    return path


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _exchange(ready: list[_Ready]) -> None:
    """Rename all; where one fails, and also where the user interrupts, those before it go back."""
    done: list[_Ready] = []
    try:
        for each in ready:
            done.append(each)  # first: an interrupt may come right after the renaming
            os.replace(each.new, each.target)
    except BaseException as error:
        for each in reversed(done):
            os.replace(each.old, each.target)
        if not isinstance(error, OSError):
            raise
        raise UsageError(
            f"{done[-1].name}: cannot be written: {error.strerror or error}. Nothing was changed."
        ) from None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
