"""SARIF 2.1.0, for GitHub's code scanning, for editors and other readers of findings: a result per function and cause.

An *error* is what was shown to be wrong, raised, reached a limit, or is worse than a baseline accepts; a *warning* is
what costs time, or may be wrong; a *note* is what can be ignored.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

import msgspec

from traceonce.facts import Recording
from traceonce.facts.error_text import main_line
from traceonce.report.base import Material
from traceonce.report.sarif.locations import Locations
from traceonce.report.sarif.results import SarifResult, find_results
from traceonce.report.sarif.rules import INDEX, describe_rules
from traceonce.report.sarif.uris import SOURCE_ROOT, Uris
from traceonce.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(material: Material) -> str:
    recording = material.recording
    places = Locations(recording)
    root, program = places.uris.source_root, _program(recording)
    driver = {
        "name": "traceonce",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": describe_rules(),
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "invocations": [_describe_invocation(recording, places.uris)],
        "columnKind": "unicodeCodePoints",
        "results": _number(find_results(material, places)),
        "properties": {
            "functions": len(material.diagnoses),
            "traces": sum(diagnosis.traces for diagnosis in material.diagnoses),
            "lostSeconds": round(sum(diagnosis.lost_seconds for diagnosis in material.diagnoses), 6),
            "environment": recording.environment,
        },
    }
    if root:
        run["originalUriBaseIds"] = {SOURCE_ROOT: {"uri": root}}
    if program:
        run["automationDetails"] = {"id": f"traceonce/{program}/"}  # GitHub keeps apart what has different ids
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _number(results: Iterable[SarifResult]) -> list[dict[str, Any]]:
    """The results as SARIF has them. Functions of one name, such as lambdas, are told apart by their order."""
    seen: Counter[str] = Counter()
    numbered = []
    for found in results:
        seen[found.identity] += 1
        result: dict[str, Any] = {
            "ruleId": found.rule,
            "ruleIndex": INDEX[found.rule],
            "level": found.level,
            "message": {"text": _literal(found.message)},
            "locations": [found.place],
            "partialFingerprints": {"traceonce/v1": f"{found.identity}:{seen[found.identity]}"},
            "properties": found.properties,
        }
        if found.related:
            result["relatedLocations"] = found.related
        if found.fixes:
            result["fixes"] = found.fixes
        numbered.append(result)
    return numbered


def _literal(text: str) -> str:
    """In a message braces are places to fill in, and a bracket before a parenthesis makes a link."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _describe_invocation(recording: Recording, uris: Uris) -> dict[str, Any]:
    code = recording.exit_code
    known: dict[str, Any] = {
        "executionSuccessful": recording.complete and code in (0, None),
        "commandLine": shlex.join(["python", *recording.command]) if recording.command else None,
        "arguments": recording.command,
        "exitCode": code if code is not None and code >= 0 else None,
        "exitSignalNumber": -code if code is not None and code < 0 else None,
        "exitCodeDescription": main_line(recording.error) if recording.error else None,
        "workingDirectory": {"uri": uris.working_folder} if uris.working_folder else None,
        "startTimeUtc": _describe_time(recording.started),
        "toolExecutionNotifications": [
            {"level": "error" if notice.error else "note", "message": {"text": _literal(notice.text)}}
            for notice in recording.notices
            if not notice.hook
        ],
        "properties": {"seconds": recording.seconds, "processes": recording.processes},
    }
    return {name: value for name, value in known.items() if value is not None}


def _describe_time(clock: float) -> str | None:
    try:
        time = datetime.fromtimestamp(clock, timezone.utc) if clock else None
    except (OverflowError, OSError, ValueError):  # no time that a calendar has
        return None
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z") if time else None


def _program(recording: Recording) -> str | None:
    """What was run, without its arguments and folders."""
    command = recording.command
    if command[:1] == ("-m",):
        return command[1] if len(command) > 1 else None
    return command[0].rpartition("/")[2] if command and command[0].endswith(".py") else None
