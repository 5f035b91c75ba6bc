"""From events to causes to a diagnosis. Works on data alone: no framework is needed here."""

from traceonce.explain.diagnosing import diagnose
from traceonce.explain.history import Explained, Histories, History

__all__ = ["Explained", "Histories", "History", "diagnose"]
