"""What is asked of a replay, and what comes back of it: the words between the prover and the stage."""

from __future__ import annotations

import msgspec

from traceonce.facts.replay import ReplaySettings

RECORDING, REPLAY, PROBES = "recording.jsonl", "replay.json", "probes.jsonl"
PRINTED, ERRORS = "stdout", "stderr"
IMPORTED = "imported.txt"  # the libraries whose copies were imported, a line each
READY = b"ready"  # the first line of a stage
GRACE = 15.0  # seconds that a program has to end by itself when its time has run out


class Order(msgspec.Struct, frozen=True):
    """Run this program, in this folder, with these settings, and leave what was seen in `results`.

    `moved` has the user's folders and their copies, for `sys.path`; `libraries` has packages that are to be imported
    from a copy, and the folder that it lies in. `clock` makes the program's clocks run faster, so
    that whatever it prints about time differs from another run.
    """

    kind: str
    name: str
    arguments: tuple[str, ...]
    cwd: str
    results: str
    temporary: str
    moved: dict[str, str]
    libraries: dict[str, str]
    settings: ReplaySettings
    timeout: float
    input: str | None = None
    clock: float = 1.0


class Ended(msgspec.Struct, frozen=True):
    """How the process ended: its status, negative for a signal, None where it was killed because time had run out.

    `too_late` says what the program did about a framework which was loaded before: it named a variable of the
    environment that the framework reads when it is imported, or is to import a copy of what the framework imports.
    """

    status: int | None
    seconds: float
    too_late: str | None = None
