"""The user's files: read once, and written all or none."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from traceonce.atomic_files import atomic_write_all
from traceonce.errors import UsageError

_AGAIN = "run `traceonce fix` again"


class Snapshot:
    """The files of a project as they were when they were read, by the names that recordings use.

    The project is what is given here: nothing else is ever written.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths: dict[str, Path] = {}
        self.contents: dict[str, bytes] = {}
        for name, path in paths.items():
            try:
                self.contents[name] = path.read_bytes()
                self._paths[name] = path.absolute()
            except FileNotFoundError:  # it was temporary, and another program's: it is no part of the project any more
                continue
            except OSError as error:
                raise UsageError(f"{name}: cannot be read: {error.strerror or error}.") from None
        self._hashes = {name: _hash(content) for name, content in self.contents.items()}

    def write(self, changed: Mapping[str, bytes]) -> None:
        """Put all new contents in place, or change nothing at all."""
        targets = {name: self._target(name) for name in changed}
        names = {str(target): name for name, target in targets.items()}

        def check_once_more() -> None:  # writing took its time
            for name, target in targets.items():
                self._check_unchanged(name, target)

        try:
            atomic_write_all({targets[name]: data for name, data in changed.items()}, last_check=check_once_more)
        except OSError as error:
            name = names.get(error.filename, error.filename)
            raise UsageError(f"{name}: cannot be written: {error.strerror or error}. Nothing was changed.") from None

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


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
