"""Does a package that is installed here contain the fixed parts of a message at all? It is read, never imported.

1.  Its Python sources are looked at first. A message may be broken there over several lines and strings, so blanks,
    quotes, brackets, ``+`` and the prefixes of strings do not count, neither in the sources nor in what is looked for.
2.  What is not found there is looked for in its binaries, byte by byte.
3.  A message may be put together from several texts and values. So it will do if most of it is in the sources, in runs
    of words that end where a string, or a field in one, begins or ends.
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

from traceonce.knowledge.expressions import LEAST, fixed_parts
from traceonce.knowledge.record import Record

Progress: TypeAlias = Callable[[str, int, int], None]  # the package, bytes searched, bytes in all

MOST = 0.6  # of a text's characters
_STARTS, _ENDS = (b'"', b"'", b"}", b"%s", b"%d"), (b'"', b"'", b"{", b"%")
_PUNCTUATION = b",.:;[]-"
_BINARY = re.compile(r"\.(so(\.[\d.]+)?|pyd|dylib)$")
_WITHOUT_STRING_PREFIX = [
    (before + b"f" + quote, before + quote) for before in (b" ", b"(", b"\n") for quote in (b'"', b"'")
]
_NOT_MESSAGES = {
    "python": {"site-packages", "dist-packages", "test", "tests", "idlelib", "__pycache__"},
    "traceonce": {"knowledge", "__pycache__"},  # experiments and rules quote messages; they do not raise them
}


class Provenance(NamedTuple):
    """What a package says to a record. `missing` are the parts that it does not contain; None: it is not installed."""

    package: str
    missing: list[str] | None


def package_of(record: Record) -> str:
    """The package whose text the message is."""
    return record.raised_by or record.domain or record.id.partition("/")[0]


def look_up(records: Iterable[Record], progress: Progress | None = None) -> list[Provenance | None]:
    """A finding for each record; None where its expression has no parts that could be looked for."""
    wanted = [(package_of(record), fixed_parts(record.regex)) for record in records]
    texts: dict[str, set[str]] = {}
    for package, parts in wanted:
        texts.setdefault(package, set()).update(text for part in parts for text in part)
    found = {package: find_texts(package, some, progress) for package, some in texts.items() if some}
    return [_finding(package, found.get(package), parts) if parts else None for package, parts in wanted]


def _finding(package: str, found: dict[str, bool] | None, parts: Iterable[tuple[str, ...]]) -> Provenance:
    if found is None:
        return Provenance(package, None)
    return Provenance(package, [part[0] for part in parts if not any(found[text] for text in part)])


def find_texts(package: str, texts: Iterable[str], progress: Progress | None = None) -> dict[str, bool] | None:
    """Which of these texts the package contains; None where it is not installed."""
    files = package_files(package)
    if files is None:
        return None
    known = _known(package)
    wanted = list(dict.fromkeys(texts))
    new = [text for text in wanted if text not in known]
    known.update({text: _squeeze(text.encode()) in _sources(package) for text in new})
    if missing := {text for text in new if not known[text]}:
        in_binaries = _in_binaries(package, missing, progress)
        known.update({text: text in in_binaries or _Runs(text, package).make_up_most() for text in missing})
    return {text: known[text] for text in wanted}


class _Runs:
    """The runs of a text's words that are in the sources of a package."""

    def __init__(self, text: str, package: str) -> None:
        self._words = words = text.split()
        self._marked = _marked_sources(package)
        self._reach: list[int] = []  # from each word on, how far the sources have the same words
        end = 0
        for start in range(len(words)):
            end = max(end, start)
            while end < len(words) and self._run(start, end + 1) in _sources(package):
                end += 1
            self._reach.append(end)

    def _run(self, start: int, end: int) -> bytes:
        return _squeeze(" ".join(self._words[start:end]).encode())

    def _size(self, start: int, end: int) -> int:
        return len(" ".join(self._words[start:end]))

    def make_up_most(self) -> bool:
        """Is most of the text there, in runs that end where a string, or a field of one, does?"""
        whole = self._size(0, len(self._words))
        long = [(start, end) for start, end in enumerate(self._reach) if self._size(start, end) >= LEAST]
        anywhere = {number for start, end in long for number in range(start, end)}
        if sum(len(self._words[number]) + 1 for number in anywhere) < MOST * whole:
            return False  # to look at their ends takes longer
        return self._covered(0, len(self._words)) >= MOST * whole

    def _covered(self, first: int, last: int) -> int:
        """How many characters such runs have, the longest taken first."""
        for length in range(last - first, 0, -1):
            for start in range(first, last - length + 1):
                end, size = start + length, self._size(start, start + length)
                if size >= LEAST and end <= self._reach[start] and self._is_bordered(start, end):
                    return self._covered(first, start) + size + self._covered(end, last)
        return 0

    def _is_bordered(self, start: int, end: int) -> bool:
        return _is_bordered(self._run(start, end), self._marked, start > 0, end < len(self._words))


def _is_bordered(run: bytes, sources: bytes, before: bool, after: bool) -> bool:
    """Does it occur with the end of a string, or of a field in one, at those of its sides where it was cut off?"""
    at = sources.find(run)
    for _ in range(1000):
        if at < 0:
            return False
        left = sources[max(0, at - 4) : at].rstrip(_PUNCTUATION)
        right = sources[at + len(run) : at + len(run) + 4].lstrip(_PUNCTUATION)
        if (not before or left.endswith(_STARTS)) and (not after or right.startswith(_ENDS)):
            return True
        at = sources.find(run, at + 1)
    return False


@functools.cache
def _known(package: str) -> dict[str, bool]:
    return {}


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
    return _mark(text).translate(None, b"\"'{}")


def _mark(text: bytes) -> bytes:
    """The same, but for the ends of strings and of fields."""
    for prefixed, plain in _WITHOUT_STRING_PREFIX:
        text = text.replace(prefixed, plain)
    text = text.replace(b"\\n", b"").translate(None, b" \n\r\t\f\v`\\()+")
    for joint in (b'""', b"''", b"\"'", b"'\""):
        text = text.replace(joint, b"")
    return text


@functools.cache
def _marked_sources(package: str) -> bytes:
    files = package_files(package)
    return b"\n".join(_mark(_read(path)) for path in files.sources) if files else b""


@functools.cache
def _sources(package: str) -> bytes:
    return _marked_sources(package).translate(None, b"\"'{}")


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
