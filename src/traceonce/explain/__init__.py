"""From events to causes to a diagnosis. Works on data alone: no framework is needed here."""

from traceonce.explain.diagnosing import Diagnosed, diagnose, diagnose_with_events, explain_events
from traceonce.explain.history import Explained, Histories, History

__all__ = ["Diagnosed", "Explained", "Histories", "History", "diagnose", "diagnose_with_events", "explain_events"]
