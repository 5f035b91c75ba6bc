"""What a program that imports traceonce gets: `watch()`, with its diagnoses and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar, overload

from traceonce.facts import Diagnosis
from traceonce.observe.watch import Observation
from traceonce.report.base import Language

P = ParamSpec("P")
R = TypeVar("R")


class Watch(Observation):
    """What was traced in a block, why, and at what cost.

    >>> with traceonce.watch() as seen:
    ...     train()
    >>> seen["train_step"].traces
    1
    >>> print(seen.report())
    """

    @property
    def diagnoses(self) -> list[Diagnosis]:
        """One diagnosis per traced function, worst first."""
        from traceonce.analysis.diagnoses import diagnose_linked

        return diagnose_linked(self.recording)

    def __getitem__(self, name: str) -> Diagnosis:
        """The diagnosis of the function with this name (qualified, or its last part where that is enough)."""
        diagnoses = self.diagnoses
        found = [diagnosis for diagnosis in diagnoses if diagnosis.function.is_called(name)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(sorted(d.function.name for d in diagnoses)) or "none"
        problem = "more than one traced function is called" if found else "no traced function is called"
        raise KeyError(f"{problem} {name!r}; traced: {names}")

    def count(self, name: str) -> int:
        """How often functions of this name were traced, all of them together; 0 where none was."""
        return sum(diagnosis.traces for diagnosis in self._called(name))

    def __contains__(self, name: object) -> bool:
        """Was a function of this name traced?"""
        return isinstance(name, str) and bool(self._called(name))

    def __iter__(self) -> Iterator[Diagnosis]:
        """The diagnoses, worst first. (Without this, Python would ask for number 0, 1, 2.)"""
        return iter(self.diagnoses)

    def _called(self, name: str) -> list[Diagnosis]:
        """Its diagnoses without fixes: whoever counts in a loop need not wait for those."""
        from traceonce.explain import diagnose

        return [diagnosis for diagnosis in diagnose(self.recording) if diagnosis.function.is_called(name)]

    def report(self, format: str = "text", language: Language = "en") -> str:
        """The report as a string: ``"text"``, ``"json"``, ``"html"``, ``"markdown"``…

        ``"html"`` and ``"markdown"`` come in Chinese, too, with ``language="zh"``.
        """
        from traceonce.analysis.material import find_out
        from traceonce.observe.excerpts import with_excerpts
        from traceonce.report.base import find_renderer

        render = find_renderer(format)
        return render(find_out(with_excerpts(self.recording), format, language))


@overload
def watch() -> Watch: ...
@overload
def watch(function: Callable[P, R]) -> Callable[P, R]: ...
def watch(function: Callable[P, R] | None = None) -> Watch | Callable[P, R]:
    """Watch every trace made in a ``with`` block, or, as a decorator, in each call of a function.

    Nothing is printed: ask the result for its `report()`, its `diagnoses` or its `recording`. Of a decorated function
    the last call's watch is ``function.watched``.
    """
    return Watch() if function is None else Watch()(function)
