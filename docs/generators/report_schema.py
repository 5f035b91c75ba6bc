"""docs/reference/report.schema.json: the JSON report as a JSON Schema, from the types that it is written from."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from traceonce.facts import Diagnosis, Recording

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
PERHAPS_TEXT: dict[str, Any] = {"anyOf": [TEXT, {"type": "null"}]}


def schema() -> str:
    """Fields may be added to any object, so none is closed; what the report has today is required of functions."""
    _, types = msgspec.json.schema_components([Recording, Diagnosis], ref_template="#/$defs/{name}")
    document = dict(types.pop("Recording")["properties"])
    function = types.pop("Diagnosis")["properties"]
    del function["function"]
    function |= types["FunctionId"]["properties"]
    function |= {"reason": TEXT, "reason_code": TEXT, "library": {"type": "boolean"}}
    function["causes"] = {"type": "array", "items": {"$ref": "#/$defs/ReportedCause"}}
    types["ReportedFunction"] = _object(function) | {"properties": {**function, "parts": TEXTS, "part_of": TEXT}}
    cause = dict(types["Cause"]["properties"])
    types["ReportedCause"] = _object(
        {**cause, "type": PERHAPS_TEXT, "note": PERHAPS_TEXT}, left_out=("type_name", "finite")
    )
    document["functions"] = {"type": "array", "items": {"$ref": "#/$defs/ReportedFunction"}}
    whole = {"$schema": DIALECT, "title": "A report of traceonce (--format json)", **_object(document)}
    return json.dumps(whole | {"$defs": dict(sorted(types.items()))}, indent=1, ensure_ascii=False) + "\n"


def _object(properties: dict[str, Any], left_out: tuple[str, ...] = ()) -> dict[str, Any]:

    properties = {name: of for name, of in properties.items() if name not in left_out}
    return {"type": "object", "properties": properties, "required": sorted(properties)}
