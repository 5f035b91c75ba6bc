"""What a program that imports traceonce gets: `watch()`, with its diagnoses and its report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from traceonce.atomic_files import write_named
from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, Recording
from traceonce.facts.quantities import count_of, duration
from traceonce.integrations import listeners as listeners  # enters itself
from traceonce.observe.watch import Observation
from traceonce.words.translated import Language

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Watched(Protocol[P, R_co]):
    """A function under ``@traceonce.watch``: as it was, and `watched` is what its last call has seen."""

    watched: Watch

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __get__(self, instance: None, owner: type, /) -> Watched[P, R_co]: ...
    @overload
    def __get__(
        self: Watched[Concatenate[Any, Q], R_co], instance: object, owner: type | None = None, /
    ) -> Callable[Q, R_co]: ...


class Watch(Observation):
    """The traces of a block, their causes and their cost. Readable during and after the block.

    >>> with traceonce.watch() as seen:
    ...     train()
    >>> seen
    <traceonce.Watch: 2 functions, 20 traces, 18 retraces, 6.6 s lost>
    >>> print(seen)                     # the whole report
    >>> seen["train_step"].traces
    11
    >>> for diagnosis in seen:          # worst first
    ...     print(diagnosis)
    >>> seen.open_in_browser()

    `start()` and `stop()` do the same without a block. False if nothing was traced.
    """

    @property
    def diagnoses(self) -> list[Diagnosis]:
        """One diagnosis per traced function, worst first."""
        return diagnose(self.recording)

    @property
    def traces(self) -> int:
        """The number of traces of all functions."""
        return sum(diagnosis.traces for diagnosis in self._counted())

    @property
    def retraces(self) -> int:
        """The number of traces that were not the first of their function."""
        return sum(diagnosis.retraces for diagnosis in self._counted())

    @property
    def lost_seconds(self) -> float:
        """The cost of the retraces in seconds."""
        return sum(diagnosis.lost_seconds for diagnosis in self._counted())

    def count(self, name: str) -> int:
        """The number of traces of functions with this name; 0 if there are none."""
        return sum(diagnosis.traces for diagnosis in self._called(name))

    def __getitem__(self, name: str | int) -> Diagnosis:
        """The diagnosis of the function with this name (qualified, or its last part where that is enough).

        A number gives one by its rank: 0 is the worst.
        """
        diagnoses = self.diagnoses
        if isinstance(name, int):
            return diagnoses[name]
        found = [diagnosis for diagnosis in diagnoses if diagnosis.function.is_called(name)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(sorted(d.function.name for d in diagnoses)) or "none"
        problem = "more than one traced function is called" if found else "no traced function is called"
        raise KeyError(f"{problem} {name!r}; traced: {names}")

    def __contains__(self, name: object) -> bool:
        """Was a function of this name traced?"""
        return isinstance(name, str) and bool(self._called(name))

    def __iter__(self) -> Iterator[Diagnosis]:
        """The diagnoses, worst first."""
        return iter(self.diagnoses)

    def __len__(self) -> int:
        """How many functions were traced."""
        return len(self._counted())

    def __repr__(self) -> str:
        if self._recorder is None:
            return "<traceonce.Watch: not started>"
        counted = self._counted()
        retraces = sum(diagnosis.retraces for diagnosis in counted)
        parts = [count_of(len(counted), "function"), count_of(sum(diagnosis.traces for diagnosis in counted), "trace")]
        if retraces:
            lost = duration(sum(diagnosis.lost_seconds for diagnosis in counted))
            parts += [count_of(retraces, "retrace"), f"{lost} lost"]
        return f"<traceonce.Watch: {', '.join(parts)}{' so far' if self.is_running else ''}>"

    def __str__(self) -> str:
        """The whole report, as text."""
        return self.report().rstrip("\n")

    def report(self, format: str = "text", language: Language = "en") -> str:
        """The report as a string: ``"text"``, ``"json"``, ``"html"``, ``"markdown"``…

        ``"html"`` and ``"markdown"`` are also available in Chinese, with ``language="zh"``.
        """
        from traceonce.analysis.material import find_out
        from traceonce.report.base import find_renderer

        render = find_renderer(format)
        return render(find_out(self._with_sources(), format, language))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a recording, completely or not at all, with the source lines that reports show.

        `Recording.load` and ``traceonce report FILE`` read it, on any machine. Without source lines:
        ``seen.recording.save(path)``.
        """
        file = Path(path)
        if file.suffix.lower() in (".html", ".htm"):
            raise UsageError(f"{file}: save() writes a recording, not a page; use write_html().")
        self._with_sources().save(file)
        return file

    def write_html(self, path: str | os.PathLike[str], language: Language = "en") -> Path:
        """Write the report as one self-contained HTML file, completely or not at all."""
        file = Path(path)
        try:
            write_named(file, self.report("html", language).encode(errors="replace"))
        except OSError as error:
            raise UsageError(f"{file}: cannot be written: {error.strerror or error}.") from error
        return file

    def open_in_browser(self, path: str | os.PathLike[str] | None = None, language: Language = "en") -> Path:
        """Write the report as HTML, to `path` or a temporary file, and open it in the browser.

        If no browser can be opened, a warning names the file.
        """
        import tempfile
        import warnings
        import webbrowser

        if path is None:
            handle, path = tempfile.mkstemp(prefix="traceonce-", suffix=".html")
            os.close(handle)
        file = self.write_html(path, language).absolute()
        if not webbrowser.open(file.as_uri()):
            warnings.warn(f"could not open a browser; the report is at {file.as_uri()}", stacklevel=2)
        return file

    def _repr_html_(self) -> str:
        """What a notebook shows where this is the last expression of a cell."""
        from traceonce.report.frame import in_frame

        return in_frame(self.report("html"))

    def __call__(self, function: Callable[P, R]) -> Watched[P, R]:
        return cast(Watched[P, R], super().__call__(function))

    def _counted(self) -> list[Diagnosis]:
        """The diagnoses without fixes: whoever counts in a loop need not wait for those."""
        from traceonce.diagnosis import diagnose as count

        return count(self.recording)

    def _called(self, name: str) -> list[Diagnosis]:
        return [diagnosis for diagnosis in self._counted() if diagnosis.function.is_called(name)]

    def _with_sources(self) -> Recording:
        """The recording as reports need it: with lines of source, and in a notebook with its cells by their names."""
        from traceonce.integrations.jupyter.cells import name_cells, running_shell
        from traceonce.observe.excerpts import with_excerpts

        recording, shell = with_excerpts(self.recording), running_shell()
        return recording if shell is None else name_cells(recording, shell)


def diagnose(recording: Recording) -> list[Diagnosis]:
    """One diagnosis per traced function, worst first, each with the fixes that may help and its records.

    It is what `Watch.diagnoses` has, for a recording of any machine and any time.
    """
    from traceonce.analysis.diagnoses import diagnose_linked

    return diagnose_linked(recording)


@overload
def watch() -> Watch: ...
@overload
def watch(function: Callable[P, R]) -> Watched[P, R]: ...
def watch(function: Callable[P, R] | None = None) -> Watch | Watched[P, R]:
    """Watch every trace made in a ``with`` block or, as a decorator, in each call of a function.

    Nothing is printed: ``print()`` the result, or use its `report()`, `diagnoses` or `recording`. A decorated function
    has the watch of its last call as ``function.watched``.
    """
    return Watch() if function is None else Watch()(function)
