"""What happened when a repair was run beside the original."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from traceonce.facts.note import Note

ProofVerdict: TypeAlias = Literal["proved", "refuted", "not_proved"]


class Measurement(msgspec.Struct, frozen=True):
    """One run of the program: the traces and calls of the function, the time of the run, and how the program ended.

    `seconds_per_call` is that of the function, tracing and all; None where its calls were not timed.
    """

    traces: int
    calls: int
    seconds: float
    seconds_per_call: float | None = None
    exit_code: int | None = None


class Proof(msgspec.Struct, frozen=True):
    """The runs before and after, and the conclusion; `reason` is empty only if the verdict is *proved*.

    `reason` is in English, `coded_reason` the same as a code.

    `compared` counts the calls whose results were compared, within `tolerance` (relative to the size of the result);
    `first_difference` is the first mismatch. They are compared with the original or, if that was silently wrong, with
    an eager run of it (`measure`). `deterministic` is False if two runs of the original differ; then its values prove
    nothing. `prints_counts`: a printed number changed as its trace count did (from the eager run: as calls relate to
    traces), and was treated as that count. `probes` counts calls that the program did not make; differences and new
    errors in them are described in `probe_differences` and `probe_errors`.
    """

    before: Measurement
    after: Measurement
    outputs_equal: bool | None
    verdict: ProofVerdict
    reason: str | None = None
    compared: int | None = None
    tolerance: float | None = None
    first_difference: str | None = None
    measure: Literal["original", "eager"] = "original"
    printed_equal: bool | None = None
    deterministic: bool | None = None
    prints_counts: bool = False
    probes: int = 0
    probe_differences: tuple[str, ...] = ()
    probe_errors: tuple[str, ...] = ()
    coded_reason: Note | None = None

    @property
    def speedup(self) -> float | None:
        """The speedup of a call, or of the whole run if calls were not timed."""
        before, after = self.before.seconds_per_call, self.after.seconds_per_call
        if before is None or after is None:
            before, after = self.before.seconds, self.after.seconds
        return before / after if before > 0 and after > 0 else None
