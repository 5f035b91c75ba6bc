"""A limit that somebody else counts for: what is to be said when it is reached."""

from __future__ import annotations

from traceonce.diagnosis.history import History
from traceonce.facts import Breach, Limit, TraceEvent


def breach_of(event: TraceEvent, limit: Limit, traces: int) -> Breach:
    """How this request breaks the limit; its causes are what it differs in from the earlier signatures told with it."""
    return Breach(
        backend=event.backend,
        function=event.function,
        limit=limit,
        retraces=max(traces - 1, 0),
        traces=traces,
        causes=History().foresee(event).causes,
        call_site=event.call_site,
        reduce_retracing=event.reduce_retracing,
    )
