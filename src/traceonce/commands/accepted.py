"""The --baseline of `traceonce run`: what was accepted, what is worse now, accepting what is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from traceonce.commands.output import check_output
from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, Verdict
from traceonce.guard.baseline import Baseline, Change, compare, name_in_baseline, take_state


class AcceptedState:
    """A baseline file: read before a long run, not after it."""

    def __init__(self, file: str, *, update: bool) -> None:
        self._path = Path(file)
        self._update = update
        if update:
            check_output(file, option="--baseline")
        fresh = update and not self._path.exists()
        self._baseline = Baseline() if fresh else Baseline.load(self._path)
        self._changes: Sequence[Change] = ()

    def mark(self, diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
        """Say of each function whether it is no worse than what was accepted; a trace that raised is never accepted."""
        self._changes = compare(self._baseline.functions, take_state(diagnoses))
        worse = {change.function for change in self._changes if change.is_worse and not self._update}
        return [
            msgspec.structs.replace(d, accepted=name_in_baseline(d) not in worse and d.verdict is not Verdict.FAILED)
            for d in diagnoses
        ]

    @property
    def worse(self) -> list[str]:
        return [] if self._update else [change.describe() for change in self._changes if change.is_worse]

    @property
    def better(self) -> list[str]:
        return [] if self._update else [change.describe() for change in self._changes if not change.is_worse]

    def accept(self, diagnoses: Sequence[Diagnosis], exit_code: int) -> str:
        """Write the present state to the file, if that was asked for, and say what was done."""
        if not self._update:
            return ""
        if exit_code:
            raise UsageError(f"--update-baseline: the program failed, so {self._path} was left alone.")
        state = take_state(diagnoses)
        msgspec.structs.replace(self._baseline, functions=state).save(self._path)
        what = "no retrace" if not state else f"{len(state)} function{'s' if len(state) > 1 else ''}"
        return f"accepted in {self._path}: {what}"
