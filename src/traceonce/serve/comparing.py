"""Two runs side by side: which functions got better, and which causes are gone.

Functions of the two runs belong together by these rules, the first that applies:

1. the same backend, name and file (from where each run was started);
2. the same backend and name, where only one function of each run is left that is called so.

What became of a function:

1. It was traced in one run only: *new*, or *gone*.
2. It could be ignored in one run and not in the other: *better*, or *worse*.
3. It has fewer retraces: *better*; more: *worse*; as many: the *same*. Times say nothing here: they vary by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from traceonce.facts import Diagnosis
from traceonce.facts.event import path_from
from traceonce.report.base import Material
from traceonce.serve.describing import describe_cause
from traceonce.serve.models import (
    CauseSummary,
    Change,
    ComparedFunction,
    Comparison,
    CountChange,
    SecondsChange,
    Side,
    Summary,
)

_ORDER: tuple[Change, ...] = ("worse", "new", "better", "gone", "same")


class Run(NamedTuple):
    """One of the two."""

    summary: Summary
    material: Material

    @property
    def cwd(self) -> str:
        return self.material.recording.cwd


def compare(before: Run, after: Run) -> Comparison:
    """All functions of both runs, the worst change first."""
    compared = [_compare(pair, before.cwd, after.cwd) for pair in _pair(before, after)]
    compared.sort(key=lambda function: (_ORDER.index(function.change), -_cost(function)))
    return Comparison(
        before=before.summary,
        after=after.summary,
        functions=compared,
        lost_seconds=SecondsChange(before=before.summary.lost_seconds, after=after.summary.lost_seconds),
        traces=CountChange(before=before.summary.traces, after=after.summary.traces),
    )


class _Pair(NamedTuple):
    before: Diagnosis | None
    after: Diagnosis | None


def _pair(before: Run, after: Run) -> list[_Pair]:
    """By the rules above."""
    left = {_place(diagnosis, before.cwd): diagnosis for diagnosis in before.material.diagnoses}
    right = {_place(diagnosis, after.cwd): diagnosis for diagnosis in after.material.diagnoses}
    pairs = [_Pair(left.pop(place), right.pop(place)) for place in [*left] if place in right]
    named_left, named_right = _alone(left.values()), _alone(right.values())
    pairs += [_Pair(diagnosis, named_right[name]) for name, diagnosis in named_left.items() if name in named_right]
    together = {id(diagnosis) for pair in pairs for diagnosis in pair}
    pairs += [_Pair(diagnosis, None) for diagnosis in left.values() if id(diagnosis) not in together]
    pairs += [_Pair(None, diagnosis) for diagnosis in right.values() if id(diagnosis) not in together]
    return pairs


def _place(diagnosis: Diagnosis, cwd: str) -> tuple[str, str, str]:
    function = diagnosis.function
    return diagnosis.backend, function.name, path_from(cwd, cwd, function.file) if function.file else ""


def _alone(diagnoses: Iterable[Diagnosis]) -> dict[tuple[str, str], Diagnosis]:
    found = [((diagnosis.backend, diagnosis.function.name), diagnosis) for diagnosis in diagnoses]
    counts = Counter(name for name, _ in found)
    return {name: diagnosis for name, diagnosis in found if counts[name] == 1}


def _compare(pair: _Pair, before_cwd: str, after_cwd: str) -> ComparedFunction:
    before, after = pair
    there, cwd = (after, after_cwd) if after is not None else (before, before_cwd)
    assert there is not None
    causes_before, causes_after = _causes(before), _causes(after)
    return ComparedFunction(
        name=there.function.name,
        file=_place(there, cwd)[2] or None,
        before=_side(before),
        after=_side(after),
        change=_change(before, after),
        causes_gone=[cause for key, cause in causes_before.items() if key not in causes_after],
        causes_new=[cause for key, cause in causes_after.items() if key not in causes_before],
    )


def _change(before: Diagnosis | None, after: Diagnosis | None) -> Change:
    """By the rules above."""
    if before is None:
        return "new"
    if after is None:
        return "gone"
    if before.verdict.is_ignorable != after.verdict.is_ignorable:
        return "better" if after.verdict.is_ignorable else "worse"
    if before.retraces != after.retraces:
        return "better" if after.retraces < before.retraces else "worse"
    return "same"


def _causes(diagnosis: Diagnosis | None) -> dict[tuple[str, str], CauseSummary]:
    causes = diagnosis.causes if diagnosis is not None else ()
    return {(cause.code.value, cause.path): describe_cause(cause) for cause in causes}


def _side(diagnosis: Diagnosis | None) -> Side | None:
    if diagnosis is None:
        return None
    return Side(
        traces=diagnosis.traces,
        retraces=diagnosis.retraces,
        calls=diagnosis.calls,
        lost_seconds=diagnosis.lost_seconds,
        verdict=diagnosis.verdict.value,
    )


def _cost(function: ComparedFunction) -> float:
    return max(side.lost_seconds for side in (function.before, function.after) if side is not None)
