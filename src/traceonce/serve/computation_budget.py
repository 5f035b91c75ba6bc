"""What one computation from a recording may use, so that whoever uploads one does not decide how long others wait.

The processor's time counts, and not the clock: a busy machine refuses nothing that a quiet one would read.
"""

from __future__ import annotations

from typing import NamedTuple

MIB = 1 << 20
MOST_SECONDS = 120  # of the processor, for the largest recording
SMALL = MIB  # bytes: recordings up to this size never wait for larger ones
_FIRST_SECONDS = 3.0  # for any recording, however small
_SECONDS_PER_MIB = 4.0  # some four times what real recordings take
_MEMORY = 768 * MIB  # what the largest recordings that are taken need, and half as much again


class ComputationBudget(NamedTuple):
    """`seconds` of the processor, and bytes of `memory` beyond what an idle worker has."""

    seconds: float
    memory: int = _MEMORY

    @property
    def patience(self) -> float:
        """Seconds by the clock after which a worker is given up that does not even use the processor."""
        return 30 + 6 * self.seconds


LOOK = ComputationBudget(10.0)  # at what was found in a recording before
MATCH = ComputationBudget(20.0)  # a long text


def reading_budget(size: int, most_seconds: float = MOST_SECONDS) -> ComputationBudget:
    """For reading a recording of so many bytes."""
    return ComputationBudget(min(most_seconds, _FIRST_SECONDS + _SECONDS_PER_MIB * size / MIB))
