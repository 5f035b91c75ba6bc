"""What a program that imports traceonce gets to set limits with; what hears of traces by itself comes along."""

from __future__ import annotations

from traceonce.integrations import listeners as listeners  # enters itself
from traceonce.limits.program_limits import limit, max_traces

__all__ = ["limit", "max_traces"]
