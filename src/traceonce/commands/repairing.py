"""A program, diagnosed, repaired and proved: puts `explain`, `fix` and `prove` together, and tells of the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from traceonce.backends.places import working_folder
from traceonce.commands.output import write_whole
from traceonce.errors import ScriptError, UsageError
from traceonce.explain import diagnose_with_events
from traceonce.facts import Diagnosis, Recording
from traceonce.facts.rehearsal import stable_name
from traceonce.fix.case import Case
from traceonce.fix.source.diffs import patch, unified_diff
from traceonce.fix.source.files import Snapshot
from traceonce.fix.suggesting import describe_candidate, make_case, suggest
from traceonce.knowledge.linking import link_records
from traceonce.observe.launching import Target
from traceonce.prove.outcome import Outcome, Repaired
from traceonce.prove.program import Program
from traceonce.prove.rehearsing import Rehearsals, Run
from traceonce.prove.scratch import Scratch
from traceonce.prove.searching import Search

TRIED = 4  # attempts that are shown per function


def understand(run: Run) -> list[Case]:
    """Every function of a run, the worst first, with where it was made and called from."""
    makings = run.rehearsal.makings if run.rehearsal is not None else ()
    sites = run.rehearsal.sites if run.rehearsal is not None else ()
    return [
        make_case(diagnosis, events, run.recording.environment)._replace(
            makings=tuple(making for making in makings if making.function.key == diagnosis.function.key),
            sites=tuple(site for site in sites if site.function.key == diagnosis.function.key),
        )
        for diagnosis, events in diagnose_with_events(run.recording)
    ]


class Repairing:
    """What `traceonce fix` was asked to do."""

    def __init__(
        self,
        target: Target,
        tell: Callable[[str], None],
        *,
        calls: int,
        timeout: float,
        only: Sequence[str],
        wide: bool,
        stdin: Path | None,
    ) -> None:
        self._target = target
        self._tell = tell
        self._calls = calls
        self._timeout = timeout
        self._only = only
        self._wide = wide
        self._stdin = stdin

    def run(self) -> Result:
        script = Path(self._target.name).absolute() if self._target.kind == "script" else None
        cwd = Path(working_folder() or ".")
        with (
            Scratch(script, cwd) as scratch,
            Rehearsals(self._target, scratch, timeout=self._timeout, stdin=self._stdin) as rehearsals,
        ):
            snapshot = Snapshot({name: scratch.path_of(name) for name in scratch.sources()})
            program = Program(rehearsals, snapshot.contents, understand, self._tell, calls=self._calls)
            first = program.first_run()
            self._check(first)
            outcome = Search(program, wide=self._wide, only=self._only).repair(first)
            return Result(outcome, snapshot, self._target, scratch.written_through())

    def _check(self, run: Run) -> None:
        """Is there anything to repair, and to prove it with?"""
        name = self._target.name if self._target.kind == "script" else " ".join(self._target.command()[:2])
        if run.recording.events:
            if self._only:
                _check_names(self._only, run.recording)
            return
        if (run.rehearsal is not None and run.rehearsal.cut == "timeout") or run.status is None:
            raise ScriptError(
                f"{name}: did not end within {self._timeout:g} s, and no function was traced by then. Give it more "
                "time (--timeout SECONDS), or less to do."
            )
        if run.status:
            said = [line for line in run.errors.splitlines() if line.strip()]
            last = said[-1].strip() if said else "no message"
            more = ""
            if last.startswith("EOFError") and self._stdin is None:
                more = " It reads standard input, which is empty here: give it a file with --input FILE."
            raise ScriptError(
                f"{name}: failed before any function was traced (exit status {run.status}): {last}.{more} "
                f"See that it runs first: python {' '.join(self._target.command())}"
            )


def _check_names(only: Sequence[str], recording: Recording) -> None:
    functions = {event.function for event in recording.events}
    for name in only:
        if not any(function.is_called(name) for function in functions):
            traced = ", ".join(sorted({function.name for function in functions}))
            raise UsageError(f"--function {name}: no function of this name was traced; traced: {traced}.")


class Result:
    """What came of it."""

    def __init__(self, outcome: Outcome, snapshot: Snapshot, target: Target, written_through: list[str]) -> None:
        self._outcome = outcome
        self._snapshot = snapshot
        self._target = target
        self._written_through = written_through
        self._files = dict(outcome.files)
        self._unproved: list[str] = []

    def take_unproved(self) -> None:
        """Where nothing was proved, take what was at least not refuted."""
        for repaired in self._outcome.functions:
            if repaired.unproved is not None and not repaired.fixes:
                self._files.update(repaired.unproved[1])
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
        return any(not repaired.settled for repaired in self._outcome.functions)

    @property
    def recording(self) -> Recording:
        return self._outcome.original.run.recording

    def diagnoses(self) -> list[Diagnosis]:
        """The functions of the original run, each with what was found for it."""
        found = {stable_name(repaired.case.diagnosis.function): repaired for repaired in self._outcome.functions}
        original = link_records(suggest(diagnose_with_events(self.recording), self.recording.environment))
        return [_with_fixes(diagnosis, found.get(stable_name(diagnosis.function))) for diagnosis in original]

    def print_report(self) -> None:
        from rich.console import Console

        from traceonce.report.text import print_text

        print_text(self.recording, self.diagnoses(), Console(file=sys.stderr))
        for repaired in self._outcome.functions:
            sys.stderr.writelines(f"{line}\n" for line in _tried_lines(repaired))

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
        if self._outcome.original.run.status:
            yield f"the program itself ends with exit status {self._outcome.original.run.status}, before and after"
        for name in self._written_through:
            yield f"{name}: too large to be copied, and the program has changed it in its runs"
        if written:
            yield f"written: {', '.join(written)}"
        elif self.diff and not write:
            yield "nothing was written: apply the diff, or run the same with --write"

    def write(self) -> list[str]:
        self._snapshot.write({name: after for name, (_, after) in self._changes.items()})
        return sorted(self._changes)

    def put_json(self, output: str, written: Sequence[str]) -> None:
        from traceonce.report.json import render_json

        document = msgspec.json.decode(render_json(self.recording, self.diagnoses()))
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


def _with_fixes(diagnosis: Diagnosis, repaired: Repaired | None) -> Diagnosis:
    if repaired is None:
        return diagnosis
    advice = tuple(map(describe_candidate, repaired.advice))
    unproved = () if repaired.fixes or repaired.unproved is None else (repaired.unproved[0],)
    shown = repaired.fixes if repaired.settled else (*repaired.fixes, *unproved, *advice)
    return msgspec.structs.replace(diagnosis, fixes=shown)


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
