"""Records in two forms: the flat one of our files, and the nested one of public bases. Nothing is lost on the way.

Most fields have a place in both forms (`PLACES`). What has none is kept beside them as a *remainder*: the difference
between what the fields alone would give and what was there. It stands in the flat form under ``nested_form`` and in the
nested form under ``flat_form``. So a record that goes there and back is equal to what it was, unknown fields included.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from traceonce.errors import RecordError
from traceonce.knowledge.record import TRANSITIONS
from traceonce.knowledge.remainder import apply_difference, difference, is_difference

Layout: TypeAlias = Literal["flat", "nested"]
FORMS: tuple[Layout, ...] = get_args(Layout)
IN_FLAT, IN_NESTED = "nested_form", "flat_form"  # where the remainder of the other form is kept
ANY = "any"  # the environment of a record that names none

# field of the flat form: its place in the nested one
PLACES: dict[str, tuple[str, str]] = {
    "signature": ("error", "signature"),
    "regex": ("error", "regex"),
    "domain": ("error", "domain"),
    "category": ("error", "category"),
    "first_seen": ("error", "first_seen"),
    "last_confirmed": ("error", "last_confirmed"),
    "resolvable": ("verdict", "resolvable"),
    "fix_success_rate": ("verdict", "fix_success_rate"),
    "confidence": ("verdict", "confidence"),
    "last_updated": ("verdict", "last_updated"),
    "root_cause": ("verdict", "summary"),
    "evidence_count": ("metadata", "evidence_count"),
}
SHARED = ("dead_ends", "workarounds")  # lists that look the same in both
# A tier says more than a review does: what a community verified was still not run here.
_REVIEWS = {
    "ai_generated": "auto_generated",
    "documented": "human_reviewed",
    "reproduced": "community_verified",
    "verified": "community_verified",
}
_TIERS = {"auto_generated": "ai_generated", "human_reviewed": "documented", "community_verified": "documented"}
_PART = r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*"
_LONGEST = 120  # characters of a part of an id: it becomes the name of a file


class Converted(NamedTuple):
    """A record in the other form, with a report: the fields that have a place there, and those that were only kept."""

    record: dict[str, Any]
    mapped: list[str]
    kept: list[str]


def form_of(data: Any) -> Layout:
    """Which form a document has; what has neither is refused."""
    if isinstance(data, dict) and isinstance(data.get("error"), dict):
        return "nested"
    if isinstance(data, dict) and isinstance(data.get("signature"), str):
        return "flat"
    raise RecordError("is not a record: it has neither 'signature' (the flat format) nor 'error' (the nested format).")


def convert(data: dict[str, Any], to: Layout, *, name_environment: bool = False) -> Converted:
    """The record in this form. The way back gives exactly what came, or it is refused."""
    try:
        return _convert(data, to, name_environment)
    except RecursionError:
        raise RecordError("is nested too deeply to be a record; flatten it.") from None


def _convert(data: dict[str, Any], to: Layout, name_environment: bool) -> Converted:
    if form_of(data) == to:
        return Converted(data, sorted(data), [])
    record = to_flat(data, name_environment=name_environment) if to == "flat" else to_nested(data)
    if not any(same(back, data) for back in _ways_back(record, to)):
        raise RecordError("cannot be converted without loss; please report this record.")
    again = _plain_nested(_plain_flat(data)) if to == "flat" else _plain_flat(_plain_nested(data))
    body = _without(_without(data, IN_FLAT), IN_NESTED)
    kept = sorted(set(_fields(difference(again, body))) - {"id"})
    mapped = [name for name in _names(body) if not any(f"{field}.".startswith(f"{name}.") for field in kept)]
    return Converted(record, mapped, kept)


def _ways_back(record: dict[str, Any], form: Layout) -> Iterator[dict[str, Any]]:
    if form == "flat":
        yield to_nested(record)
    else:
        yield to_flat(record)
        yield to_flat(record, name_environment=True)


def to_flat(nested: dict[str, Any], *, name_environment: bool = False) -> dict[str, Any]:
    """The flat form of a nested record; its id may name the environment, where there are several of the same name."""
    remainder = nested.get(IN_NESTED)
    plain = _plain_flat(_without(nested, IN_NESTED))
    if name_environment and "id" in plain:
        plain["id"] = "-".join([plain["id"], *nested["id"].split("/")[2:]])
    if is_difference(remainder):
        flat = apply_difference(plain, remainder)
        change = difference(_nested_with_remainder(flat), nested) if isinstance(flat, dict) else {}
        if isinstance(flat, dict) and (not change or IN_FLAT not in flat):
            return {**flat, IN_FLAT: change} if change else flat
    change = difference(_nested_with_remainder(plain), nested)
    return {**plain, IN_FLAT: change} if change else plain


def to_nested(flat: dict[str, Any]) -> dict[str, Any]:
    """The nested form of a flat record."""
    remainder = flat.get(IN_FLAT)
    if is_difference(remainder):
        nested = apply_difference(_nested_with_remainder(_without(flat, IN_FLAT)), remainder)
        if isinstance(nested, dict) and any(same(back, flat) for back in _ways_back(nested, "nested")):
            return nested
    return _nested_with_remainder(flat)


def same(one: Any, other: Any) -> bool:
    """Are these equal as JSON? In Python, 1 equals true and 1.0; there it does not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _nested_with_remainder(flat: dict[str, Any]) -> dict[str, Any]:
    nested = _plain_nested(flat)
    remainder = difference(_plain_flat(nested), flat)
    return {**nested, IN_NESTED: remainder} if remainder else nested


