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
    """Before and after, and what follows from them; `reason` is never empty unless the verdict is *proved*.

    `reason` is in English, `coded_reason` the same as a code.

    `compared` counts the calls whose results were compared, within `tolerance` (relative to the size of the result);
    `first_difference` says where they part. They are compared with those of the original, or, where that was silently
    wrong, of the original run eagerly (`measure`). `deterministic` is False for a program that differs from itself when
    it is run twice: then nothing is claimed of its values. `prints_counts`: a number that it prints has changed as the
    count of its traces did (from the eager run: as the count of calls is to that of traces), and was taken for that
    count. `probes` counts calls that the program did not make; what came out different there, and what now raises, is
    in `probe_differences` and `probe_errors`, in words.
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
        """How many times faster a call has become; of the whole run where calls were not timed."""
        before, after = self.before.seconds_per_call, self.after.seconds_per_call
        if before is None or after is None:
            before, after = self.before.seconds, self.after.seconds
        return before / after if before > 0 and after > 0 else None
