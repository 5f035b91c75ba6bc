"""The program that is to be repaired: how it is run, and what runs of the original have shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from traceonce.facts import Verdict
from traceonce.facts.cause import SILENT
from traceonce.facts.replay import Probed, ReplaySettings, Returned, stable_name
from traceonce.fix.case import Case
from traceonce.fix.proposals import can_change
from traceonce.prove.budget import Budget, Stopped
from traceonce.prove.judgement import Observed, ran_out_of_time
from traceonce.prove.run_differences import (
    Variation,
    find_difference,
    find_variation,
    results_difference,
    returned_by_function,
)
from traceonce.prove.search_result import Files
from traceonce.prove.stage_client import Replays, Run

WITHIN = 0.6  # of the calls of a run that was ended by its time
HURRY = 3.7  # how much faster the clock of the second run goes
FAR_TOO_LONG, FAR_TOO_LONG_SECONDS = 3.0, 10.0  # times what the program takes, and more: a run with a change is ended


def is_wrong(case: Case) -> bool:
    """Does the function return what it should not, or nothing since its trace fails?"""
    return case.diagnosis.verdict.is_silent or case.diagnosis.verdict is Verdict.FAILED


class Program:
    """`understand` reads the functions off a run, the worst first; `tell` says what is going on.

    `has_other_callers`: what is repaired is a library, and not all that calls it is seen.
    """

    def __init__(
        self,
        replays: Replays,
        sources: Files,
        understand: Callable[[Run], list[Case]],
        tell: Callable[[str], None],
        *,
        calls: int | None = None,
        budget: Budget | None = None,
        has_other_callers: bool = False,
    ) -> None:
        self.has_other_callers = has_other_callers
        self.budget = budget or Budget()
        self.sources = sources
        self.understand = understand
        self.tell = tell
        self._replays = replays
        self._settings = ReplaySettings(calls=calls)
        self.original = Observed(Run.nothing(), {})
        self.variation = Variation()
        self._twin: Run | None = None
        self._oracle: Run | None = None
        self._corrected = False
        self._usual = 0.0

    def first_run(self) -> Run:
        """The program as it is, once. What is wrong with it is for the caller to see before it is studied."""
        self.tell(f"running the unchanged program: python {self._replays.command}")
        run = self._run_unchanged(self._settings)
        if run.replay is not None and run.replay.cut == "timeout" and run.replay.returned:
            # No two runs are as long in time: let them all be as long in calls, and well within the time.
            calls = max(int(len(run.replay.returned) * WITHIN), 1)
            self._settings = msgspec.structs.replace(self._settings, calls=calls)
            self.tell(f"timed out after {len(run.replay.returned)} calls: running the first {calls} of them")
            return self._run_unchanged(self._settings)
        if run.status:
            relaxed = msgspec.structs.replace(self._settings, deterministic=False)
            again = self._run_unchanged(relaxed)
            if not again.status:  # it uses what has no deterministic implementation
                self._settings = relaxed
                return again
        return run

    def study(self, first: Run, needing: Sequence[Case]) -> None:
        """Run the original again, for what varies by itself, and eagerly where a value may be silently wrong."""
        self.original = self.observed(first)
        names = tuple(dict.fromkeys(stable_name(case.diagnosis.function) for case in needing))
        probing = msgspec.structs.replace(self._settings, probe=names)
        if any(can_change(case) for case in needing):
            self.tell("running it again to check determinism")
            self._twin = self._run_unchanged(probing, clock=HURRY)
            self.variation = find_variation(first, self._twin)
        if any(case.codes & SILENT or is_wrong(case) for case in needing):
            self.tell("running it eagerly for reference results")
            self._oracle = self._run_unchanged(msgspec.structs.replace(probing, eager=True))

    def _run_unchanged(self, settings: ReplaySettings, *, clock: float = 1.0) -> Run:
        run = self._replays.run({}, settings, clock=clock)
        self._usual = max(self._usual, run.seconds)
        self.budget.note_run(run.seconds)
        return run

    def run(self, files: Files, *, probe: str | None = None) -> Observed:
        """The program with these files; the function `probe` is called beyond what the program does.

        Stopped where the time is up: before the run, or in it.
        """
        self.budget.check()
        settings = msgspec.structs.replace(self._settings, probe=(probe,) if probe is not None else ())
        patience = FAR_TOO_LONG * self._usual + FAR_TOO_LONG_SECONDS
        seconds = self.budget.most(patience)
        run = self._replays.run(files, settings, timeout=seconds)
        if seconds < patience and ran_out_of_time(run):
            raise Stopped("budget")
        return self.observed(run)

    def observed(self, run: Run) -> Observed:
        traces: dict[str, int] = {}
        for case in self.understand(run):
            name = stable_name(case.diagnosis.function)
            traces[name] = traces.get(name, 0) + case.diagnosis.traces
        return Observed(run, traces)

    def oracle_for(self, case: Case) -> Run | None:
        """What is right where the original is wrong; None where the original is the measure.

        Once a repair has made the program right, the original is no measure for any that follow.
        """
        return self._oracle if is_wrong(case) or self._corrected else None

    def note_corrected(self) -> None:
        """A repair was taken with which the program returns what the original did not."""
        self._corrected = True

    def probes_for(self, case: Case) -> tuple[Probed, ...] | None:
        """Calls beyond the run of what a repair is compared with; None where they could not be made."""
        measure = self.oracle_for(case) or self._twin
        return measure.probes if measure is not None else None

    def is_silently_wrong(self, run: Run) -> bool:
        """Does a run return what it would not if it were run eagerly? Supposed, where it was not run eagerly yet."""
        return self._oracle is None or find_difference(self._oracle, run, self.variation) is not None

    def returned_wrongly(self, name: str) -> bool:
        """Was it seen that the function returned, in the original, what it does not when it is run eagerly?"""
        if self._oracle is None or name in self.variation.functions:
            return False
        return results_difference(self._oracle, self.original.run, name) is not None

    def fails_by_tracing(self, run: Run, name: str) -> bool:
        """Does a run end in an error, or a call of the function, that it would not end in if it were run eagerly?

        Supposed, likewise. A function that is only called inside others fails where any of these does.
        """
        if self._oracle is None or (run.status and not self._oracle.status):
            return True
        calls, eagerly = returned_by_function(run), returned_by_function(self._oracle)
        names = [name] if name in calls or name in eagerly else list(calls)
        return any(_raising(calls.get(each, ())) > _raising(eagerly.get(each, ())) for each in names)


def _raising(calls: Sequence[Returned]) -> int:
    return sum(call.error is not None for call in calls)
