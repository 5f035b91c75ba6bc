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
            grouped[_group(getattr(traceonce, name))].append(f"::: traceonce.{name}")
    grouped["Functions"].append("::: traceonce.integrations.keras_callback.TraceMonitor")
    sections = [f"## {group}\n\n" + "\n\n".join(entries) + "\n" for group, entries in grouped.items()]
    return OPENING + "\n" + "\n".join(sections)


def _group(value: object) -> str:
    if not inspect.isclass(value):
        return "Functions"
    return "Errors" if issubclass(value, BaseException) else "What they return"
