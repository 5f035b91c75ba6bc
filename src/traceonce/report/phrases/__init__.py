"""What documents say of a run: a module for each language that they are written in, with the same functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from traceonce.facts import Breach, Cause, Diagnosis, FellBack, Fix, SiteCount, Verdict
from traceonce.words.translated import Language


class Labels(NamedTuple):
    """Headings, and the first words of lines."""

    function: str
    verdict: str
    traces: str
    calls: str
    lost: str
    why: str
    fix: str
    advice: str
    change: str
    note: str
    known: str
    eager: str
    breaks: str
    called_from: str
    the_rest: str
    worth_a_look: str
    the_run: str
    program: str
    ended_with: str
    colon: str
    comma: str
    costly: str


class Phrases(Protocol):
    """One language. Names, values and paths are the user's own: whoever writes a document makes them safe.

    In notes, code stands between backticks.
    """

    @property
    def LABELS(self) -> Labels: ...  # noqa: N802  # a constant of the module
    @property
    def VERDICTS(self) -> Mapping[Verdict, str]: ...  # noqa: N802

    def duration(self, seconds: float) -> str: ...
    def percent(self, share: float) -> str: ...
    def lost(self, seconds: float, share: float | None) -> str: ...
    def kept(self, number: int) -> str: ...
    def counted(self, functions: int, traces: int) -> str: ...
    def to_look_at(self, functions: int) -> str: ...
    def nothing_to_fix(self, functions: int) -> str: ...
    def no_alarm(self, avoidable: int, costly: int) -> str: ...
    def not_shown(self, functions: int) -> str: ...
    def other_lines(self, number: int) -> str: ...
    def through(self, site: SiteCount) -> str: ...
    def what_happened(self, diagnosis: Diagnosis) -> str: ...
    def limit_reached(self, breach: Breach, calls: int) -> str: ...
    def accepted(self, diagnosis: Diagnosis) -> str | None: ...
    def describe_reason(self, diagnosis: Diagnosis) -> str: ...
    def describe_notes(self, diagnosis: Diagnosis) -> list[str]: ...
    def describe_cause(self, cause: Cause, traces: int, backend: str) -> str: ...
    def describe_eager_calls(self, fell_back: FellBack) -> str: ...
    def describe_breaks(self, graph_breaks: Sequence[str]) -> str: ...
    def calls(self, diagnosis: Diagnosis) -> str: ...
    def describe_values(self, cause: Cause) -> str: ...
    def describe_remedy(self, cause: Cause, diagnosis: Diagnosis) -> str: ...
    def describe_fix(
        self, fix: Fix, diagnosis: Diagnosis, command: str | None, *, marked: bool = False
    ) -> Iterator[str]: ...


def phrases_in(language: Language) -> Phrases:
    if language == "zh":
        from traceonce.report.phrases import chinese

        return chinese
    from traceonce.report.phrases import english

    return english
