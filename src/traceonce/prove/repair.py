"""A program, diagnosed, repaired and proved, from its first run to the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from traceonce.analysis.cases import cases_of
from traceonce.errors import ScriptError, UsageError
from traceonce.facts import Recording
from traceonce.facts.command_line import suggested
from traceonce.fix.case import Case
from traceonce.fix.project.files import Snapshot
from traceonce.frameworks.base.places import working_folder
from traceonce.frameworks.base.registry import advise_on_import
from traceonce.observe.launch import Target
from traceonce.prove.budget import Budget, Interruption
from traceonce.prove.library import Library
from traceonce.prove.program import Program
from traceonce.prove.repair_result import RepairResult
from traceonce.prove.scratch import Scratch
from traceonce.prove.search import Search, insist
from traceonce.prove.stage_client import Replays, Run


def understand(run: Run) -> list[Case]:
    """Every function of a run, the worst first, with where it was made and called from."""
    return cases_of(run.recording, run.replay)


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
        libraries: Sequence[Library] = (),
        budget: Budget | None = None,
        interruption: Interruption | None = None,
    ) -> None:
        self._target = target
        self._tell = tell
        self._calls = calls
        self._timeout = timeout
        self._only = only
        self._wide = wide
        self._stdin = stdin
        self._libraries = tuple(libraries)
        self._budget = budget
        self._interruption = interruption or Interruption()

    def run(self) -> RepairResult:
        """Stopped where it is interrupted before anything is known; later, the result has what was proved by then."""
        script = Path(self._target.name).absolute() if self._target.kind == "script" else None
        cwd = Path(working_folder() or ".")
        with (
            Scratch(script, cwd, self._libraries) as scratch,
            Replays(
                self._target, scratch, timeout=self._timeout, stdin=self._stdin, interruption=self._interruption
            ) as replays,
        ):
            self._interruption.leftovers.append(scratch.folder)
            snapshot = Snapshot({name: scratch.path_of(name) for name in scratch.sources()})
            program = Program(
                replays,
                snapshot.contents,
                self._understand,
                self._tell,
                calls=self._calls,
                budget=self._budget,
                has_other_callers=bool(self._libraries),
            )
            first = program.first_run()
            self._check(first)
            outcome = Search(program, wide=self._wide, only=self._only, concerns=self._concerns(snapshot)).repair(first)
            return RepairResult(outcome, snapshot, scratch.written_through(), self._libraries)

    def _concerns(self, snapshot: Snapshot) -> Callable[[Case], bool]:
        """Of a library, what is defined or wrapped in its files; of a program everything."""
        if not self._libraries:
            return lambda case: True
        return lambda case: any(
            file in snapshot.contents for file in (case.diagnosis.function.file, *(each.file for each in case.makings))
        )

    def _understand(self, run: Run) -> list[Case]:
        """Every function; what was asked for by name is to be repaired even where it could be ignored."""
        return [insist(case) if self._is_asked_for(case) else case for case in understand(run)]

    def _is_asked_for(self, case: Case) -> bool:
        return any(case.diagnosis.function.is_called(name) for name in self._only)

    def _check(self, run: Run) -> None:
        """Is there anything to repair, and to prove it with?"""
        name = self._target.name if self._target.kind == "script" else " ".join(self._target.command()[:2])
        for library in self._libraries:
            if library.name not in run.imported and not run.status:
                raise UsageError(
                    f"--library {library.name}: {name} does not import it, or only in other processes; name a "
                    "library that it uses."
                )
        if run.recording.events:
            if self._only:
                _check_names(self._only, run.recording)
            return
        if (run.replay is not None and run.replay.cut == "timeout") or run.status is None:
            raise ScriptError(
                f"{name}: timed out after {self._timeout:g} s without tracing a function. Allow more time "
                "(--timeout SECONDS), or give it less to do."
            )
        if run.status:
            said = [line for line in run.errors.splitlines() if line.strip()]
            last = said[-1].strip() if said else "no message"
            more = ""
            if last.startswith("EOFError") and self._stdin is None:
                more = " It reads standard input, which is empty here: pass a file with --input FILE."
            advice = advise_on_import(last)
            if advice:
                more = f" {advice}."
            raise ScriptError(
                f"{name}: failed before any function was traced (exit status {run.status}): {last}.{more} Check "
                f"that it runs on its own: {suggested(['python', *self._target.command()]) or 'python SCRIPT'}"
            )


def _check_names(only: Sequence[str], recording: Recording) -> None:
    functions = {event.function for event in recording.events}
    for name in only:
        if not any(function.is_called(name) for function in functions):
            traced = ", ".join(sorted({function.name for function in functions}))
            raise UsageError(f"--function {name}: no function of this name was traced; traced: {traced}.")
