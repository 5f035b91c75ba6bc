"""docs/reference/api.md: a place for every public name, which mkdocstrings fills from its docstring and types."""

from __future__ import annotations

import inspect

import traceonce

OPENING = """\
# API

Every public name, from its docstring and types. By what you want to do: [from Python](../python.md). Made by
`python docs/generate.py`.
"""
GROUPS = ("Functions", "What they return", "Errors")


def page() -> str:
    grouped: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in sorted(traceonce.__all__, key=str.lower):
        if not name.startswith("__") and name != "keras":
            value = getattr(traceonce, name)
            grouped[_group(value)].append(_entry(name, f"{value.__module__}.{value.__qualname__}"))
    grouped["Functions"].append(_entry("keras.TraceMonitor", "traceonce.integrations.keras_callback.TraceMonitor"))
    sections = [f"## {group}\n\n" + "\n\n".join(entries) + "\n" for group, entries in grouped.items()]
    return OPENING + "\n" + "\n".join(sections)


def _entry(name: str, path: str) -> str:
    """The object where it is written, under the name that users know."""
    return f"::: {path}\n    options:\n      heading: traceonce.{name}\n      toc_label: {name}"


def _group(value: object) -> str:
    if not inspect.isclass(value):
        return "Functions"
    return "Errors" if issubclass(value, BaseException) else "What they return"
