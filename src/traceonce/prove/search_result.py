"""What came of a search: per function what was taken, what was tried, what is left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from traceonce.facts import CauseCode, Fix, Note, Proof
from traceonce.facts.proof import ProofVerdict
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.project.diffs import line_edits, unified_diff
from traceonce.prove.budget import Why
from traceonce.prove.judgement import Label, Observed
from traceonce.prove.run_differences import Variation
from traceonce.words.notes import english_note, say_reasons

Files: TypeAlias = dict[str, bytes]
Outcome: TypeAlias = ProofVerdict | Literal["declined", "not_tried"]


def tell_fix(candidate: Candidate, label: Label, proof: Proof, changes: Mapping[str, tuple[bytes, bytes]]) -> Fix:
    """A candidate that was run, as a fact: `changes` has what each changed file was before, and what it is with it."""
    return Fix(
        recipe=candidate.recipe,
        safety=label.safety,
        predicted_traces=candidate.predicted_traces,
        snippet=candidate.snippet,
        proof=proof,
        causes=candidate.causes,
        edits=tuple(edit for name, texts in changes.items() for edit in line_edits(name, *texts)),
        note=english_note(label.notes),
        diff=unified_diff(changes, Path()),
        coded_notes=label.notes,
    )


class Attempt(NamedTuple):
    """A repair that was not taken, and why; the proof where it was run. `codes` are the causes that it is for.

    `declined`: it could not be written; else, without a proof, the search was stopped before it was tried.
    """

    recipe: str
    reasons: tuple[Note, ...]
    proof: Proof | None = None
    codes: tuple[CauseCode, ...] = ()
    declined: bool = True

    @property
    def outcome(self) -> Outcome:
        if self.proof is not None:
            return self.proof.verdict
        return "declined" if self.declined else "not_tried"

    @property
    def reason(self) -> str:
        return say_reasons(self.reasons, "en")


class Repaired(NamedTuple):
    """What was done about one function: the repairs taken, what else was tried, advice, and whether it is settled.

    Where the search was stopped, the first change that was not tried stands before the advice.

    `stuck`: nothing was taken in the last step. `unproved` is the first candidate that could be written and was neither
    proved nor refuted, but left fewer traces, with its files. `refuted_alone` are those that may be right together
    with the changes of other functions.
    """

    case: Case
    fixes: tuple[Fix, ...]
    attempts: tuple[Attempt, ...]
    advice: tuple[Candidate, ...]
    settled: bool
    stuck: bool = False
    unproved: tuple[Fix, Files] | None = None
    refuted_alone: tuple[Candidate, ...] = ()

    def followed_by(self, later: Repaired) -> Repaired:
        """The same function after one more step."""
        return later._replace(
            case=self.case,
            fixes=(*self.fixes, *later.fixes),
            attempts=(*self.attempts, *later.attempts),
            unproved=later.unproved or self.unproved,
            refuted_alone=(*self.refuted_alone, *later.refuted_alone),
        )


class SearchResult(NamedTuple):
    """All of it: the original run, the functions looked at, the files as they are to be, the last run.

    `shown_wrong` names the functions that return what they do not when run eagerly, until they are repaired. `along`
    are those that needed a repair, and need none with those of others. `stopped` says why not all was tried.
    """

    original: Observed
    variation: Variation
    functions: tuple[Repaired, ...]
    files: Files
    last: Observed
    shown_wrong: frozenset[str] = frozenset()
    along: frozenset[str] = frozenset()
    stopped: Why | None = None
