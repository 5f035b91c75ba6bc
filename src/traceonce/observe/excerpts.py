"""The source that a report shows: traced functions, and the lines around the calls that had them traced.

It is read when the program has just run, and kept in the recording: later, or on another machine, a file of that name
may hold something else.
"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import os
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from traceonce.facts import Excerpt, Recording
from traceonce.facts.event import package_path

FUNCTION_LINES = 60
CALL_LINES = 3  # before and after a call
SITES = 3  # call sites of one function
WIDTH = 400  # characters of a line
ALL_LINES = 5_000


def with_excerpts(recording: Recording) -> Recording:
    """The recording with its excerpts; one that has some keeps them."""
    if recording.excerpts:
        return recording
    return msgspec.structs.replace(recording, excerpts=tuple(excerpts_of(recording)))


def excerpts_of(recording: Recording) -> Iterator[Excerpt]:
    """What can be shown of the source: nothing of a file that has changed since the run began, and of no library."""
    sources = _Sources(recording)
    left = ALL_LINES
    for file, start, end in _places(recording, sources):
        lines = tuple(line[:WIDTH] for line in sources.lines(file)[start - 1 : end])
        if not lines or len(lines) > left:
            continue
        left -= len(lines)
        yield Excerpt(file, start, lines)


class _Sources:
    """The lines of files, as they were when the program ran."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._lines: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        if file not in self._lines:
            self._lines[file] = self._read(file)
        return self._lines[file]

    def _read(self, file: str) -> list[str]:
        if file in linecache.cache and not os.path.isabs(file):  # the cell of a notebook, or code made by a program
            return [line.rstrip("\n") for line in linecache.getlines(file)]
        path = Path(os.path.join(self._recording.cwd, file))
        with contextlib.suppress(OSError, SyntaxError, UnicodeDecodeError, ValueError):
            if not path.is_file():
                return [line.rstrip("\n") for line in linecache.getlines(file)]
            if path.stat().st_mtime <= self._recording.started:
                with tokenize.open(path) as source:
                    return source.read().splitlines()
        return []


def _places(recording: Recording, sources: _Sources) -> Iterable[tuple[str, int, int]]:
    """The file, first and last line of each excerpt, each once. Of the calls, those that had the most traces made."""
    sites: dict[str, Counter[tuple[str, int]]] = {}
    places: dict[tuple[str, int, int], None] = {}
    for event in recording.events:
        function, site = event.function, event.call_site
        if function.key not in sites and function.file and function.line and not function.library:
            start, end = _extent(sources.lines(function.file), function.line)
            places[function.file, start, end] = None
        seen = sites.setdefault(function.key, Counter())
        if site is not None and package_path(site.file) == site.file:
            seen[site.file, site.line] += 1
    for seen in sites.values():
        for (file, line), _ in seen.most_common(SITES):
            places[file, max(1, line - CALL_LINES), line + CALL_LINES] = None
    return places


def _extent(lines: list[str], line: int) -> tuple[int, int]:
    """The first and the last line of the function that begins at `line`, where its decorators are."""
    block = [text + "\n" for text in lines[line - 1 : line - 1 + FUNCTION_LINES]]
    with contextlib.suppress(SyntaxError, tokenize.TokenError):  # it is cut short, or no Python: shown as it is
        block = inspect.getblock(block)
    return line, line - 1 + len(block)
