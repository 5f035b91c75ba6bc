"""Past the limit: what the program is told."""

from __future__ import annotations

import warnings
from typing import Any

from traceonce.errors import TracingLimitWarning
from traceonce.facts import Limit, TraceEvent
from traceonce.frameworks.base.registry import find_backend
from traceonce.limits.message import describe_breach, place_to_warn_at
from traceonce.limits.outside_limit import breach_of


def refuse(event: TraceEvent, policy: Any, traces: int) -> BaseException | None:
    """The error for a trace past the limit; None where there is a warning instead."""
    breach = breach_of(event, Limit(policy.limit), traces)
    message = describe_breach(breach)
    if policy.on_limit == "warn":
        warnings.warn_explicit(message, TracingLimitWarning, *place_to_warn_at(breach))
        return None
    backend = find_backend(event.backend)
    assert backend is not None  # the event comes from it
    return backend.limit_reached(message, breach)
