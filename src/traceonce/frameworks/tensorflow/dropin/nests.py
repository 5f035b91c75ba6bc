"""Places in a nest of arguments: read them, and put something else there."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.tensorflow.dropin.forms import Path


def get(nest: Any, path: Path) -> Any:
    for step in path:
        nest = nest[step]
    return nest


def put(nest: Any, path: Path, value: Any) -> Any:
    """The nest with something else at a path; nothing is changed in place."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(nest, dict):
        return {key: put(part, rest, value) if key == step else part for key, part in nest.items()}
    parts = [put(part, rest, value) if index == step else part for index, part in enumerate(nest)]
    return type(nest)(*parts) if hasattr(nest, "_fields") else type(nest)(parts)
