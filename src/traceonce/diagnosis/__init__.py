"""From events to causes to a diagnosis. Works on data alone: no framework is needed here."""

from traceonce.diagnosis.diagnose import Diagnosed, diagnose, diagnose_with_events, explain_events
from traceonce.diagnosis.history import Explained, Histories, History

__all__ = ["Diagnosed", "Explained", "Histories", "History", "diagnose", "diagnose_with_events", "explain_events"]
