"""A JAX program is run and watched as `traceonce fix` runs it, but in the test process; then a candidate is judged."""

from __future__ import annotations

import contextlib
import io
import runpy
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

import traceonce
from traceonce.facts import Note, Proof, Verdict
from traceonce.facts.replay import ReplaySettings, stable_name
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax import Jax
from traceonce.prove.judgement import Observed, judge
from traceonce.prove.program import Program
from traceonce.prove.repair import understand
from traceonce.prove.run_differences import Variation
from traceonce.prove.search import Search
from traceonce.prove.search_result import SearchResult
from traceonce.prove.stage_client import Run

PROGRAM = "program.py"


def run(source: str, folder: Path, *, eager: bool = False, probe: tuple[str, ...] = ()) -> Run:
    """A run of the program, which lies in the (working) folder."""
    (folder / PROGRAM).write_text(source)
    printed, status, errors = io.StringIO(), 0, ""
    replaying = Jax().replay(ReplaySettings(eager=eager, probe=probe), lambda: None)
    with traceonce.watch() as watched:
        try:
            with contextlib.redirect_stdout(printed):
                runpy.run_path(str(folder / PROGRAM), run_name="__main__")
        except Exception as error:
            status, errors = 1, f"{type(error).__name__}: {error}"
    replay = replaying.result()
    probes = tuple(replaying.probe())  # calls that nobody watches
    replaying.stop()
    assert replay.problems == (), replay.problems
    return Run(status, watched.recording, replay, printed.getvalue(), errors, 0.0, probes)


class InProcess:
    """Replays in this process: what a search needs of them."""

    command = PROGRAM

    def __init__(self, source: str, folder: Path) -> None:
        self._source = source
        self._folder = folder

    def run(
        self,
        changed: Mapping[str, bytes],
        settings: ReplaySettings,
        *,
        clock: float = 1.0,
        timeout: float | None = None,
    ) -> Run:
        source = changed.get(PROGRAM, self._source.encode()).decode()
        return run(source, self._folder, eager=settings.eager, probe=settings.probe)


def repair(source: str, folder: Path) -> SearchResult:
    """The whole search, as `traceonce fix` makes it."""
    program = Program(InProcess(source, folder), {PROGRAM: source.encode()}, understand, lambda text: None)  # type: ignore[arg-type]
    return Search(program).repair(program.first_run())


def case_of(run: Run, function: str) -> Case:
    """What was seen of a function; a bounded one is to be repaired as well, as with ``--function``."""
    cases = understand(run)
    case = next(case for case in cases if case.diagnosis.function.is_called(function))
    if case.diagnosis.verdict is not Verdict.BOUNDED:
        return case
    return case._replace(diagnosis=msgspec.structs.replace(case.diagnosis, verdict=Verdict.RETRACING))


def observed(run: Run) -> Observed:
    traces: dict[str, int] = {}
    for case in understand(run):
        name = stable_name(case.diagnosis.function)
        traces[name] = traces.get(name, 0) + case.diagnosis.traces
    return Observed(run, traces)


def write(candidate: Candidate, source: str) -> str:
    assert candidate.change is not None
    edits = Edits({PROGRAM: source.encode()})
    candidate.change(edits)
    return edits.results()[PROGRAM].decode()


def first_written(candidates: Sequence[Candidate], source: str) -> tuple[Candidate, str]:
    """The first candidate that can be written, and the program with it."""
    reasons: list[Note] = []
    for candidate in candidates:
        try:
            return candidate, write(candidate, source)
        except Declined as why:
            reasons += why.reasons
    raise Declined(*reasons)


def prove(case: Case, before: Run, repaired: str, folder: Path, *, untraced: bool = False) -> Proof:
    """Run the repaired program, and judge it: by the original, or where that is wrong by the original run eagerly."""
    wrong = case.diagnosis.verdict.is_silent or case.diagnosis.verdict is Verdict.FAILED
    source = (folder / PROGRAM).read_text()
    oracle = run(source, folder, eager=True) if wrong else None
    after = run(repaired, folder)
    name = stable_name(case.diagnosis.function)
    untraced = untraced or case.diagnosis.function.loop is not None
    return judge(name, observed(before), observed(before), observed(after), Variation(), oracle, untraced=untraced)
