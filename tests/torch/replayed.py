"""Programs replayed inside the test's own process: what `traceonce fix` does in processes of its own, in seconds."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import traceonce
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts.replay import Probed, ReplayResult, ReplaySettings
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.fix.suggestions import make_case
from traceonce.frameworks.torch.replay.replay import TorchReplay

FILE = "program.py"


class Ran(NamedTuple):
    """One run: its functions by name, what came of their calls, what was printed, and calls beyond the run."""

    cases: dict[str, Case]
    replay: ReplayResult
    printed: str
    probes: tuple[Probed, ...]


def replay(
    torch: Any, folder: Path, program: str, *, probe: tuple[str, ...] = (), eager: bool = False, fails: bool = False
) -> Ran:
    """Run a program in `folder`, watched and replayed. What it sets up in the compiler is undone."""
    error = pytest.raises(RuntimeError) if fails else contextlib.nullcontext()
    (folder / FILE).write_text(program)
    printed = io.StringIO()
    settings = ReplaySettings(probe=tuple(f"{FILE}:{name}" for name in probe), eager=eager)
    with pytest.MonkeyPatch.context() as patch, _restored_settings(torch), contextlib.redirect_stdout(printed):
        patch.chdir(folder)
        torch._dynamo.reset()
        with traceonce.watch() as seen:
            replaying = TorchReplay(torch, settings, lambda: None)
            try:
                code = compile(program, os.path.join(os.getcwd(), FILE), "exec")
                with error:
                    exec(code, {"__name__": "__main__"})
                replay = replaying.result()
                probes = tuple(replaying.probe())
            finally:
                replaying.stop()
        torch._dynamo.reset()
    assert replay.problems == ()
    return Ran(dict(_cases(seen, replay)), replay, printed.getvalue(), probes)


def _cases(seen: traceonce.Watch, replay: ReplayResult) -> Iterator[tuple[str, Case]]:
    for diagnosis, events in reversed(list(diagnose_with_events(seen.recording))):  # of one name the worst is kept
        key = diagnosis.function.key
        case = make_case(diagnosis, events, seen.recording.environment)._replace(
            makings=tuple(making for making in replay.makings if making.function.key == key),
            sites=tuple(site for site in replay.sites if site.function.key == key),
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
