"""The machine-readable report: the contract that other programs read, and a recording that can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from traceonce.facts import Cause, Diagnosis
from traceonce.report.base import Material
from traceonce.report.sentences import describe_reason
from traceonce.report.together import bring_together


def render_json(material: Material) -> str:
    recording = material.recording
    document: dict[str, Any] = {
        "schema": recording.schema,
        "environment": recording.environment,
        "command": recording.command,
        "exit_code": recording.exit_code,
        "seconds": recording.seconds,
        "functions": _functions(material.diagnoses),
        "events": recording.events,
        "calls": recording.calls,
        "at_least": recording.at_least,
        "findings": recording.findings,
        "breaches": recording.breaches,
        "notices": recording.notices,
        "cwd": recording.cwd,
        "started": recording.started,
        "runs": recording.runs,
        "processes": recording.processes,
        "forks": recording.forks,
        "forked_at": recording.forked_at,
        "complete": recording.complete,
        "error": recording.error,
        "excerpts": recording.excerpts,
        "repairs": recording.repairs,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _functions(diagnoses: Sequence[Diagnosis]) -> list[dict[str, Any]]:
    """Each function by itself; `parts` names those that belong under the line of one, `part_of` the one."""
    entries = [describe_function(diagnosis) for diagnosis in diagnoses]
    numbers = {id(diagnosis): number for number, diagnosis in enumerate(diagnoses)}
    for head, parts in bring_together(diagnoses):
        entries[numbers[id(head)]]["parts"] = [part.function.key for part in parts]
        for part in parts:
            entries[numbers[id(part)]]["part_of"] = head.function.key
    return entries


def describe_function(diagnosis: Diagnosis) -> dict[str, Any]:
    """One entry of `functions`."""
    function = diagnosis.function
    entry: dict[str, Any] = {
        "backend": diagnosis.backend,
        "name": function.name,
        "file": function.file,
        "line": function.line,
    }
    for field in diagnosis.__struct_fields__:
        if field not in ("backend", "function", "causes"):
            entry[field] = getattr(diagnosis, field)
    entry["reason"] = describe_reason(diagnosis)
    entry["reason_code"] = diagnosis.reason.value
    entry["library"] = function.library
    entry["causes"] = [describe_cause(cause) for cause in diagnosis.causes]
    return entry


def describe_cause(cause: Cause) -> dict[str, Any]:
    """One entry of a function's `causes`."""
    return {
        "code": cause.code.value,
        "path": cause.path,
        "count": cause.count,
        "was": cause.was,
        "now": cause.now,
        "evidence": cause.evidence,
        "values": cause.values,
        "type": cause.type_name,
        "note": cause.note,
        "differs": cause.differs,
        "coded_notes": cause.coded_notes,
        "call_site": cause.call_site,
    }
