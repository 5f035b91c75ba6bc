"""The nouns: frozen, typed, JSON in and out. This room imports nothing else of ours but the errors."""

from traceonce.facts.cause import Cause, CauseCode, Evidence
from traceonce.facts.diagnosis import Diagnosis, Growth, Reason, SiteCount, Verdict
from traceonce.facts.entries import (
    SCHEMA,
    Calls,
    Compiled,
    End,
    Entry,
    Excerpt,
    Exit,
    FellBack,
    Finding,
    Header,
    Inputs,
    Notice,
    Ran,
    Repair,
)
from traceonce.facts.event import CallSite, EventKind, Frame, FunctionId, Phase, TraceEvent
from traceonce.facts.fix import Edit, Fix, Safety
from traceonce.facts.limit import DEFAULT_LIMIT, Breach, Counted, Limit
from traceonce.facts.note import Note
from traceonce.facts.proof import Measurement, Proof, ProofVerdict
from traceonce.facts.recording import Recording
from traceonce.facts.signature import Container, Difference, Kind, Leaf, Shape, Signature

__all__ = [
    "DEFAULT_LIMIT",
    "SCHEMA",
    "Breach",
    "CallSite",
    "Calls",
    "Cause",
    "CauseCode",
    "Compiled",
    "Container",
    "Counted",
    "Diagnosis",
    "Difference",
    "Edit",
    "End",
    "Entry",
    "EventKind",
    "Evidence",
    "Excerpt",
    "Exit",
    "FellBack",
    "Finding",
    "Fix",
    "Frame",
    "FunctionId",
    "Growth",
    "Header",
    "Inputs",
    "Kind",
    "Leaf",
    "Limit",
    "Measurement",
    "Note",
    "Notice",
    "Phase",
    "Proof",
    "ProofVerdict",
    "Ran",
    "Reason",
    "Recording",
    "Repair",
    "Safety",
    "Shape",
    "Signature",
    "SiteCount",
    "TraceEvent",
    "Verdict",
]
