"""What people say about retracing, each claim as a program that was run, and a page made from what came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from traceonce.errors import RecordError
from traceonce.knowledge.collection import OURS
from traceonce.knowledge.evidence import version_order
from traceonce.knowledge.experiment import Trial, read_module, read_trials
from traceonce.knowledge.json_files import json_text, write_text
from traceonce.knowledge.measurement import TrialMeasurement, alike

CLAIMS = OURS / "claims.json"
FRAMEWORK = "tensorflow"  # which all of these claims are about
PROGRAMS = OURS / "experiments" / FRAMEWORK / "what_people_say.py"


class Expected(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What should be seen if the claim is true: so many traces, this error, the right outputs (or any at all)."""

    traces: int | None = None
    raises: str | None = None
    outputs: Literal["right", "some"] | None = None


class Result(msgspec.Struct, frozen=True):
    """What was seen, in one situation with one version: whether it is as claimed, and in words."""

    held: bool
    seen: str


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim in our words, where it was found, the program that tries it, and what came out by version and case."""

    trial: str
    source: str
    says: str
    says_zh: str
    truth: str
    truth_zh: str
    expects: dict[str, Expected]
    records: list[str]
    measured: dict[str, dict[str, Result]]

    @property
    def verdict(self) -> str:
        """true, false, or sometimes: over all situations and versions."""
        held = [result.held for cases in self.measured.values() for result in cases.values()]
        return "not run" if not held else "true" if all(held) else "sometimes" if any(held) else "false"

    def with_results(self, version: str, results: Mapping[str, Result]) -> Claim:
        """The claim with what came out, by situation, with this version; from the oldest version to the newest."""
        measured = {**self.measured, version: dict(results)}
        return msgspec.structs.replace(
            self, measured={name: measured[name] for name in sorted(measured, key=version_order)}
        )

    def result(self, case: str, seen: TrialMeasurement, right: object) -> Result:
        """Compare what was seen with what the claim says."""
        expected = self.expects[case]
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
            return Result(held, ", ".join(map(str, seen.outputs)) or "nothing found")
        return Result(held, _describe(seen, wrong))


def _describe(seen: TrialMeasurement, wrong: bool) -> str:
    if seen.error is not None:
        return seen.error.types[0]
    traces = seen.traces()
    words = f"{traces} {'trace' if traces == 1 else 'traces'}"
    if wrong:
        words += ", wrong outputs"
    return words + (f"; {_outputs(seen.outputs)}" if isinstance(seen.outputs, dict) else "")


def _outputs(outputs: Mapping[str, object]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in outputs.items())


def load_claims() -> list[Claim]:
    try:
        return msgspec.json.decode(CLAIMS.read_bytes(), type=list[Claim])
    except (OSError, msgspec.DecodeError) as error:
        raise RecordError(f"{CLAIMS}: {error}; correct it.") from None


def save_claims(claims: Iterable[Claim]) -> None:
    write_text(CLAIMS, json_text(msgspec.to_builtins(list(claims))))


def load_programs() -> dict[str, Trial]:
    """The programs, by name: one for each claim, and those that give the right outputs of one."""
    return read_trials(*read_module(PROGRAMS), PROGRAMS)
