"""The JSON Schema of a record, made from its structs. It is published beside this file as ``record.schema.json``.

After a change it is written again, from the folder of this file, with
``traceonce knowledge validate --schema > record.schema.json``.

Objects are open: a field that is not described here is allowed, and survives.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from traceonce.knowledge.open_struct import Open
from traceonce.knowledge.record import DeadEnd, Evidence, Record, TransitionGraph, Version, Workaround

PUBLISHED = Path(__file__).with_name("record.schema.json")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAME = "urn:traceonce:record:1"

_CLAIM = {
    "action": "What to do, as one sentence.",
    "how": "The code that was run, as it stands in the experiment.",
    "condition": "When it applies, as a clause after `when:`.",
    "condition_zh": "The condition in Chinese.",
    "cost": "What it costs, as a clause after `cost:`.",
    "cost_zh": "The cost in Chinese.",
    "sources": "Where it is recommended: addresses.",
    "experiment": "The function of the experiment that runs this claim.",
    "evidence": "The runs of this claim, one piece for each version.",
}
_TEXTS: dict[type[Open], dict[str, str]] = {
    Record: {
        "id": "<domain>/<slug>; also the path of the file below records/.",
        "signature": "The message as users see it, in one line.",
        "signature_zh": "The message in Chinese.",
        "regex": "RE2 expression, searched in a message whose white space was collapsed to single spaces.",
        "regex_zh": "The same for the Chinese message.",
        "context": "A second RE2 expression that the text must have, for messages that other programs print, too.",
        "outside_errors": "True where the expressions are for what programs print: errors and tracebacks are left out.",
        "raised_by": "The package whose text the message is: its import name, or python. Null: that of the domain.",
        "domain": "The framework; the first part of the id.",
        "category": "The kind of failure.",
        "subcategory": "A finer kind.",
        "root_cause": "What happens inside, and why.",
        "root_cause_type": "Whether the cause is generic or particular to something.",
        "root_cause_zh": "The root cause in Chinese.",
        "versions": "The versions that the failure was tried with. Computed from evidence.",
        "os_specific": "What differs between operating systems.",
        "dead_ends": "What people try that does not help.",
        "dead_ends_zh": "The actions of the dead ends in Chinese, in the same order.",
        "workarounds": "What helps, the first to try first.",
        "workarounds_zh": "The actions of the workarounds in Chinese, in the same order.",
        "transition_graph": "The failures around this one.",
        "official_doc_url": "A page of the framework's documentation.",
        "official_doc_section": "The section of that page.",
        "error_code": "A code that the message carries.",
        "verification_tier": "ai_generated, documented, reproduced or verified. Computed from evidence.",
        "confidence": "Lower end of the 95 % interval of the failure's own runs. Computed from evidence.",
        "fix_success_rate": "Share of the runs of all workarounds that held. Computed from evidence.",
        "fix_success_interval": "The 95 % interval of fix_success_rate. Computed from evidence.",
        "resolvable": "Whether it can be resolved: true, false or partial.",
        "first_seen": "Day of the first report, YYYY-MM-DD.",
        "last_confirmed": "Day of the last run that held. Computed from evidence.",
        "last_updated": "Day of the last change.",
        "evidence_count": "Number of pieces of evidence. Computed.",
        "tags": "Words to find it by.",
        "locale": "Language of the fields whose name has no language.",
        "aliases": "Other wordings of the message, or what people call it.",
        "examples": "Real messages, harvested by running.",
        "experiment": "The module that runs the claims, below experiments/.",
        "evidence": "The runs of the failure itself, one piece for each version.",
    },
    Workaround: _CLAIM
    | {
        "success_rate": "Share of its runs that held. Computed from evidence.",
        "success_interval": "The 95 % interval of success_rate. Computed from evidence.",
    },
    DeadEnd: _CLAIM
    | {
        "why_fails": "What happens instead.",
        "why_fails_zh": "The same in Chinese.",
        "fail_rate": "Share of its runs in which it did not help. Computed from evidence.",
        "fail_interval": "The 95 % interval of fail_rate. Computed from evidence.",
    },
    Evidence: {
        "experiment": "Module and function that were run.",
        "framework": "The framework that it was run with.",
        "version": "The version of the framework.",
        "python": "The version of Python.",
        "date": "The day, YYYY-MM-DD.",
        "runs": "How often it was run; at least 1.",
        "held": "How many of these bore the claim out.",
        "outcome": "The observations, in words.",
        "seen": "The same as codes with arguments; empty where it is an error's own text.",
        "traces_before": "Traces of the failure.",
        "traces_after": "Traces of this trial.",
        "outputs": "The outputs against the right ones.",
        "error": "Type of the error that was raised.",
        "seconds": "Time of the median run.",
        "cases": "For a claim that was run in several situations: whether it held in each.",
    },
    Version: {
        "version": "The framework as people write it, and its version.",
        "introduced": "When the failure came.",
        "deprecated": "When it was said to go.",
        "removed": "When it went.",
        "behavior_change": "What changed with this version.",
        "status": "active, flaky or not reproduced. Computed from evidence.",
    },
    TransitionGraph: {
        "leads_to": "Records of what tends to come next.",
        "preceded_by": "Records of what tends to come before.",
        "frequently_confused_with": "Records of what looks alike.",
    },
}


def record_schema() -> dict[str, Any]:
    """The schema as JSON would give it."""
    _, components = msgspec.json.schema_components([Record], ref_template="#/$defs/{name}")
    definitions = {kind.__name__: _definition(kind, components[kind.__name__]) for kind in _TEXTS}
    record = definitions.pop("Record")
    return {"$schema": DIALECT, "$id": NAME, **record, "$defs": definitions}


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(record_schema(), indent=2, ensure_ascii=False) + "\n"


def _definition(kind: type[Open], made: dict[str, Any]) -> dict[str, Any]:
    properties = {}
    for name, form in made["properties"].items():
        if name not in Open.__struct_fields__:
            text = _TEXTS[kind][name]
            computed = {"readOnly": True} if "Computed" in text else {}
            default = {} if "$ref" in form else {key: form[key] for key in ("default",) if key in form}
            kept = {key: value for key, value in form.items() if key != "default"}
            properties[name] = {"description": text, **kept, **default, **computed}
    return {
        "title": kind.__name__,
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": made.get("required", []),
        "additionalProperties": True,
    }
