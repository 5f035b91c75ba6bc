"""Failures that hide each other: a program dies of the first, and only with that one repaired comes to the next.

So a change with which the function itself no longer fails is kept for a while, though the program still does; if all
that fails behind it can be repaired, too, and the program is then what it is when it is run eagerly, all are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from traceonce.facts import Verdict
from traceonce.facts.replay import stable_name
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.proposals import consider
from traceonce.fix.source.edits import Edits
from traceonce.prove.joint import Part, TakenTogether, prove_together
from traceonce.prove.judgement import Observed
from traceonce.prove.program import Program
from traceonce.prove.search_result import Files
from traceonce.prove.stage_client import Run

MOST_FAILURES = 5  # one behind the other
MOST_TRIES = 3  # changes of each


class FailuresInTurn:
    """`current` is the program with `files`, the repairs taken before."""

    def __init__(
        self, program: Program, current: Observed, files: Files, needs_repair: Callable[[Case, Run], bool]
    ) -> None:
        self._program = program
        self._current = current
        self._files = files
        self._needs_repair = needs_repair

    def run(self, case: Case, candidates: Sequence[Candidate]) -> TakenTogether | None:
        """From a function whose changes were refuted alone. Stopped where the search is."""
        parts: list[Part] = []
        files, observed = self._files, self._current
        waiting: Case | None = case
        while waiting is not None and len(parts) < MOST_FAILURES:
            step = self._step(waiting, candidates, files)
            if step is None:
                return None
            part, files, observed = step
            parts.append(part)
            done = {stable_name(each.case.diagnosis.function) for each in parts}
            failing = [each for each in self._failing(observed) if stable_name(each.diagnosis.function) not in done]
            waiting = failing[0] if failing else None
            candidates = [each for each in consider(waiting).candidates if each.change is not None] if waiting else ()
        if waiting is not None or len(parts) < 2:
            return None
        return prove_together(self._program, parts, self._current, self._files, files, observed, self._needs_repair)

    def _step(self, case: Case, candidates: Sequence[Candidate], files: Files) -> tuple[Part, Files, Observed] | None:
        """The first change with which the function itself fails no more."""
        name = stable_name(case.diagnosis.function)
        for candidate in candidates[:MOST_TRIES]:
            written = self._written(candidate, files)
            if written is None:
                continue
            self._program.tell(
                f"{case.diagnosis.function.name}: trying {candidate.recipe}, and fixes for the errors it uncovers"
            )
            observed = self._program.run(written)
            if all(stable_name(each.diagnosis.function) != name for each in self._failing(observed)):
                return Part(case, candidate), written, observed
        return None

    def _failing(self, observed: Observed) -> list[Case]:
        cases = self._program.understand(observed.run)
        failed = (case for case in cases if case.diagnosis.verdict is Verdict.FAILED)
        return [case for case in failed if self._needs_repair(case, observed.run)]

    def _written(self, candidate: Candidate, files: Files) -> Files | None:
        edits = Edits({**self._program.sources, **files})
        try:
            assert candidate.change is not None
            candidate.change(edits)
            return {**files, **edits.results()}
        except Declined:
            return None