def _plain_flat(nested: dict[str, Any]) -> dict[str, Any]:
    """What the fields of a nested record say in the flat form."""
    flat: dict[str, Any] = {}
    if isinstance(nested.get("id"), str):
        flat["id"] = flat_id(nested["id"])
    for name, (group, field) in PLACES.items():
        inside = nested.get(group)
        if isinstance(inside, dict) and field in inside:
            flat[name] = inside[field]
    flat |= {name: nested[name] for name in SHARED if name in nested}
    graph = nested.get("transition_graph")
    if isinstance(graph, dict):
        ways = {way: [_flat_step(step) for step in graph[way]] for way in TRANSITIONS if _is_list(graph.get(way))}
        flat["transition_graph"] = {**graph, **ways}
    metadata = nested.get("metadata")
    review = metadata.get("review_status") if isinstance(metadata, dict) else None
    if isinstance(review, str) and review in _TIERS:
        flat["verification_tier"] = _TIERS[review]
    return flat


def _plain_nested(flat: dict[str, Any]) -> dict[str, Any]:
    """What the fields of a flat record say in the nested form, with what that form wants besides."""
    name = flat.get("id")
    tier = flat.get("verification_tier")
    nested: dict[str, Any] = {"schema_version": "1.0.0"}
    if isinstance(name, str):
        nested |= {"id": nested_id(name), "url": f"urn:traceonce:{name}"}
    nested |= {"error": {}, "environment": _environment(flat), "verdict": {}}
    nested |= {name: flat[name] for name in SHARED if name in flat}
    graph = flat.get("transition_graph")
    if isinstance(graph, dict):
        ways = {way: [_nested_step(step) for step in graph[way]] for way in TRANSITIONS if _is_list(graph.get(way))}
        nested["transition_graph"] = {**graph, **ways}
    nested["metadata"] = {"generated_by": "traceonce", "generation_date": flat.get("last_updated")}
    if isinstance(tier, str) and tier in _REVIEWS:
        nested["metadata"]["review_status"] = _REVIEWS[tier]
    for own, (group, field) in PLACES.items():
        if own in flat:
            nested[group][field] = flat[own]
    return nested


def _environment(flat: dict[str, Any]) -> dict[str, Any]:
    versions = flat.get("versions")
    named = [item.get("version") for item in versions if isinstance(item, dict)] if isinstance(versions, list) else []
    ranges = ", ".join(name for name in named if isinstance(name, str)) or "*"
    return {"runtime": {"name": flat.get("domain"), "version_range": ranges}, "os": ANY}


def flat_id(id: str) -> str:
    """domain/slug/env → domain/slug"""
    return "/".join(id.split("/")[:2])


def nested_id(id: str) -> str:
    """domain/slug → domain/slug/any"""
    return f"{id}/{ANY}" if id.count("/") == 1 else id


def _flat_step(step: Any) -> Any:
    """A transition: an object that names a record; only its id where it says nothing more."""
    if not isinstance(step, dict) or not isinstance(step.get("error_id"), str):
        return step
    other = flat_id(step["error_id"])
    return other if len(step) == 1 else {**step, "error_id": other}


def _nested_step(step: Any) -> Any:
    if isinstance(step, str):
        return {"error_id": nested_id(step)}
    if isinstance(step, dict) and isinstance(step.get("error_id"), str):
        return {**step, "error_id": nested_id(step["error_id"])}
    return step


def check_id(id: Any) -> str:
    """An id becomes the name of a file: refuse what would lead elsewhere, or nowhere."""
    if not isinstance(id, str):
        raise RecordError("id: is missing, or not a string; it must be <domain>/<slug>.")
    parts = id.split("/")
    shown = id if len(id) <= 80 else id[:77] + "…"
    if len(parts) != 2 or not all(re.fullmatch(_PART, part) for part in parts):
        raise RecordError(
            f"id: {shown!r} is not <domain>/<slug> in lower-case letters, digits, '-', '_' and single dots; rename it."
        )
    if max(map(len, parts)) > _LONGEST:
        raise RecordError(f"id: {shown!r} is too long; each part may have up to {_LONGEST} characters.")
    return id


def _without(data: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != name}


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _names(data: dict[str, Any]) -> list[str]:
    """The fields of a record; those of the nested form with their group."""
    grouped = {group for group, _ in PLACES.values()}
    return [
        name
        for key, value in data.items()
        for name in ([f"{key}.{field}" for field in value] if key in grouped and isinstance(value, dict) else [key])
    ]


def _fields(change: Any, at: str = "") -> list[str]:
    """The names of the fields that a difference speaks of; places in lists are all `[]`."""
    if not is_difference(change) or "be" in change:
        return [at]
    names = [f"{at}.{name}" if at else name for name in (*change.get("set", {}), *change.get("drop", ()))]
    for name, inner in change.get("in", {}).items():
        names += _fields(inner, f"{at}.{name}" if at else name)
    for inner in change.get("at", {}).values():
        names += _fields(inner, f"{at}[]")
    return names
