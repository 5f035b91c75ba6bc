"""SARIF as a reader of it sees it: every document is checked against the schema of the standard."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from tests.unit.handmade import STEP, Events, python, record, tensor
from tests.unit.report.made_reports import material_of
from traceonce.facts import CallSite, Diagnosis, FunctionId, Recording
from traceonce.report.sarif import render_sarif

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
URI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+")


def render(recording: Recording, accepted: bool | None = None) -> dict[str, Any]:
    material = material_of(recording, "sarif")
    judged: list[Diagnosis] = [msgspec.structs.replace(d, accepted=accepted) for d in material.diagnoses]
    return read(render_sarif(material._replace(diagnoses=judged)))


def read(text: str) -> dict[str, Any]:
    """The one run of a document that is valid, in which every URI is one."""
    document = json.loads(text)
    VALIDATOR.validate(document)
    for uri in uris_in(document):
        assert URI.fullmatch(uri), uri
    (run,) = document["runs"]
    assert isinstance(run, dict)
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    return run


def uris_in(thing: Any) -> list[str]:
    if isinstance(thing, list):
        return [uri for item in thing for uri in uris_in(item)]
    if not isinstance(thing, dict):
        return []
    own = [thing["uri"]] if "uri" in thing else []
    return own + [uri for value in thing.values() for uri in uris_in(value)]


def levels(run: dict[str, Any]) -> list[tuple[str, str]]:
    return [(result["ruleId"], result["level"]) for result in run["results"]]


def place(result: dict[str, Any]) -> tuple[str, str | None, int | None]:
    (location,) = result["locations"]
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    return artifact["uri"], artifact.get("uriBaseId"), physical.get("region", {}).get("startLine")


def retracing(function: FunctionId = STEP, **fields: Any) -> Recording:
    event = Events(function, call_site=CallSite("train.py", 47), seconds=0.25, exclusive_seconds=0.25)
    events = [event(tensor("x", 2), python("step", n), call=n + 1) for n in range(8)]
    return record(*events, calls=8, **{"command": ("train.py",), "cwd": "/home/user/project", **fields})
