"""What retraces cost, and which functions account for it.

1. Lost is what goes into tracing again: the trace itself, without nested functions, and what preparing the new graph
   took in its first run. An ordinary run of the graph is not lost.
2. Where a graph ran more than once, its first run was longer by what preparing it took. Where it ran once, only what is
   known to be preparation is lost, and the rest of that run is unclear: it may be an ordinary run.
3. *Costly* are the functions that took most, lost and unclear seconds together: as many as it takes until all others
   together took no more than a twentieth of the run, or a second. So nothing that costs more goes unnamed, whatever the
   verdicts are, and whatever of it cannot be told from an ordinary run. No list of a report ends before the last one.
"""

from __future__ import annotations

from collections.abc import Sequence

from traceonce.facts import TraceEvent

ALLOWED_SECONDS = 1.0
ALLOWED_SHARE = 0.05


def lost_in(retrace: TraceEvent) -> float:
    """The seconds of a retrace that are lost."""
    return (retrace.exclusive_seconds or 0.0) + retrace.lost_in_first_run


def find_costly(taken: Sequence[float], run_seconds: float) -> list[int]:
    """The indices of what is costly (rule 3), what took most first."""
    allowed = max(ALLOWED_SECONDS, ALLOWED_SHARE * run_seconds)
    rest = sum(taken)
    costly = []
    for index in sorted(range(len(taken)), key=lambda index: -taken[index]):
        if rest <= allowed or taken[index] <= 0:
            break
        costly.append(index)
        rest -= taken[index]
    return costly
