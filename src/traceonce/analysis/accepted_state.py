"""A run against its baseline: what was accepted, what is worse now, accepting what is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, Verdict
from traceonce.facts.event import path_from
from traceonce.facts.quantities import count_of
from traceonce.limits.baseline import Baseline, Change, Functions, compare, name_in_baseline, take_state


class AcceptedState:
    """A baseline file: read before a long run, not after it."""

    def __init__(self, file: str, *, update: bool) -> None:
        self._path = Path(file)
        self._update = update
        fresh = update and not self._path.exists()
        self._baseline = Baseline() if fresh else Baseline.load(self._path)
        self._state: Functions = {}
        self._changes: Sequence[Change] = ()

    def mark(self, diagnoses: Sequence[Diagnosis], cwd: str) -> list[Diagnosis]:
        """Say of each function whether it is no worse than what was accepted; a trace that raised is never accepted."""
        named = [self._named_from_here(diagnosis, cwd) for diagnosis in diagnoses]
        self._state = take_state(named)
        self._changes = compare(self._baseline.functions, self._state)
        worse = {change.function for change in self._changes if change.is_worse and not self._update}
        accepted = [name_in_baseline(n.function) not in worse and n.verdict is not Verdict.FAILED for n in named]
        return [msgspec.structs.replace(d, accepted=a) for d, a in zip(diagnoses, accepted, strict=True)]

    def _named_from_here(self, diagnosis: Diagnosis, cwd: str) -> Diagnosis:
        """Files are named from the folder of the baseline, wherever the program was started."""
        function = diagnosis.function
        if function.file is None:
            return diagnosis
        file = path_from(str(self._path.absolute().parent), cwd, function.file)
        return msgspec.structs.replace(diagnosis, function=msgspec.structs.replace(function, file=file))

    @property
    def worse(self) -> list[str]:
        return [] if self._update else [change.describe() for change in self._changes if change.is_worse]

    @property
    def better(self) -> list[str]:
        return [] if self._update else [change.describe() for change in self._changes if not change.is_worse]

    def accept(self, exit_code: int) -> str:
        """Write the present state to the file, if that was asked for, and say what was done."""
        if not self._update:
            return ""
        if exit_code:
            raise UsageError(f"--update-baseline: the program failed, so {self._path} was not changed.")
        state = self._state
        msgspec.structs.replace(self._baseline, functions=state).save(self._path)
        return f"accepted in {self._path}: {count_of(len(state), 'function') if state else 'no retrace'}"
