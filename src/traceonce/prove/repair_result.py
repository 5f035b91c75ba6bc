"""What came of a repair: the files as they are to be, the diff, and the recording with what was found."""

from __future__ import annotations

import functools
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from traceonce.analysis.cases import cases_of
from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.facts import CauseCode, Diagnosis, Fix, Recording, Repair
from traceonce.facts.replay import stable_name
from traceonce.fix.project.diffs import patch, unified_diff
from traceonce.fix.project.files import Snapshot
from traceonce.fix.suggestions import describe_candidate
from traceonce.frameworks.base.places import working_folder
from traceonce.observe.excerpts import with_excerpts
from traceonce.prove.search_result import Repaired, SearchResult
from traceonce.words.notes import in_english
from traceonce.words.notes.diagnoses import REPAIRED_ELSEWHERE


class RepairResult:
    """The program with its repairs. `files` is what changes, `unproved` names what was taken without a proof.

    `written_through` are files of the user's that the program itself has changed while it was run.
    """

    def __init__(self, outcome: SearchResult, snapshot: Snapshot, written_through: list[str]) -> None:
        self.outcome = outcome
        original = with_excerpts(outcome.original.run.recording)  # before the source that ran is written over
        self._original = with_what_was_shown(original, outcome.shown_wrong)
        self._snapshot = snapshot
        self.written_through = written_through
        self.files = dict(outcome.files)
        self.unproved: list[str] = []

    def take_unproved(self) -> None:
        """Where nothing was proved, take what was at least not refuted."""
        before = self._snapshot.contents
        for repaired in self.outcome.functions:
            if repaired.unproved is None or repaired.fixes:
                continue
            changed = {name: text for name, text in repaired.unproved[1].items() if text != before[name]}
            if any(self.files.get(name, before[name]) != before[name] for name in changed):
                continue  # it was written over a file that has other repairs now
            self.files.update(changed)
            self.unproved.append(repaired.case.diagnosis.function.name)

    @property
    def diff(self) -> str:
        """The change, to be read."""
        return unified_diff(self._changes, Path(working_folder() or "."))

    @property
    def patch(self) -> bytes:
        """The same, to be applied: each line in the encoding of its file."""
        return patch(self._changes, Path(working_folder() or "."))

    @property
    def _changes(self) -> dict[str, tuple[bytes, bytes]]:
        before = self._snapshot.contents
        return {name: (before[name], content) for name, content in self.files.items() if content != before[name]}

    @property
    def something_is_left(self) -> bool:
        return self.outcome.last.run.recording.error is not None or any(
            not repaired.settled for repaired in self.outcome.functions
        )

    @functools.cached_property
    def recording(self) -> Recording:
        """The original run, with what was found for its functions."""
        repairs = tuple(self._repairs(self._original))
        return msgspec.structs.replace(self._original, runs=(uuid.uuid4().hex,), repairs=repairs)

    @functools.cached_property
    def diagnoses(self) -> list[Diagnosis]:
        """The functions of the original run, each with what was found for it."""
        return diagnose_linked(self.recording)

    def _repairs(self, original: Recording) -> Iterator[Repair]:
        found = {stable_name(repaired.case.diagnosis.function): repaired for repaired in self.outcome.functions}
        for diagnosis in (case.diagnosis for case in cases_of(original, None)):
            name = stable_name(diagnosis.function)
            if name in found:
                yield Repair(diagnosis.backend, diagnosis.function, _fixes_to_tell(found[name]))
            elif not diagnosis.verdict.is_ignorable:  # it was not asked for, or what calls it was repaired
                left = self.outcome.last.traces.get(name, 0)
                notes = (REPAIRED_ELSEWHERE(before=diagnosis.traces, after=left),) if left < diagnosis.traces else ()
                yield Repair(diagnosis.backend, diagnosis.function, notes=in_english(notes), coded_notes=notes)

    def write(self) -> list[str]:
        self._snapshot.write({name: after for name, (_, after) in self._changes.items()})
        return sorted(self._changes)


def with_what_was_shown(recording: Recording, shown_wrong: Collection[str]) -> Recording:
    """What was inferred to be stale is measured where the function was shown to be wrong, and nothing else can be why.

    With several values that may be stale in one function, a wrong result does not tell which of them it was.
    """
    values = defaultdict(set)
    for finding in recording.findings:
        values[stable_name(finding.function)].add((finding.cause.code, finding.cause.path))
    shown = {name for name in shown_wrong if len(values[name]) == 1}
    findings = tuple(
        msgspec.structs.replace(finding, cause=msgspec.structs.replace(finding.cause, evidence="measured", note=None))
        if finding.cause.code is CauseCode.STALE and stable_name(finding.function) in shown
        else finding
        for finding in recording.findings
    )
    return msgspec.structs.replace(recording, findings=findings)


def _fixes_to_tell(repaired: Repaired) -> tuple[Fix, ...]:
    advice = tuple(map(describe_candidate, repaired.advice))
    unproved = () if repaired.fixes or repaired.unproved is None else (repaired.unproved[0],)
    return tuple(repaired.fixes) if repaired.settled else (*repaired.fixes, *unproved, *advice)
