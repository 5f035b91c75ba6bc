"""Repair one function after the other, look again after each, and end where nothing more can be proved.

1. The program is run twice as it is. What differs between the two runs proves nothing later. Where a value is silently
   wrong, or a trace fails, it is run eagerly as well: that is what is right (`program`).
2. The worst function that needs a repair comes first, with its candidates (`trying`).
3. With what was taken, the program is looked at again: what was hidden behind the first cause comes next.
4. What was refuted for each function alone is tried for several at once (`joint`); where one fails, with what fails
   behind it (`failures_in_turn`).
5. A function that was repaired, and still has more than a few traces, is looked at again while there is time.
6. It ends where nothing needs a repair, or nothing more can be proved; sooner, where its time is up or the user
   interrupts it (`budget`): what is proved by then stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from traceonce.facts import Fix, Verdict
from traceonce.facts.replay import stable_name
from traceonce.fix.case import Case
from traceonce.prove.attempt import MOST_TRIES, RESERVE, Taken, Trying
from traceonce.prove.budget import Stopped, Why
from traceonce.prove.failures_in_turn import FailuresInTurn
from traceonce.prove.joint import Joint, Part
from traceonce.prove.judgement import Observed
from traceonce.prove.program import Program, is_wrong
from traceonce.prove.search_result import Files, Repaired, SearchResult
from traceonce.prove.stage_client import Run

_TRACED_TOO_OFTEN = (Verdict.RETRACING, Verdict.RECOMPILING, Verdict.FELL_BACK, Verdict.AVOIDABLE)
MOST_STEPS = 6  # repairs of one function
FEW = 2  # traces with which a repaired function is done: two are what a flag makes, or the last batch


class Search:
    """`only` names the functions to repair, if not all; `wide` takes the wider of two signatures.

    `concerns`: is a function one of those that this is about?
    """

    def __init__(
        self,
        program: Program,
        *,
        wide: bool = False,
        only: Sequence[str] = (),
        concerns: Callable[[Case], bool] = lambda case: True,
    ) -> None:
        self._program = program
        self._wide = wide
        self._only = tuple(only)
        self._concerns = concerns
        self._files: Files = {}
        self._current = program.original
        self._done: dict[str, Repaired] = {}
        self._stopped: Why | None = None

    def repair(self, first: Run) -> SearchResult:
        """The search, from the first run of the program on."""
        program = self._program
        try:
            program.study(first, self._needing(first))
        except Stopped as end:
            self._stopped = end.why
        self._current = program.original
        self._repair_each()
        self._repair_in_turn()
        self._repair_together()
        self._repair_further()
        shown = frozenset(name for name, repaired in self._done.items() if self._was_shown_wrong(name, repaired))
        along = self._names_needing(program.original.run) - self._names_needing(self._current.run) - self._done.keys()
        return SearchResult(
            program.original,
            program.variation,
            tuple(self._done.values()),
            self._files,
            self._current,
            shown,
            along,
            self._stopped,
        )

    def _names_needing(self, run: Run) -> frozenset[str]:
        return frozenset(stable_name(case.diagnosis.function) for case in self._needing(run))

    def _repair_each(self) -> None:
        while (case := self._next()) is not None:
            repaired, taken = self._step(case)
            self._note(case, repaired)
            if taken is not None:
                self._take(taken.files, taken.observed, [case])

    def _step(self, case: Case, most: int = MOST_TRIES) -> tuple[Repaired, Taken | None]:
        trying = Trying(self._program, case, self._current, self._files, self._needs_repair, wide=self._wide, most=most)
        if self._stopped is not None:
            return trying.left(self._stopped), None
        answer = trying.run()
        self._stopped = trying.stopped
        return answer

    def _note(self, case: Case, repaired: Repaired) -> None:
        name = stable_name(case.diagnosis.function)
        self._done[name] = self._done[name].followed_by(repaired) if name in self._done else repaired

    def _take(self, files: Files, observed: Observed, cases: Sequence[Case]) -> None:
        if any(map(is_wrong, cases)):
            self._program.note_corrected()
        self._files, self._current = files, observed

    def _repair_in_turn(self) -> None:
        """What fails may hide what fails behind it."""
        mine = [] if self._program.has_other_callers else self._done.values()
        stuck = [repaired for repaired in mine if repaired.stuck and not repaired.fixes]
        for repaired in [each for each in stuck if each.case.diagnosis.verdict is Verdict.FAILED]:
            if self._stopped is not None:
                return
            if self._done[stable_name(repaired.case.diagnosis.function)].settled:  # behind another
                continue
            failures = FailuresInTurn(self._program, self._current, self._files, self._needs_repair)
            try:
                taken = failures.run(repaired.case, repaired.refuted_alone)
            except Stopped as end:
                self._stopped = end.why
                return
            if taken is not None:
                for each, part in taken.parts.items():
                    self._note(part.case, Repaired(part.case, (), (), (), settled=False))
                    self._settle(each, taken.fixes[each])
                self._take(taken.files, taken.observed, [repaired.case])
                self._repair_each()

    def _settle(self, name: str, fix: Fix) -> None:
        self._done[name] = self._done[name]._replace(fixes=(fix,), settled=True, stuck=False)

    def _repair_together(self) -> None:
        """What was refuted for each function alone may be right for several."""
        stuck = [repaired for repaired in self._done.values() if repaired.stuck and not repaired.fixes]
        groups = [[Part(one.case, candidate) for candidate in one.refuted_alone] for one in stuck]
        groups = [group for group in groups if group]
        while len(groups) > 1 and self._stopped is None:
            try:
                taken = Joint(self._program, groups, self._current, self._files, self._needs_repair).run()
            except Stopped as end:
                self._stopped = end.why
                return
            if taken is None:
                return
            names = taken.fixes.keys()
            for name, fix in taken.fixes.items():
                self._settle(name, fix)
            self._take(taken.files, taken.observed, [self._done[name].case for name in names])
            groups = [group for group in groups if stable_name(group[0].case.diagnosis.function) not in names]

    def _repair_further(self) -> None:
        """What was repaired and still has more than `FEW` traces: each further repair leaves fewer."""
        for name in [name for name, repaired in self._done.items() if repaired.fixes and repaired.settled]:
            while len(self._done[name].fixes) < MOST_STEPS and self._stopped is None:
                case = self._still_traced(name)
                if case is None or not self._program.budget.fits(RESERVE):
                    break
                repaired, taken = self._step(case, RESERVE)
                self._done[name] = self._done[name]._replace(attempts=(*self._done[name].attempts, *repaired.attempts))
                if taken is None or not taken.settled or taken.fix.safety == "narrow":
                    break
                self._done[name] = self._done[name]._replace(fixes=(*self._done[name].fixes, taken.fix))
                self._take(taken.files, taken.observed, [case])

    def _still_traced(self, name: str) -> Case | None:
        cases = self._program.understand(self._current.run)
        found = [case for case in cases if stable_name(case.diagnosis.function) == name]
        traced = [case for case in found if case.diagnosis.traces > FEW and case.diagnosis.verdict is Verdict.BOUNDED]
        return insist(traced[0]) if len(found) == len(traced) == 1 else None

    def _next(self) -> Case | None:
        return next((case for case in self._needing(self._current.run) if not _is_done(case, self._done)), None)

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
        if not self._concerns(case):
            return False
        if diagnosis.verdict.is_silent:
            return self._program.is_silently_wrong(run)
        if diagnosis.verdict is Verdict.FAILED:
            return self._program.fails_by_tracing(run, stable_name(diagnosis.function))
        return diagnosis.verdict in _TRACED_TOO_OFTEN


def insist(case: Case) -> Case:
    """The case as one that needs a repair, though it is bounded."""
    if case.diagnosis.verdict is not Verdict.BOUNDED or not case.diagnosis.retraces:
        return case
    return case._replace(diagnosis=msgspec.structs.replace(case.diagnosis, verdict=Verdict.RETRACING))


def _is_done(case: Case, done: Mapping[str, Repaired]) -> bool:
    """Was it given up? What was repaired and still needs more is not."""
    known = done.get(stable_name(case.diagnosis.function))
    return known is not None and (known.stuck or len(known.fixes) >= MOST_STEPS)
