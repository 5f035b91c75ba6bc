"""Repair one function after the other: try candidates from the least change up, keep what is proved, look again.

1. The program is run twice as it is. What differs between the two runs proves nothing later. Where a value is silently
   wrong it is run eagerly as well: that is what is right.
2. The worst function that needs a repair comes first. Each of its candidates is written into a copy and run; the first
   proved one that settles the function is taken, else the proved one with the fewest traces.
3. With what was taken, the program is looked at again: what was hidden behind the first cause comes next.
4. It ends where nothing needs a repair, or nothing more can be proved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from traceonce.facts import CauseCode, Edit, Fix, Proof, Verdict
from traceonce.facts.rehearsal import RehearsalSettings, stable_name
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.proposing import propose
from traceonce.fix.recipes.input_signature import wider
from traceonce.fix.source.edits import Edits
from traceonce.prove.comparing import Variation, compare_probes, find_difference, find_variation
from traceonce.prove.judging import Observed, judge, label
from traceonce.prove.rehearsing import Rehearsals, Run

MOST_TRIES = 14  # candidates that are run for one cause of one function
MOST_STEPS = 6  # repairs of one function
HURRY = 3.7  # how much faster the clock of the second run goes
SILENT = (Verdict.STALE, Verdict.CONFUSED)
SILENT_CODES = {CauseCode.STALE, CauseCode.CONFUSED}
Files: TypeAlias = dict[str, bytes]


class Attempt(NamedTuple):
    """A candidate that was not taken, and why; the proof where it was run."""

    candidate: Candidate
    reason: str
    proof: Proof | None = None


class Repaired(NamedTuple):
    """What was done about one function: the repairs taken, what else was tried, advice, and whether it is settled.

    `unproved` is the first candidate that could be written and was neither proved nor refuted, with its files.
    """

    case: Case
    fixes: tuple[Fix, ...]
    attempts: tuple[Attempt, ...]
    advice: tuple[Candidate, ...]
    settled: bool
    why: str | None = None
    unproved: tuple[Fix, Files] | None = None


class Outcome(NamedTuple):
    """All of it: the original run, the functions looked at, the files as they are to be, the last run."""

    original: Observed
    variation: Variation
    functions: tuple[Repaired, ...]
    files: Files
    last: Observed


class Search:
    """One program, repaired. `understand` reads the functions off a run, the worst first."""

    def __init__(
        self,
        rehearsals: Rehearsals,
        sources: Files,
        understand: Callable[[Run], list[Case]],
        tell: Callable[[str], None],
        *,
        calls: int | None = None,
        wide: bool = False,
        only: Sequence[str] = (),
    ) -> None:
        self.rehearsals = rehearsals
        self.sources = sources
        self.understand = understand
        self.tell = tell
        self.wide = wide
        self._only = tuple(only)
        self.settings = RehearsalSettings(calls=calls)
        self.oracle: Run | None = None
        self._silently_wrong: str | None = None

    def observe(self) -> Run:
        """The program as it is, once. What is wrong with it is for the caller to see before the search begins."""
        self.tell("running the program as it is")
        run = self.rehearsals.run({}, self.settings)
        if run.status and self.settings.deterministic:
            relaxed = msgspec.structs.replace(self.settings, deterministic=False)
            again = self.rehearsals.run({}, relaxed)
            if not again.status:  # it uses what has no deterministic implementation
                self.settings = relaxed
                return again
        return run

    def repair(self, first: Run) -> Outcome:
        """The search itself, from the first run of the unmodified program."""
        if first.rehearsal is not None and first.rehearsal.cut == "timeout":
            # Later runs are as long in calls, since no two are as long in time.
            self.settings = msgspec.structs.replace(self.settings, calls=max(len(first.rehearsal.returned), 1))
        original = self.observed(first)
        needing = [case for case in self.understand(first) if self.needs_repair(case)]
        variation = Variation()
        probes: Run | None = None
        if any(self._can_be_edited(case) for case in needing):
            self.tell("running it again, to see whether it does the same twice")
            names = tuple(dict.fromkeys(stable_name(case.diagnosis.function) for case in needing))
            probes = self.rehearsals.run({}, msgspec.structs.replace(self.settings, probe=names), clock=HURRY)
            variation = find_variation(first, probes)
        self._find_oracle(first, needing, variation)
        return self._repair_all(original, variation, probes)

    def _repair_all(self, original: Observed, variation: Variation, probes: Run | None) -> Outcome:
        files: Files = {}
        current = original
        done: dict[str, Repaired] = {}
        while True:
            waiting = [case for case in self.understand(current.run) if self.needs_repair(case)]
            case = next((case for case in waiting if not self._is_done(case, done)), None)
            if case is None:
                break
            name = stable_name(case.diagnosis.function)
            attempt = _Repair(self, case, original, current, variation, probes, files)
            repaired, taken = attempt.run()
            earlier = done.get(name)
            done[name] = repaired if earlier is None else _continued(earlier, repaired)
            if taken is not None:
                files, current = taken
                if self.oracle is not None:
                    self._silently_wrong = find_difference(self.oracle, current.run, variation)
                left = [other for other in self.understand(current.run) if self.needs_repair(other)]
                settled = name not in {stable_name(other.diagnosis.function) for other in left}
                done[name] = done[name]._replace(settled=settled)
        return Outcome(original, variation, tuple(done.values()), files, current)

    def _is_done(self, case: Case, done: dict[str, Repaired]) -> bool:
        """Was it settled, or given up? What was repaired and still needs more is not."""
        known = done.get(stable_name(case.diagnosis.function))
        return known is not None and (known.why is not None or len(known.fixes) >= MOST_STEPS)

    def needs_repair(self, case: Case) -> bool:
        diagnosis = case.diagnosis
        if self._only and not any(diagnosis.function.is_called(name) for name in self._only):
            return False
        if diagnosis.verdict in SILENT:
            return self._silently_wrong is not None or self.oracle is None
        return diagnosis.verdict in (Verdict.RETRACING, Verdict.RECOMPILING)

    def _can_be_edited(self, case: Case) -> bool:
        return not case.diagnosis.function.library

    def _find_oracle(self, first: Run, needing: Sequence[Case], variation: Variation) -> None:
        if not any(case.codes & SILENT_CODES for case in needing):
            return
        self.tell("running it eagerly, to see what is right")
        self.oracle = self.rehearsals.run({}, msgspec.structs.replace(self.settings, eager=True))
        self._silently_wrong = find_difference(self.oracle, first, variation)

    def observed(self, run: Run) -> Observed:
        traces: dict[str, int] = {}
        for case in self.understand(run):
            name = stable_name(case.diagnosis.function)
            traces[name] = traces.get(name, 0) + case.diagnosis.traces
        return Observed(run, traces)


def _continued(earlier: Repaired, later: Repaired) -> Repaired:
    return later._replace(
        case=earlier.case,
        fixes=(*earlier.fixes, *later.fixes),
        attempts=(*earlier.attempts, *later.attempts),
        unproved=later.unproved or earlier.unproved,
    )


class _Taken(NamedTuple):
    fix: Fix
    files: Files
    observed: Observed
    settled: bool

    @property
    def traces(self) -> int:
        assert self.fix.proof is not None
        return self.fix.proof.after.traces


class _Repair:
    """One function, one step: its candidates, until one is proved."""

    def __init__(
        self,
        search: Search,
        case: Case,
        original: Observed,
        current: Observed,
        variation: Variation,
        probes: Run | None,
        files: Files,
    ) -> None:
        self._search = search
        self._case = case
        self._name = stable_name(case.diagnosis.function)
        self._original = original
        self._current = current
        self._variation = variation
        self._probes = probes
        self._files = files
        self._attempts: list[Attempt] = []
        self._unproved: tuple[Fix, Files] | None = None
        self._tried: list[Files] = []

    def run(self) -> tuple[Repaired, tuple[Files, Observed] | None]:
        candidates = propose(self._case)
        best: _Taken | None = None
        for candidate in candidates:
            if candidate.change is None or self._is_no_better(candidate, best):
                continue
            taken = self._try(candidate)
            if taken is not None and (best is None or taken.traces < best.traces):
                best = taken
            if best is not None and best.settled:
                break
            if len(self._tried) >= MOST_TRIES:
                break
        advice = tuple(candidate for candidate in candidates if candidate.change is None)
        fixes = (best.fix,) if best is not None else ()
        why = None if best is not None else self._why_nothing(candidates)
        repaired = Repaired(
            self._case, fixes, tuple(self._attempts), advice, best is not None and best.settled, why, self._unproved
        )
        return repaired, (best.files, best.observed) if best is not None else None

    def _is_no_better(self, candidate: Candidate, best: _Taken | None) -> bool:
        """Would it leave as many traces as what is proved already?"""
        if best is None or candidate.predicted_traces is None:
            return best is not None
        return candidate.predicted_traces >= best.traces

    def _try(self, candidate: Candidate) -> _Taken | None:
        files = self._write(candidate)
        if files is None:
            return None
        function = self._case.diagnosis.function.name
        self._search.tell(f"{function}: trying {candidate.recipe} ({len(self._tried)})")
        settings = msgspec.structs.replace(self._search.settings, probe=(self._name,))
        observed = self._search.observed(self._search.rehearsals.run(files, settings))
        oracle = self._search.oracle if self._case.diagnosis.verdict in SILENT else None
        proof = judge(self._name, self._original, self._current, observed, self._variation, oracle)
        fix = self._fix(candidate, proof, observed.run, files)
        if proof.verdict != "proved":
            self._attempts.append(Attempt(candidate, proof.reason or "", proof))
            if proof.verdict == "not_proved" and self._unproved is None:
                self._unproved = fix, files
            return None
        settled = self._is_settled(observed)
        if fix.safety == "narrow" and "input_signature" in candidate.recipe:
            return self._offer_wider(candidate, _Taken(fix, files, observed, settled))
        return _Taken(fix, files, observed, settled)

    def _offer_wider(self, candidate: Candidate, least: _Taken) -> _Taken:
        """Where a signature is too narrow for calls to come: is the wider one proved as well?"""
        broad = wider(self._case, candidate)
        files = self._write(broad) if broad is not None else None
        if broad is None or files is None:
            return least
        self._search.tell(f"{self._case.diagnosis.function.name}: trying the wider signature")
        settings = msgspec.structs.replace(self._search.settings, probe=(self._name,))
        observed = self._search.observed(self._search.rehearsals.run(files, settings))
        proof = judge(self._name, self._original, self._current, observed, self._variation)
        if proof.verdict != "proved":
            return least
        if self._search.wide:
            return _Taken(self._fix(broad, proof, observed.run, files), files, observed, self._is_settled(observed))
        return least._replace(fix=msgspec.structs.replace(least.fix, wider=broad.snippet))

    def _write(self, candidate: Candidate) -> Files | None:
        """The files with the candidate written into them; None where it cannot be, or was tried before."""
        assert candidate.change is not None
        edits = Edits({**self._search.sources, **self._files})
        try:
            candidate.change(edits)
            changed = edits.results()
        except Declined as why:
            self._attempts.append(Attempt(candidate, str(why)))
            return None
        except Exception as error:  # a mistake of ours must not end the search
            self._attempts.append(Attempt(candidate, f"could not be written ({type(error).__name__}: {error})"))
            return None
        files = {**self._files, **changed}
        if not changed or files in self._tried:
            return None
        self._tried.append(files)
        return files

    def _fix(self, candidate: Candidate, proof: Proof, run: Run, files: Files) -> Fix:
        beyond = None
        if self._probes is not None and self._probes.probes is not None and run.probes is not None:
            beyond = compare_probes(self._probes.probes, run.probes, self._name)
        safety, note = label(candidate, beyond)
        if beyond is not None:
            proof = msgspec.structs.replace(
                proof,
                probes=beyond.tried,
                probe_differences=beyond.differing,
                probe_errors=tuple(change for _, change in beyond.raising),
            )
        return Fix(
            recipe=candidate.recipe,
            safety=safety,
            predicted_traces=candidate.predicted_traces,
            snippet=candidate.snippet,
            proof=proof,
            causes=candidate.causes,
            edits=tuple(self._edits(files)),
            note=note,
        )

    def _edits(self, files: Files) -> list[Edit]:
        from traceonce.fix.source.diffs import line_edits

        before = {**self._search.sources, **self._files}
        return [
            edit
            for name, content in files.items()
            if content != before.get(name)
            for edit in line_edits(name, before[name], content)
        ]

    def _is_settled(self, observed: Observed) -> bool:
        cases = self._search.understand(observed.run)
        mine = [case for case in cases if stable_name(case.diagnosis.function) == self._name]
        return bool(mine) and not any(self._search.needs_repair(case) for case in mine)

    def _why_nothing(self, candidates: Sequence[Candidate]) -> str:
        if all(candidate.change is None for candidate in candidates):
            return "no change of the source is known that keeps what the program means"
        ran = [attempt for attempt in self._attempts if attempt.proof is not None]
        if not self._attempts:
            return "nothing could be tried"
        last = (ran or self._attempts)[-1]
        return f"{last.candidate.recipe}: {last.reason}"
