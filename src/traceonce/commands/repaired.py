"""What came of a repair: the diff, the report, what was tried in vain, and the files as they are to be."""

from __future__ import annotations

import contextlib
import functools
import sys
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from traceonce.backends.places import working_folder
from traceonce.commands.message_line import say
from traceonce.commands.output import put_report, write_whole
from traceonce.errors import TraceonceError
from traceonce.explain import diagnose
from traceonce.facts import CauseCode, Diagnosis, Fix, Recording, Repair
from traceonce.facts.command_line import quoted
from traceonce.facts.error_text import main_line
from traceonce.facts.printable import cut
from traceonce.facts.quantities import count_of, duration
from traceonce.facts.rehearsal import stable_name
from traceonce.findings import diagnose_linked, records_of_error
from traceonce.fix.project.diffs import patch, unified_diff
from traceonce.fix.project.files import Snapshot
from traceonce.fix.suggesting import describe_candidate
from traceonce.observe.excerpts import with_excerpts
from traceonce.observe.shelf import default_recording, remember
from traceonce.prove.outcome import Outcome, Repaired
from traceonce.words.notes import in_english
from traceonce.words.notes.diagnoses import REPAIRED_ELSEWHERE

TRIED = 4  # attempts that are shown per function


class Result:
    """Shows what came of it, writes it, and says what is worth knowing about it."""

    def __init__(self, outcome: Outcome, snapshot: Snapshot, written_through: list[str]) -> None:
        self._outcome = outcome
        original = with_excerpts(outcome.original.run.recording)  # before the source that ran is written over
        self._original = with_what_was_shown(original, outcome.shown_wrong)
        self._snapshot = snapshot
        self._written_through = written_through
        self._files = dict(outcome.files)
        self._unproved: list[str] = []

    def take_unproved(self) -> None:
        """Where nothing was proved, take what was at least not refuted."""
        before = self._snapshot.contents
        for repaired in self._outcome.functions:
            if repaired.unproved is None or repaired.fixes:
                continue
            changed = {name: text for name, text in repaired.unproved[1].items() if text != before[name]}
            if any(self._files.get(name, before[name]) != before[name] for name in changed):
                continue  # it was written over a file that has other repairs now
            self._files.update(changed)
            self._unproved.append(repaired.case.diagnosis.function.name)

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
        return {name: (before[name], content) for name, content in self._files.items() if content != before[name]}

    @property
    def something_is_left(self) -> bool:
        return self.recording.error is not None or any(not repaired.settled for repaired in self._outcome.functions)

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
        found = {stable_name(repaired.case.diagnosis.function): repaired for repaired in self._outcome.functions}
        for diagnosis in diagnose(original):
            name = stable_name(diagnosis.function)
            if name in found:
                yield Repair(diagnosis.backend, diagnosis.function, _fixes_to_tell(found[name]))
            elif not diagnosis.verdict.is_ignorable:  # it was not asked for, or what calls it was repaired
                left = self._outcome.last.traces.get(name, 0)
                notes = (REPAIRED_ELSEWHERE(before=diagnosis.traces, after=left),) if left < diagnosis.traces else ()
                yield Repair(diagnosis.backend, diagnosis.function, notes=in_english(notes), coded_notes=notes)

    def print_report(self) -> None:
        from rich.console import Console

        from traceonce.report.text import print_text

        print_text(self.recording, self.diagnoses, Console(file=sys.stderr))
        for repaired in self._outcome.functions:
            for line in _tried_lines(repaired):
                say(line)

    def remarks(self, written: Sequence[str], *, write: bool) -> Iterator[str]:
        """What is worth saying at the end."""
        said = self._outcome.variation.describe()
        if said is not None:
            yield f"the program is non-deterministic: {said}; nothing is claimed about those"
        rehearsal = self._outcome.original.run.rehearsal
        if rehearsal is not None and rehearsal.cut is not None:
            limit = "--calls" if rehearsal.cut == "calls" else "--timeout"
            yield f"each run was ended by {limit}, after {len(rehearsal.returned)} calls; what comes later was not seen"
        if self._files and rehearsal is not None and rehearsal.drawn:
            yield (
                "its functions draw random numbers, which TensorFlow starts anew at every trace: both were compared "
                "with one stream of numbers, and with fewer traces the program will draw others than it did"
            )
        yield from dict.fromkeys(rehearsal.problems if rehearsal is not None else ())
        if self.recording.error is not None:
            known = "".join(f" ({_explain(id_)})" for id_ in records_of_error(self.recording.error)[:1])
            said = cut(main_line(self.recording.error), 200)
            repaired = self._files and not self._outcome.last.run.status
            rest = "it does not with the change" if repaired else "only what ran before that was looked at"
            yield f"the program itself fails: {said}{known}; {rest}"
        elif self._outcome.original.run.status:
            yield f"the program itself ends with exit status {self._outcome.original.run.status}"
        for name in self._written_through:
            yield f"{name}: too large to be copied, and the program has changed it in its runs"
        if self._outcome.files:
            yield self._summary()
        if self._unproved:
            yield f"taken without a proof: {', '.join(self._unproved)}"
        if written:
            yield f"written: {', '.join(written)}"
        elif self.diff and not write:
            yield "nothing was written: apply the diff, or run the same with --write before the script"

    def _summary(self) -> str:
        """Before and after, for the whole program."""
        before, after = self._outcome.original, self._outcome.last
        traces = f"{count_of(sum(before.traces.values()), 'trace')} → {sum(after.traces.values()):,} in all"
        if before.run.rehearsal is None or after.run.rehearsal is None:
            return traces
        one, other = before.run.rehearsal.seconds, after.run.rehearsal.seconds
        return f"{traces}; the program ran {duration(one)} before and {duration(other)} after, without its imports"

    def write(self) -> list[str]:
        self._snapshot.write({name: after for name, (_, after) in self._changes.items()})
        return sorted(self._changes)

    def keep(self, name: str) -> None:
        """Leave a recording with the proofs where recordings lie: `traceonce report --latest` shows it."""
        from traceonce.report.base import Material
        from traceonce.report.json import render_json

        with contextlib.suppress(TraceonceError, OSError):  # the answer has been given already
            path = default_recording(name)
            path.write_text(render_json(Material(self.recording, self.diagnoses)), encoding="utf-8", errors="replace")
            remember(path)

    def put_page(self, output: str) -> None:
        put_report(self.recording, self.diagnoses, "html", output, to_stdout=True)

    def put_json(self, output: str, written: Sequence[str]) -> None:
        from traceonce.report.base import Material
        from traceonce.report.json import render_json

        document = msgspec.json.decode(render_json(Material(self.recording, self.diagnoses)))
        document["fix"] = {
            "deterministic": self._outcome.variation.describe() is None,
            "settled": not self.something_is_left,
            "diff": self.diff,
            "files": sorted(self._files),
            "written": list(written),
            "after": {name.rpartition(":")[2]: count for name, count in self._outcome.last.traces.items()},
            "attempts": [
                {
                    "function": repaired.case.diagnosis.function.name,
                    "recipe": attempt.recipe,
                    "verdict": attempt.proof.verdict if attempt.proof is not None else "declined",
                    "reason": attempt.reason,
                }
                for repaired in self._outcome.functions
                for attempt in repaired.attempts
            ],
        }
        text = msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"
        if output == "-":
            sys.stdout.write(text)
        else:
            write_whole(output, text)


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


def _tried_lines(repaired: Repaired) -> Iterator[str]:
    """Where nothing settles a function: what was tried, and why it was not taken."""
    if repaired.settled:
        return
    function = repaired.case.diagnosis.function.name
    yield ""
    yield f"{function}: {'not settled' if repaired.fixes else 'no change could be proved'}"
    shown = {(attempt.recipe, attempt.reason): attempt for attempt in repaired.attempts}
    for attempt in list(shown.values())[:TRIED]:
        verdict = attempt.proof.verdict.replace("_", " ") if attempt.proof is not None else "cannot be written"
        yield f"  {attempt.recipe}: {verdict}: {attempt.reason}"
    if len(shown) > TRIED:
        yield f"  … and {len(shown) - TRIED} more (--json FILE has them all)"
    if not shown and repaired.why:
        yield f"  {repaired.why}"
    failed = [attempt.reason for attempt in shown.values() if attempt.proof is not None]
    known = dict.fromkeys(id_ for reason in failed for id_ in records_of_error(reason))
    if known:
        yield f"  known: {_explain(*known)}"


def _explain(*records: str) -> str:
    return quoted(["traceonce", "explain", *records])
