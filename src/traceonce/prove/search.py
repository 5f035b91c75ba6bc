"""Repair one function after the other, look again after each, and end where nothing more can be proved.

1. The program is run twice as it is. What differs between the two runs proves nothing later. Where a value is silently
   wrong, or a trace fails, it is run eagerly as well: that is what is right (`program`).
2. The worst function that needs a repair comes first, with its candidates (`trying`).
3. With what was taken, the program is looked at again: what was hidden behind the first cause comes next.
4. It ends where nothing needs a repair, or nothing more can be proved; sooner, where its time is up or the user
   interrupts it (`budget`): what is proved by then stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from traceonce.facts import Verdict
from traceonce.facts.replay import stable_name
from traceonce.fix.case import Case
from traceonce.fix.kit import kit_of
from traceonce.prove.attempt import Trying
from traceonce.prove.budget import Stopped, Why
from traceonce.prove.judgement import Observed
from traceonce.prove.program import Program, is_wrong
from traceonce.prove.search_result import Files, Repaired, SearchResult
from traceonce.prove.stage_client import Run

_TRACED_TOO_OFTEN = (Verdict.RETRACING, Verdict.RECOMPILING, Verdict.FELL_BACK, Verdict.AVOIDABLE)
MOST_STEPS = 6  # repairs of one function


class Search:
    """`only` names the functions to repair, if not all; `wide` takes the wider of two signatures."""

    def __init__(self, program: Program, *, wide: bool = False, only: Sequence[str] = ()) -> None:
        self._program = program
        self._wide = wide
        self._only = tuple(only)

    def repair(self, first: Run) -> SearchResult:
        """The search, from the first run of the program on."""
        program = self._program
        stopped: Why | None = None
        try:
            program.study(first, self._needing(first))
        except Stopped as end:
            stopped = end.why
        files: Files = {}
        current = program.original
        done: dict[str, Repaired] = {}
        while (case := self._next(current, done)) is not None:
            name = stable_name(case.diagnosis.function)
            trying = Trying(program, case, current, files, self._needs_repair, wide=self._wide)
            repaired, taken = trying.run() if stopped is None else (trying.left(stopped), None)
            stopped = stopped or trying.stopped
            done[name] = done[name].followed_by(repaired) if name in done else repaired
            if taken is not None:
                if is_wrong(case):
                    program.note_corrected()
                files, current = taken.files, taken.observed
        shown = frozenset(name for name, repaired in done.items() if self._was_shown_wrong(name, repaired))
        return SearchResult(program.original, program.variation, tuple(done.values()), files, current, shown, stopped)

    def _next(self, current: Observed, done: Mapping[str, Repaired]) -> Case | None:
        return next((case for case in self._needing(current.run) if not _is_done(case, done)), None)

    def _was_shown_wrong(self, name: str, repaired: Repaired) -> bool:
        """Did the original return what is not right, and does it no more with a repair that was proved?"""
        proofs = [fix.proof for fix in repaired.fixes if fix.proof is not None]
        proved = any(proof.verdict == "proved" and proof.measure == "eager" for proof in proofs)
        return proved and repaired.case.diagnosis.verdict.is_silent and self._program.returned_wrongly(name)

    def _needing(self, run: Run) -> list[Case]:
        return [case for case in self._program.understand(run) if self._needs_repair(case, run)]

    def _needs_repair(self, case: Case, run: Run) -> bool:
        diagnosis = case.diagnosis
        if self._only and not any(diagnosis.function.is_called(name) for name in self._only):
            return False
        if diagnosis.verdict.is_silent:
            return self._program.is_silently_wrong(run)
        if diagnosis.verdict is Verdict.FAILED:
            name = stable_name(diagnosis.function)
            return kit_of(diagnosis.backend).repairs_failures and self._program.fails_by_tracing(run, name)
        return diagnosis.verdict in _TRACED_TOO_OFTEN


def _is_done(case: Case, done: Mapping[str, Repaired]) -> bool:
    """Was it given up? What was repaired and still needs more is not."""
    known = done.get(stable_name(case.diagnosis.function))
    return known is not None and (known.stuck or len(known.fixes) >= MOST_STEPS)
