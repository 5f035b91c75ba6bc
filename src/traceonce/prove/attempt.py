"""One function, one step: its candidates from the least change up, until one is proved.

The first proved one that settles the function is taken, unless there is time for one that would leave fewer traces, is
proved as closely, and takes all input that the first takes; where none settles it, the proved one with the fewest
traces. Where a trace fails in what the function calls, that is changed as well (`fix.follow_up`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from traceonce.facts import Fix, Note, Proof
from traceonce.facts.quantities import count_of
from traceonce.facts.replay import stable_name
from traceonce.fix.candidate import Candidate, Declined, WidenableChange
from traceonce.fix.case import Case
from traceonce.fix.follow_up import FailedRun, failures
from traceonce.fix.kit import kit_of
from traceonce.fix.proposals import consider
from traceonce.fix.source.edits import Edits
from traceonce.prove.budget import Stopped, Why
from traceonce.prove.judgement import Observed, clearly_slower, doubt, judge, label, new_breaks
from traceonce.prove.program import Program, is_wrong
from traceonce.prove.run_differences import compare_probes
from traceonce.prove.search_result import Attempt, Files, Repaired, tell_fix
from traceonce.prove.stage_client import Run
from traceonce.words.notes.declined import FAILED_TO_WRITE, FITS_ONE_PROGRAM
from traceonce.words.notes.proofs import GRAPH_IS_CUT_NOW, PRINTED_COUNT_CHANGED, PRINTED_COUNT_NOT_EAGER
from traceonce.words.notes.reasons import BUDGET_USED_UP, INTERRUPTED, RUNS_AS_PLAIN_PYTHON, TRACED_ELSEWHERE

MOST_ROUNDS = 5  # of follow-ups of one candidate; each needs that the one before has shown something new
MOST_TRIES = 14  # candidates that are run
RESERVE = 4  # runs that there must be time for, to look for what is better than a repair that settles the function
SHOWN = 120  # characters of a change, while it is tried


class Taken(NamedTuple):
    """A proved repair: the files with it, and the program as it ran with them."""

    fix: Fix
    files: Files
    observed: Observed
    settled: bool

    @property
    def traces(self) -> int:
        assert self.fix.proof is not None
        return self.fix.proof.after.traces


def _is_better(one: Taken, other: Taken) -> bool:
    """Fewer traces; but what settles the function is not given for what refuses input that it takes."""
    narrower = one.fix.safety == "narrow" and other.fix.safety != "narrow"
    return one.traces < other.traces and not (other.settled and (narrower or not one.settled))


def may_help(case: Case, proof: Proof) -> bool:
    """Is a change worth telling that was not proved? Not where it leaves as many traces, or nothing to be traced."""
    plain = proof.coded_reason is not None and proof.coded_reason.code == RUNS_AS_PLAIN_PYTHON.code
    return is_wrong(case) or (proof.after.traces < proof.before.traces and not plain)


def may_be_right_with_others(case: Case, proof: Proof) -> bool:
    """Where another function is wrong, too, the program is not right with this one alone; nor are there fewer traces
    where what one function saves is traced in another."""
    reason = proof.coded_reason
    elsewhere = reason is not None and reason.code == TRACED_ELSEWHERE.code
    return elsewhere or (is_wrong(case) and proof.verdict == "refuted")


class Trying:
    """`current` is the program with `files`, the repairs taken before. `wide`: take the wider of two signatures.

    Up to `most` candidates are run.
    """

    def __init__(
        self,
        program: Program,
        case: Case,
        current: Observed,
        files: Files,
        needs_repair: Callable[[Case, Run], bool],
        *,
        wide: bool,
        most: int = MOST_TRIES,
    ) -> None:
        self._program = program
        self._most = most
        self._case = case
        self._name = stable_name(case.diagnosis.function)
        self._current = current
        self._files = files
        self._needs_repair = needs_repair
        self._wide = wide
        self._attempts: list[Attempt] = []
        self._unproved: tuple[Fix, Files] | None = None
        self._tried: list[Files] = []
        self._refuted_alone: list[Candidate] = []
        self._judged: list[tuple[Candidate, bool]] = []  # not proved, and whether it was run in vain
        self._several = 0
        self._kit = kit_of(case.diagnosis.backend)
        self._follow_ups = self._kit.follow_ups(case, self._is_new) if self._kit.follow_ups is not None else None
        self._proposals = consider(case)
        self.stopped: Why | None = None

    def run(self) -> tuple[Repaired, Taken | None]:
        """Try them; where the search is stopped meanwhile, `stopped` says why."""
        best: Taken | None = None
        waiting = self._in_order()
        self._several = len(waiting)
        while waiting and len(self._tried) < self._most:
            candidate = waiting[0]
            if not self._is_no_better(candidate, best):
                if best is not None and best.settled and not self._program.budget.fits(RESERVE):
                    break
                try:
                    taken = self._try_along(candidate)
                except Stopped as stopped:
                    return self._left(stopped.why, waiting, best), best
                if taken is not None and (best is None or _is_better(taken, best)):
                    best = taken
                    self._tell_proved(best.fix)
            waiting.pop(0)
        return self._repaired(best), best

    def left(self, why: Why) -> Repaired:
        """Nothing is tried, since the search has been stopped."""
        return self._left(why, self._in_order(), None)

    def _left(self, why: Why, waiting: Sequence[Candidate], best: Taken | None) -> Repaired:
        self.stopped = why
        reason = INTERRUPTED() if why == "interrupted" else BUDGET_USED_UP(seconds=self._program.budget.seconds)
        if best is not None:  # the function comes once more, with what is left of its causes
            return self._repaired(best)
        self._attempts += [
            Attempt(candidate.recipe, (reason,), codes=candidate.causes, declined=False) for candidate in waiting
        ]
        repaired = self._repaired(best)
        return repaired._replace(advice=(*waiting[:1], *repaired.advice))  # as it stands, not run

    def _in_order(self) -> list[Candidate]:
        """What changes the source; where time is short, the first of each recipe before the second of any."""
        candidates = [candidate for candidate in self._proposals.candidates if candidate.change is not None]
        if self._program.has_other_callers:
            fitted = [each for each in candidates if any(one.fits_calls for one in self._kit.named(each.recipe))]
            candidates = [each for each in candidates if each not in fitted]
            self._attempts += [Attempt(each.recipe, (FITS_ONE_PROGRAM(),), codes=each.causes) for each in fitted]
        if self._program.budget.fits(min(len(candidates), self._most)):
            return candidates
        seen: Counter[str] = Counter()
        ranks = []
        for candidate in candidates:
            ranks.append(seen[candidate.recipe])
            seen[candidate.recipe] += 1
        return [candidate for _, candidate in sorted(zip(ranks, candidates, strict=True), key=lambda pair: pair[0])]

    def _tell_proved(self, fix: Fix) -> None:
        assert fix.proof is not None
        before, after = fix.proof.before.traces, fix.proof.after.traces
        function = self._case.diagnosis.function.name
        self._program.tell(f"{function}: proved {fix.recipe}: {count_of(before, 'trace')} → {after}")

    def _repaired(self, best: Taken | None) -> Repaired:
        proposals = self._proposals
        self._attempts += [Attempt(recipe, reasons) for recipe, reasons in proposals.declined.items()]
        return Repaired(
            case=self._case,
            fixes=(best.fix,) if best is not None else (),
            attempts=tuple(self._attempts),
            advice=tuple(each for each in proposals.candidates if each.change is None and not self._is_refuted(each)),
            settled=best is not None and best.settled,
            stuck=best is None,
            unproved=self._unproved,
            refuted_alone=tuple(self._refuted_alone),
        )

    def _is_refuted(self, advice: Candidate) -> bool:
        """Was the same change run, in whatever way it was written, and in vain each time?"""
        same = [in_vain for candidate, in_vain in self._judged if candidate.is_same_change(advice)]
        return bool(same) and all(same)

    def _is_no_better(self, candidate: Candidate, best: Taken | None) -> bool:
        """Would it leave as many traces as what is proved already, or be compared less closely than what settles it?"""
        if best is None:
            return False
        left = candidate.traces_to_go_by
        return (candidate.untraced and best.settled) or left is None or left >= best.traces

    def _try_along(self, candidate: Candidate) -> Taken | None:
        """The candidate; where a trace fails under it, the same with the functions changed in which it fails."""
        result = self._try(candidate)
        reach = None
        for _ in range(MOST_ROUNDS):
            if not isinstance(result, FailedRun) or self._follow_ups is None:
                break
            following = self._follow_ups.after(candidate, result, reach)
            if following is None:
                return None
            reach = following.reach
            result = self._try(following.candidate)
        return result if isinstance(result, Taken) else None

    def _try(self, candidate: Candidate) -> Taken | FailedRun | None:
        files = self._write(candidate)
        if files is None:
            return None
        shown = (candidate.snippet or "").partition("\n")[0][:SHOWN]
        which = f"{len(self._tried)} of up to {min(max(self._several, len(self._tried)), self._most)}"
        self._program.tell(f"{self._case.diagnosis.function.name}: trying {candidate.recipe} ({which}): {shown}")
        taken = self._prove(candidate, files)
        proof = taken.fix.proof
        if proof is None or proof.verdict == "proved":
            if taken.fix.safety != "narrow" or not self._program.has_other_callers:
                return self._offer_wider(candidate, taken)
            self._attempts.append(Attempt(candidate.recipe, (FITS_ONE_PROGRAM(),), codes=candidate.causes))
            return None
        reasons = (proof.coded_reason,) if proof.coded_reason is not None else ()
        self._attempts.append(Attempt(candidate.recipe, reasons, proof, candidate.causes))
        self._judged.append((candidate, proof.verdict == "refuted" or not may_help(self._case, proof)))
        if may_be_right_with_others(self._case, proof):
            self._refuted_alone.append(candidate)
        if proof.verdict == "not_proved" and self._unproved is None and may_help(self._case, proof):
            self._unproved = taken.fix, files
        run = taken.observed.run
        if not failures(run.recording.events):
            return None
        known = {**self._program.sources, **files}
        return FailedRun(run.recording.events, run.status, run.errors, run.recording.cwd, known)

    def _prove(self, candidate: Candidate, files: Files) -> Taken:
        """Run it, judge it; what seems slower is measured once more, since the machine may be busy."""
        program, name = self._program, self._name
        oracle = program.oracle_for(self._case)
        observed = program.run(files, probe=name)
        wrong = is_wrong(self._case)
        proof = judge(
            name,
            program.original,
            self._current,
            observed,
            program.variation,
            oracle,
            wrong=wrong,
            untraced=candidate.untraced,
            unseen=self._case.diagnosis.function.library and not self._current.results_of(name),
        )
        if proof.verdict == "proved" and not wrong and clearly_slower(name, [self._current], [observed]):
            program.tell(f"{self._case.diagnosis.function.name}: measuring again")
            runs = [self._current, program.run(self._files)], [observed, program.run(files)]
            slower = clearly_slower(name, *runs)
            proof = proof if slower is None else doubt(proof, slower)
        fix = self._fix(candidate, proof, observed.run, files)
        return Taken(fix, files, observed, self._is_settled(observed, candidate))

    def _offer_wider(self, candidate: Candidate, least: Taken) -> Taken:
        """Where a signature is too narrow for calls to come: is the wider one proved as well?"""
        change = candidate.change if least.fix.safety == "narrow" else None
        broad = change.wider(candidate) if isinstance(change, WidenableChange) else None
        files = self._write(broad) if broad is not None else None
        if broad is None or files is None:
            return least
        self._program.tell(f"{self._case.diagnosis.function.name}: trying the wider signature")
        try:
            taken = self._prove(broad, files)
        except Stopped:  # what is proved counts
            return least
        if taken.fix.proof is None or taken.fix.proof.verdict != "proved":
            return least
        return taken if self._wide else least._replace(fix=msgspec.structs.replace(least.fix, wider=broad.snippet))

    def _write(self, candidate: Candidate) -> Files | None:
        """The files with the candidate written into them; None where it cannot be, or was tried before."""
        try:
            files = self._written(candidate)
        except Declined as why:
            self._attempts.append(Attempt(candidate.recipe, why.reasons, codes=candidate.causes))
            return None
        except Exception as error:  # a mistake of ours must not end the search
            failed = FAILED_TO_WRITE(error=f"{type(error).__name__}: {error}")
            self._attempts.append(Attempt(candidate.recipe, (failed,), codes=candidate.causes))
            return None
        if files is not None:
            self._tried.append(files)
        return files

    def _is_new(self, candidate: Candidate) -> bool:
        """Can it be written, and does it differ from all that was tried?"""
        try:
            return self._written(candidate) is not None
        except Declined:
            return False

    def _written(self, candidate: Candidate) -> Files | None:
        assert candidate.change is not None
        edits = Edits({**self._program.sources, **self._files})
        candidate.change(edits)
        changed = edits.results()
        files = {**self._files, **changed}
        return files if changed and files not in self._tried else None

    def _fix(self, candidate: Candidate, proof: Proof, run: Run, files: Files) -> Fix:
        probes = self._program.probes_for(self._case)
        beyond = None
        if probes is not None and run.probes is not None and not candidate.passes_state:
            beyond = compare_probes(probes, run.probes, self._name)
            proof = msgspec.structs.replace(
                proof,
                probes=beyond.tried,
                probe_differences=beyond.differing,
                probe_errors=beyond.raising,
            )
        doubts = list(self._doubts(candidate, proof, run))
        judged = label(candidate, self._kit.named(candidate.recipe), beyond, doubts)
        before = {**self._program.sources, **self._files}
        changes = {name: (before[name], text) for name, text in files.items() if text != before[name]}
        return tell_fix(candidate, judged, proof, changes)

    def _doubts(self, candidate: Candidate, proof: Proof, run: Run) -> Iterator[Note]:
        breaks = new_breaks(self._name, self._current.run, run)
        if breaks:
            yield GRAPH_IS_CUT_NOW(breaks=breaks)
        if proof.prints_counts and proof.measure == "eager":
            yield PRINTED_COUNT_NOT_EAGER()
        elif proof.prints_counts:
            yield PRINTED_COUNT_CHANGED()
        if self._follow_ups is not None:
            files = {**self._program.sources, **self._files}
            yield from self._follow_ups.doubts(candidate, self._proposals.candidates, files)

    def _is_settled(self, observed: Observed, candidate: Candidate) -> bool:
        cases = self._program.understand(observed.run)
        mine = [case for case in cases if stable_name(case.diagnosis.function) == self._name]
        return (bool(mine) or candidate.untraced) and not any(self._needs_repair(case, observed.run) for case in mine)
