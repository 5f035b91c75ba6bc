"""What happened when a repair was run beside the original."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

ProofVerdict: TypeAlias = Literal["proved", "refuted", "not_proved"]


class Measurement(msgspec.Struct, frozen=True):
    """One run of the program: its traces, its calls and its time."""

    traces: int
    calls: int
    seconds: float


class Proof(msgspec.Struct, frozen=True):
    """Before and after, and what follows from them; `reason` is never empty unless the verdict is *proved*."""

    before: Measurement
    after: Measurement
    outputs_equal: bool | None
    verdict: ProofVerdict
    reason: str | None = None
