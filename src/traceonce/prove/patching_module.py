"""Change installed libraries in memory, as they are imported: import this module before them.

Nothing is changed where a library is not of the version, or a file of it not of the content, that this was made for, or
where it has been imported already: a RuntimeWarning says why, `applied` is False, and the program runs as without this.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import io
import os
import sys
import tokenize
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import TypedDict


class Changed(TypedDict):
    """One file: the SHA-256 of what it was, and its changed lines: from, to (both included), what they become."""

    sha256: str
    lines: list[tuple[int, int, str]]


class Patch(TypedDict):
    distribution: str | None
    version: str | None
    files: dict[str, Changed]


# By the name that is imported; files from the folder of the package's parent on.
PATCHES: dict[str, Patch] = {}


class _Refused(Exception):  # noqa: N818  # said in a warning
    pass


class _Loader(SourceFileLoader):
    """Loads a module from its changed source. Its code gets a file name of its own, so that nobody who shows or reads
    the source of a function (a traceback, `inspect`) takes it from the file that is installed."""

    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._changed = source

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self._changed, f"{self.path} (changed by {__name__})")
        return code

    def get_source(self, fullname: str) -> str:
        return importlib.util.decode_source(self._changed)


class _Finder:
    """The first finder: lets the others find a module, and has it loaded from its changed source."""

    def __init__(self, sources: dict[str, tuple[str, bytes]]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        file, source = self._sources[fullname]
        others = [each for each in sys.meta_path if each is not self and hasattr(each, "find_spec")]
        found = (each.find_spec(fullname, path, target) for each in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is None or spec.origin is None or os.path.realpath(spec.origin) != file:
            return spec
        spec.loader = _Loader(fullname, spec.origin, source)
        return spec


def _apply() -> bool:
    sources: dict[str, tuple[str, bytes]] = {}
    try:
        for library, patch in PATCHES.items():
            sources.update(_sources_of(library, patch))
    except _Refused as why:
        warnings.warn(f"{__name__}: nothing was patched: {why}", RuntimeWarning, stacklevel=2)
        return False
    if sources:
        sys.meta_path.insert(0, _Finder(sources))
    return True


def _sources_of(library: str, patch: Patch) -> dict[str, tuple[str, bytes]]:
    """The changed modules of a library: name, file, source."""
    if patch["distribution"] is not None:
        try:
            version = importlib.metadata.version(patch["distribution"])
        except importlib.metadata.PackageNotFoundError:
            raise _Refused(f"{patch['distribution']} is not installed") from None
        if version != patch["version"]:
            raise _Refused(f"it was made for {patch['distribution']} {patch['version']}, but {version} is installed")
    if library in sys.modules:
        raise _Refused(f"{library} is already imported; import {__name__} before it")
    spec = importlib.util.find_spec(library)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    origin = folders[0] if folders else spec.origin if spec is not None else None
    if origin is None:
        raise _Refused(f"{library} is not installed")
    found = {}
    for name, changed in patch["files"].items():
        file = os.path.realpath(os.path.join(origin, *name.split("/")[1:]))
        module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        found[module] = file, _change(file, changed)
    return found


def _change(file: str, changed: Changed) -> bytes:
    try:
        with open(file, "rb") as opened:
            data = opened.read()
    except OSError as error:
        raise _Refused(f"{file}: cannot be read: {error.strerror or error}") from None
    if hashlib.sha256(data).hexdigest() != changed["sha256"]:
        raise _Refused(f"{file}: differs from the file it was made for")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    lines = data.decode(encoding).split("\n")
    whole = [line + "\n" for line in lines[:-1]] + lines[-1:]
    for start, end, text in reversed(changed["lines"]):
        whole[start - 1 : end] = [text]
    return "".join(whole).encode(encoding)


applied = _apply()
