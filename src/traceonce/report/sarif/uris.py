"""Files as SARIF names them: by URIs, relative to the root of the source where they lie below it.

Paths are taken as text, by the rules of the system that they were written on: a report may be made on another machine,
and no path of a recording is ever looked up.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from types import ModuleType
from urllib.parse import quote

SOURCE_ROOT = "%SRCROOT%"
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_NO_FILE = re.compile(r"<.*>", re.DOTALL)  # <stdin>, <string>, <ipython-input-1-…>


class Uris:
    """The files of a program that ran in the folder `cwd`."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd if _is_absolute(cwd) else ""
        self._root = _repository(self._cwd) or self._cwd

    @property
    def source_root(self) -> str | None:
        """What relative URIs are relative to, where it is known."""
        return _folder(self._root) if self._root else None

    @property
    def working_folder(self) -> str | None:
        return _folder(self._cwd) if self._cwd else None

    def locate(self, file: str | None) -> dict[str, str] | None:
        """An `artifactLocation`; None for code that lies in no file."""
        if not file or _NO_FILE.fullmatch(file):
            return None
        paths = _rules_of(file if _is_absolute(file) else self._cwd)
        path = paths.normpath(paths.join(self._cwd, file))
        root = paths.join(paths.normpath(self._root), "") if self._root else ""
        if _is_absolute(path) and not (root and paths.normcase(path).startswith(paths.normcase(root))):
            return {"uri": _absolute(path)}
        return {"uri": quote(_with_slashes(path[len(root) :], paths)), "uriBaseId": SOURCE_ROOT}


def _repository(cwd: str) -> str | None:
    """GitHub knows files from the root of the repository, which is not always where the program was started."""
    root = os.environ.get("GITHUB_WORKSPACE", "").rstrip("/")
    return root if root and f"{cwd}/".startswith(f"{root}/") else None


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or _WINDOWS.match(path) is not None


def _rules_of(path: str) -> ModuleType:
    return ntpath if _WINDOWS.match(path) else posixpath


def _with_slashes(path: str, paths: ModuleType) -> str:
    return path.replace("\\", "/") if paths is ntpath else path


def _folder(path: str) -> str:
    uri = _absolute(path)
    return uri if uri.endswith("/") else uri + "/"


def _absolute(path: str) -> str:
    paths = _rules_of(path)
    text = _with_slashes(paths.normpath(path), paths)
    if paths is posixpath or text.startswith("//"):  # //server/share/…
        return ("file://" if not text.startswith("//") else "file:") + quote(text)
    return "file:///" + quote(text, safe="/:")
