"""Does a package that is installed here contain the fixed parts of a message at all? It is read, never imported.

1.  Its Python sources are looked at first. A message may be broken there over several lines and strings, so blanks,
    quotes, brackets, ``+`` and the prefixes of strings do not count, neither in the sources nor in what is looked for.
2.  A message may be put together from two or three texts: pieces of twelve characters and more will do.
3.  What is not found there is looked for in its binaries, byte by byte.
4.  All parts of all records go through the files once; what was found is remembered as long as the process lives.
"""

from __future__ import annotations

import functools
import importlib.util
import mmap
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import re2

from traceonce.knowledge.fixed_parts import fixed_parts
from traceonce.knowledge.record import Record

Progress: TypeAlias = Callable[[str, int, int], None]  # the package, bytes searched, bytes in all

PIECES, LEAST_OF_A_PIECE = 3, 12
_BINARY = re.compile(r"\.(so(\.[\d.]+)?|pyd|dylib)$")
_WITHOUT_STRING_PREFIX = [
    (before + b"f" + quote, before + quote) for before in (b" ", b"(", b"\n") for quote in (b'"', b"'")
]
_NOT_MESSAGES = {
    "python": {"site-packages", "dist-packages", "test", "tests", "idlelib", "__pycache__"},
    "traceonce": {"knowledge", "__pycache__"},  # experiments and rules quote messages; they do not raise them
}


class Finding(NamedTuple):
    """What a package says to a record. `missing` are the parts that it does not contain; None: it is not installed."""

    package: str
    missing: list[str] | None


def package_of(record: Record) -> str:
    """The package whose text the message is."""
    return record.raised_by or record.domain or record.id.partition("/")[0]


def look_up(records: Iterable[Record], progress: Progress | None = None) -> list[Finding | None]:
    """A finding for each record; None where its expression has no parts that could be looked for."""
    wanted = [(package_of(record), fixed_parts(record.regex)) for record in records]
    texts: dict[str, set[str]] = {}
    for package, parts in wanted:
        texts.setdefault(package, set()).update(text for part in parts or () for text in part)
    found = {package: find_texts(package, some, progress) for package, some in texts.items() if some}
    return [_finding(package, found.get(package), parts) if parts else None for package, parts in wanted]


def _finding(package: str, found: dict[str, bool] | None, parts: Iterable[tuple[str, ...]]) -> Finding:
    if found is None:
        return Finding(package, None)
    return Finding(package, [part[0] for part in parts if not any(found[text] for text in part)])


def find_texts(package: str, texts: Iterable[str], progress: Progress | None = None) -> dict[str, bool] | None:
    """Which of these texts the package contains; None where it is not installed."""
    files = package_files(package)
    if files is None:
        return None
    known = _known(package)
    sources = _sources(package)
    known.update({text: _in_pieces(text.split(), sources, PIECES) for text in texts if text not in known})
    looked_for = {text for text in texts if not known[text]} - _searched_binaries(package)
    if looked_for:
        known.update(dict.fromkeys(_in_binaries(package, looked_for, progress), True))
        _searched_binaries(package).update(looked_for)
    return {text: known[text] for text in texts}


def _in_pieces(words: list[str], sources: bytes, pieces: int) -> bool:
    """Are these words there as one text, or as a few, each as long as it can be?"""
    if _squeeze(" ".join(words).encode()) in sources:
        return True
    for cut in range(len(words) - 1, 0, -1) if pieces > 1 else ():
        first = " ".join(words[:cut])
        if len(first) < LEAST_OF_A_PIECE:
            return False
        if _squeeze(first.encode()) in sources:
            rest = words[cut:]
            return len(" ".join(rest)) >= LEAST_OF_A_PIECE and _in_pieces(rest, sources, pieces - 1)
    return False


@functools.cache
def _known(package: str) -> dict[str, bool]:
    return {}


@functools.cache
def _searched_binaries(package: str) -> set[str]:
    return set()


class Files(NamedTuple):
    """What a package consists of."""

    sources: list[Path]
    binaries: list[Path]


@functools.cache
def package_files(package: str) -> Files | None:
    """The files of a package that is installed here, by its import name; `python` is the language itself."""
    tops = _tops(package)
    if not tops:
        return None
    skipped = _NOT_MESSAGES.get(package, {"__pycache__"})
    files = Files([], [])
    for path in (path for top in tops for path in _walk(top, skipped)):
        if path.suffix == ".py":
            files.sources.append(path)
        elif _BINARY.search(path.name) or path in tops:
            files.binaries.append(path)
    return files


def _tops(package: str) -> list[Path]:
    if package == "python":
        library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
        places = [Path(sysconfig.get_path("stdlib")), Path(sys.executable).resolve(), library]
        return [place for place in places if place.exists() and (place.is_file() or place.name.startswith("python"))]
    if not package.isidentifier():  # to look for a name with dots would import its parents
        return []
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    return [Path(place) for place in spec.submodule_search_locations or [spec.origin or ""] if Path(place).exists()]


def _walk(top: Path, skipped: set[str]) -> Iterator[Path]:
    if top.is_file():
        yield top
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in skipped)
        yield from (Path(folder, name) for name in sorted(names))


def _squeeze(text: bytes) -> bytes:
    """Without anything that may stand between two words of a message in a source."""
    for prefixed, plain in _WITHOUT_STRING_PREFIX:
        text = text.replace(prefixed, plain)
    return text.replace(b"\\n", b"").translate(None, b" \n\r\t\f\v\"'`\\()+{}")


@functools.cache
def _sources(package: str) -> bytes:
    files = package_files(package)
    return b"\n".join(_squeeze(_read(path)) for path in files.sources) if files else b""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _in_binaries(package: str, texts: set[str], progress: Progress | None) -> set[str]:
    files = package_files(package)
    binaries = [(path, path.stat().st_size) for path in (files.binaries if files else [])]
    total, done, left = sum(size for _, size in binaries), 0, set(texts)
    for path, size in binaries:
        if not left:
            break
        if size:
            left -= _in_binary(path, left)
        done += size
        if progress is not None:
            progress(package, done, total)
    return texts - left


def _in_binary(path: Path, texts: set[str]) -> set[str]:
    """Which of these texts are in the file: one pass, leftmost first, each text leaving the search when it is found."""
    left = {tuple(text.encode().split()): text for text in texts}
    found: set[str] = set()
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes, not characters
    options.log_errors = False
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = 0
            while left:
                any_of = b"|".join(rb"[ \n]+".join(map(re2.escape, words)) for words in left)
                match = re2.compile(any_of, options).search(data, at)
                if match is None:
                    break
                at, words = match.start(), tuple(bytes(match.group()).split())
                for shorter in [other for other in left if _begins(words, other)]:
                    found.add(left.pop(shorter))
                del match  # it holds the map open
    except OSError:
        return found
    return found


def _begins(words: tuple[bytes, ...], other: tuple[bytes, ...]) -> bool:
    """Does the text of these words begin with the other's? Then both were found."""
    return b" ".join(words).startswith(b" ".join(other))
