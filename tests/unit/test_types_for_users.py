"""A program that uses the public API passes a strict type checker, and its mistakes do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

GOOD = """\
from pathlib import Path

import traceonce


@traceonce.max_traces(1)
def step(x: int) -> float:
    return x / 2


@traceonce.watch
def train(epochs: int) -> str:
    return str(epochs)


class Trainer:
    @traceonce.watch()
    def fit(self, epochs: int) -> bool:
        return epochs > 0


def costly(seen: traceonce.Watch) -> list[traceonce.Diagnosis]:
    return [found for found in seen if found.verdict is traceonce.Verdict.RETRACING]


def codes(diagnosis: traceonce.Diagnosis) -> set[traceonce.CauseCode]:
    return {cause.code for cause in diagnosis.causes}


def proved(fix: traceonce.Fix) -> traceonce.Proof | None:
    return fix.proof


def on_limit(breach: traceonce.Breach) -> None:
    causes: tuple[traceonce.Cause, ...] = breach.causes
    print(breach.function.name, causes)


with traceonce.watch() as seen, traceonce.limit(3, on_limit=on_limit) as limited:
    half: float = step(3)
    name: str = train(2)
    right: bool = Trainer().fit(2)
    limited.remove()
counts: tuple[int, int, int, float] = (len(seen), seen.traces, seen.retraces, seen.lost_seconds)
last: traceonce.Watch = train.watched
page: Path = seen.write_html("report.html")
seen.save(Path("run.json"))
recording: traceonce.Recording = traceonce.Recording.load("run.json")
events: tuple[traceonce.TraceEvent, ...] = recording.events
diagnoses: list[traceonce.Diagnosis] = traceonce.diagnose(recording)
reasons: list[traceonce.Reason] = [diagnosis.reason for diagnosis in diagnoses]
sites: list[traceonce.CallSite | None] = [event.call_site for event in events]
signatures: list[traceonce.Signature] = [event.signature for event in events]
for explanation in traceonce.explain("an error", language="zh"):
    text: str = explanation.record
try:
    train(1)
except traceonce.TracingLimitReached as error:
    on_limit(error.breach)
    known: bool = bool(traceonce.explain(error))
"""

BAD = """\
import traceonce


@traceonce.watch
def train(epochs: int) -> str:
    return str(epochs)


train("many")  # wrong
train.watches  # wrong
traceonce.limit("ten")  # wrong
traceonce.watch("train.py")  # wrong
traceonce.explain(b"an error")  # wrong
for diagnosis in traceonce.watch():
    diagnosis.tracings  # wrong
traceonce.wach()  # wrong
"""


def test_a_program_is_checked_by_our_types(tmp_path: Path) -> None:
    """One run of the checker for both: what is right passes, and it can fail."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(GOOD)
    bad.write_text(BAD)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(good), str(bad)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    errors = set(re.findall(r"(\w+\.py):(\d+): error", done.stdout))
    wrong = {("bad.py", str(number)) for number, line in enumerate(BAD.splitlines(), 1) if line.endswith("# wrong")}
    assert errors == wrong, done.stdout + done.stderr
