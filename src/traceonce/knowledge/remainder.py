"""The difference between two JSON documents, itself as JSON: applied to the first, it gives the second.

``{"set": {"a": 1}, "drop": ["b"], "in": {"c": …}}`` for an object, ``{"at": {"0": …}}`` for a list of the same length,
``{"be": …}`` for anything else. Where there is no difference, it is empty.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # newer than what some libraries pin
    from typing_extensions import TypeIs

Json: TypeAlias = Any
Difference: TypeAlias = dict[str, Any]


def difference(one: Json, other: Json) -> Difference:
    """What has to change in one to make it the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        changes = {key: difference(one[key], other[key]) for key in one if key in other}
        found: Difference = {
            "set": {key: other[key] for key in other if key not in one},
            "drop": [key for key in one if key not in other],
            "in": {key: change for key, change in changes.items() if change},
        }
        return {kind: what for kind, what in found.items() if what}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        items = (difference(*pair) for pair in zip(one, other, strict=True))
        places = {str(number): change for number, change in enumerate(items) if change}
        return {"at": places} if places else {}
    return {} if json.dumps(one) == json.dumps(other) else {"be": other}


def is_difference(value: Json) -> TypeIs[Difference]:
    """Does it look like one?"""
    kinds = {"set": dict, "drop": list, "in": dict, "at": dict, "be": object}
    return (
        isinstance(value, dict)
        and bool(value)
        and all(name in kinds and isinstance(what, kinds[name]) for name, what in value.items())
    )


def apply_difference(one: Json, change: Difference) -> Json | None:
    """The other document; None where the difference does not fit the first."""
    try:
        return _apply(one, change)
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _apply(one: Json, change: Difference) -> Json:
    if not is_difference(change):
        raise TypeError
    if "be" in change:
        return change["be"]
    if "at" in change and isinstance(one, list):
        items = list(one)
        for place, inner in change["at"].items():
            items[int(place)] = _apply(items[int(place)], inner)
        return items
    if not isinstance(one, dict):
        raise TypeError
    left = {key: value for key, value in one.items() if key not in change.get("drop", ())}
    for key, inner in change.get("in", {}).items():
        left[key] = _apply(left[key], inner)
    return {**left, **change.get("set", {})}
