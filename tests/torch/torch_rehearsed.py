"""Programs rehearsed inside the test's own process: what `traceonce fix` does in processes of its own, in seconds."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import traceonce
from traceonce.backends.torch.rehearsing.rehearsal import TorchReplay
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts.rehearsal import Probed, Rehearsal, RehearsalSettings
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.fix.suggesting import make_case

FILE = "program.py"


class Ran(NamedTuple):
    """One run: its functions by name, what came of their calls, what was printed, and calls beyond the run."""

    cases: dict[str, Case]
    rehearsal: Rehearsal
    printed: str
    probes: tuple[Probed, ...]


def rehearse(torch: Any, folder: Path, program: str, *, probe: tuple[str, ...] = (), eager: bool = False) -> Ran:
    """Run a program in `folder`, watched and rehearsed. What it sets up in the compiler is undone."""
    (folder / FILE).write_text(program)
    printed = io.StringIO()
    settings = RehearsalSettings(probe=tuple(f"{FILE}:{name}" for name in probe), eager=eager)
    with pytest.MonkeyPatch.context() as patch, _restored_settings(torch), contextlib.redirect_stdout(printed):
        patch.chdir(folder)
        torch._dynamo.reset()
        with traceonce.watch() as seen:
            rehearsing = TorchReplay(torch, settings, lambda: None)
            try:
                code = compile(program, os.path.join(os.getcwd(), FILE), "exec")
                exec(code, {"__name__": "__main__"})
                rehearsal = rehearsing.result()
                probes = tuple(rehearsing.probe())
            finally:
                rehearsing.stop()
        torch._dynamo.reset()
    assert rehearsal.problems == ()
    return Ran(dict(_cases(seen, rehearsal)), rehearsal, printed.getvalue(), probes)


def _cases(seen: traceonce.Watch, rehearsal: Rehearsal) -> Iterator[tuple[str, Case]]:
    for diagnosis, events in diagnose_with_events(seen.recording):
        key = diagnosis.function.key
        case = make_case(diagnosis, events, seen.recording.environment)._replace(
            makings=tuple(making for making in rehearsal.makings if making.function.key == key),
            sites=tuple(site for site in rehearsal.sites if site.function.key == key),
        )
        yield diagnosis.function.name, case


@contextlib.contextmanager
def _restored_settings(torch: Any) -> Iterator[None]:
    from torch.compiler import config

    with torch._dynamo.config.patch(allow_unspec_int_on_nn_module=False), config.patch(dynamic_sources=""):
        yield


def write(candidate: Candidate, program: str) -> str:
    """The program with the candidate written into it."""
    edits = Edits({FILE: program.encode()})
    assert candidate.change is not None
    candidate.change(edits)
    return edits.results()[FILE].decode()
