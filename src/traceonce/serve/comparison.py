"""Two runs side by side: which functions got better, and which causes are gone.

Functions of the two runs belong together by these rules, the first that applies:

1. the same backend, name and file (from where each run was started); several of one name (lambdas, say) in the order of
   their lines, if there are as many in both runs;
2. of those the same line, if there are not;
3. the same backend and name, where only one function of each run is left that is called so.

What became of a function:

1. It was traced in one run only: *new*, or *gone*.
2. It could be ignored in one run and not in the other: *better*, or *worse*.
3. Tracing it raised an error, or it is no longer compiled, in one run and not in the other: *worse*, or *better*.
4. It has fewer retraces: *better*; more: *worse*.
5. It has fewer compilations, where they were watched in both runs: *better*; more: *worse*.
6. Else it is the *same*. Times say nothing here: they vary by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from traceonce.facts import Diagnosis
from traceonce.facts.event import path_from
from traceonce.report.base import Material
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
from traceonce.serve.summaries import count, describe_cause

_ORDER: tuple[Change, ...] = ("worse", "new", "better", "gone", "same")


class ComparedRun(NamedTuple):
    """One of the two."""

    summary: Summary
    material: Material

    @property
    def cwd(self) -> str:
        return self.material.recording.cwd


def compare(before: ComparedRun, after: ComparedRun) -> Comparison:
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


Key: TypeAlias = tuple[object, ...]


def _pair(before: ComparedRun, after: ComparedRun) -> list[_Pair]:
    """By the rules above."""
    left, right = _in_order(before), _in_order(after)
    pairs: list[_Pair] = []
    for rule in (_place, _line, _name):
        groups_left, groups_right = _grouped(left, before.cwd, rule), _grouped(right, after.cwd, rule)
        for key, those in groups_left.items():
            others = groups_right.get(key, [])
            if len(those) == len(others) and (rule is not _name or len(those) == 1):
                pairs += map(_Pair, those, others)
        together = {id(diagnosis) for pair in pairs for diagnosis in pair}
        left = [diagnosis for diagnosis in left if id(diagnosis) not in together]
        right = [diagnosis for diagnosis in right if id(diagnosis) not in together]
    return [*pairs, *(_Pair(gone, None) for gone in left), *(_Pair(None, new) for new in right)]


def _in_order(run: ComparedRun) -> list[Diagnosis]:
    return sorted(run.material.diagnoses, key=lambda diagnosis: diagnosis.function.line or 0)


def _grouped(
    diagnoses: Iterable[Diagnosis], cwd: str, rule: Callable[[Diagnosis, str], Key]
) -> dict[Key, list[Diagnosis]]:
    groups: dict[Key, list[Diagnosis]] = {}
    for diagnosis in diagnoses:
        groups.setdefault(rule(diagnosis, cwd), []).append(diagnosis)
    return groups


def _place(diagnosis: Diagnosis, cwd: str) -> Key:
    return *_name(diagnosis, cwd), _file(diagnosis, cwd)


def _line(diagnosis: Diagnosis, cwd: str) -> Key:
    return *_place(diagnosis, cwd), diagnosis.function.line


def _name(diagnosis: Diagnosis, cwd: str) -> Key:
    return diagnosis.backend, diagnosis.function.name


def _file(diagnosis: Diagnosis, cwd: str) -> str:
    file = diagnosis.function.file
    return path_from(cwd, cwd, file) if file else ""


def _compare(pair: _Pair, before_cwd: str, after_cwd: str) -> ComparedFunction:
    before, after = pair
    there, cwd = (after, after_cwd) if after is not None else (before, before_cwd)
    assert there is not None
    causes_before, causes_after = _causes(before), _causes(after)
    return ComparedFunction(
        name=there.function.name,
        file=_file(there, cwd) or None,
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
    was, now = _trouble(before, after), _trouble(after, before)
    return "same" if was == now else "better" if now < was else "worse"


def _trouble(one: Diagnosis, other: Diagnosis) -> tuple[bool, bool, bool, int, int]:
    """What is worse by rules 2 to 5 is greater."""
    compiles = one.compiles if other.compiles else 0
    return not one.verdict.is_ignorable, one.failed > 0, one.fell_back is not None, one.retraces, compiles


def _causes(diagnosis: Diagnosis | None) -> dict[tuple[str, str], CauseSummary]:
    causes = diagnosis.causes if diagnosis is not None else ()
    return {(cause.code.value, cause.path): describe_cause(cause) for cause in causes}


def _side(diagnosis: Diagnosis | None) -> Side | None:
    if diagnosis is None:
        return None
    return Side(**count(diagnosis))


def _cost(function: ComparedFunction) -> float:
    return max(side.lost_seconds for side in (function.before, function.after) if side is not None)
