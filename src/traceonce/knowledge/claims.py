"""What people say about retracing, each claim as a program that was run, and a page made from what came out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from traceonce.errors import RecordError
from traceonce.knowledge.collection import OURS
from traceonce.knowledge.experiment import Trial, read_module, read_trials
from traceonce.knowledge.measurement import Measurement, alike
from traceonce.knowledge.open_struct import Open

CLAIMS = OURS / "claims.json"
PROGRAMS = OURS / "experiments" / "tensorflow" / "what_people_say.py"


class Expected(Open, frozen=True, kw_only=True):
    """What should be seen if the claim is true: so many traces, this error, the right outputs (or any at all)."""

    traces: int | None = None
    raises: str | None = None
    outputs: str | None = None


class Result(Open, frozen=True, kw_only=True):
    """What was seen, in one situation with one version: whether it is as claimed, and in words."""

    held: bool
    seen: str


class Claim(Open, frozen=True, kw_only=True):
    """A claim in our words, where it was found, the program that tries it, and what came out by version and case."""

    trial: str
    source: str
    says: str
    says_zh: str
    truth: str
    truth_zh: str
    expects: dict[str, dict[str, int | str]]
    records: list[str] = []
    measured: dict[str, dict[str, dict[str, bool | str]]] = {}

    def result(self, case: str, seen: Measurement, right: object) -> Result:
        """Compare what was seen with what the claim says."""
        expected = Expected.read(self.expects[case])
        if seen.broken:
            raise RecordError(f"{self.trial} {case}: {seen.broken}")
        raised = seen.error.types if seen.error else ()
        wrong = expected.outputs == "right" and seen.error is None and not alike(seen.outputs, right)
        held = (
            (expected.raises in raised if expected.raises else not raised)
            and expected.traces in (None, seen.traces())
            and not wrong
            and (expected.outputs != "some" or bool(seen.outputs))
        )
        if expected.outputs == "some" and seen.error is None:
            return Result(held=held, seen=", ".join(map(str, seen.outputs)) or "nothing found")
        return Result(held=held, seen=_describe(seen, wrong))

    @property
    def verdict(self) -> str:
        """true, false, or sometimes: over all situations and versions."""
        held = [result["held"] for cases in self.measured.values() for result in cases.values()]
        return "not run" if not held else "true" if all(held) else "sometimes" if any(held) else "false"


def _describe(seen: Measurement, wrong: bool) -> str:
    if seen.error is not None:
        return seen.error.types[0]
    traces = seen.traces()
    words = f"{traces} {'trace' if traces == 1 else 'traces'}"
    if wrong:
        words += ", wrong outputs"
    return words + (f"; {_outputs(seen.outputs)}" if isinstance(seen.outputs, dict) else "")


def _outputs(outputs: Mapping[str, object]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in outputs.items())


def load_claims(path: Path = CLAIMS) -> list[Claim]:
    return [
        Claim.read(item, f"{path.name}[{number}]") for number, item in enumerate(json.loads(path.read_text("utf-8")))
    ]


def save_claims(claims: Iterable[Claim], path: Path = CLAIMS) -> None:
    text = json.dumps([claim.plain() for claim in claims], ensure_ascii=False, indent=2) + "\n"
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def load_programs() -> dict[str, Trial]:
    """The programs, by name; each must be of a claim (or give the right outputs of one)."""
    return read_trials(*read_module(PROGRAMS), PROGRAMS)
