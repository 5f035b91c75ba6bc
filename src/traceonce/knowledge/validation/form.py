"""Is a document what the published schema says? Every place where it is not, not only the first."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

from traceonce.errors import RecordError
from traceonce.knowledge.record import Record
from traceonce.knowledge.schema import record_schema
from traceonce.knowledge.validation.problem import Problem, shortened

LONGEST = 100_000  # characters of one text: a record is read by people
KEYWORDS = {"type", "anyOf", "$ref", "enum", "properties", "required", "items", "prefixItems", "minItems", "maxItems"}
_NAMES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def check_form(data: object, repeated: list[str], file: str) -> tuple[Record | None, list[Problem]]:
    """The record, or None where types or texts are wrong, and the problems."""
    found = [(key, f"the key {shortened(key)} is given twice; only the last is read", "Keep one") for key in repeated]
    found += _texts(data)
    found += _differences(data, record_schema_once(), "")
    record = None
    if not found or (repeated and len(found) == len(repeated)):
        try:
            record = Record.read(data)
        except RecordError as error:  # the types are right, so this is something that the schema cannot say
            found.append(("the document", str(error).rstrip("."), "Correct it"))
    problems = [
        Problem(file=file, field=field or "the document", what=what, remedy=remedy, rule="form")
        for field, what, remedy in found
    ]
    return record, problems


@functools.cache
def record_schema_once() -> dict[str, Any]:
    return record_schema()


def _texts(data: object) -> Iterator[tuple[str, str, str]]:
    """Texts that are too long, or that no file in UTF-8 can hold. Without recursion: nesting may be deep."""
    waiting: list[tuple[str, object]] = [("", data)]
    while waiting:
        at, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{at}.{shortened(key)[1:-1]}".lstrip("."), item) for key, item in value.items()]
            waiting += [(at, key) for key in value]
        elif isinstance(value, list):
            waiting += [(f"{at}[{number}]", item) for number, item in enumerate(value)]
        elif isinstance(value, str):
            if len(value) > LONGEST:
                yield at, f"the text is {len(value):,} characters long", f"Shorten it to {LONGEST:,} at most"
            elif not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
                yield at, "the text has half of a surrogate pair in it", "Write the character itself"
            if "\0" in value:
                yield at, "the text has a NUL character in it", "Take it out"
        elif isinstance(value, float) and not math.isfinite(value):
            yield at, "the number is too large", "Write one that a float can hold"
        if len(at) > 1000:
            yield at[:70] + "…", "it is nested too deeply for a record", "Flatten it"
            return


def _differences(value: Any, form: dict[str, Any], at: str) -> Iterator[tuple[str, str, str]]:
    if "$ref" in form:
        form = record_schema_once()["$defs"][form["$ref"].rpartition("/")[2]]
    options = form.get("anyOf", [form])
    fitting = next((option for option in options if _is_a(value, option)), None)
    if fitting is None:
        names = " or ".join(
            _NAMES[option["type"]] if "type" in option else shortened(option["enum"]) for option in options
        )
        yield at, f"it is {shortened(value)}; it must be {names}", "Correct it"
        return
    if isinstance(value, dict):
        for name in fitting.get("required", []):
            if name not in value:
                yield f"{at}.{name}".lstrip("."), "the field is missing", "Add it"
        extra = fitting.get("additionalProperties")
        for name, item in value.items():
            of_name = fitting.get("properties", {}).get(name, extra if isinstance(extra, dict) else None)
            if of_name is not None:
                yield from _differences(item, of_name, f"{at}.{shortened(name)[1:-1]}".lstrip("."))
    elif isinstance(value, list):
        exact = fitting.get("prefixItems")
        if exact is not None and len(value) != len(exact):
            yield at, f"it has {len(value)} items; it must have {len(exact)}", "Correct it"
            return
        for number, item in enumerate(value):
            of_item = exact[number] if exact is not None else fitting.get("items")
            if of_item is not None:
                yield from _differences(item, of_item, f"{at}[{number}]")


def _is_a(value: object, form: dict[str, Any]) -> bool:
    if "$ref" in form:
        return isinstance(value, dict)
    if "enum" in form:
        return value in form["enum"]
    match form.get("type"):
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return True
