"""What every report is made from, and the forms there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, Recording

Renderer: TypeAlias = Callable[[Recording, Sequence[Diagnosis]], str]
FORMATS = ("text", "json", "github")


def find_renderer(name: str) -> Renderer:
    """The renderer for a format; each is imported when it is asked for."""
    if name == "text":
        from traceonce.report.text import render_text

        return render_text
    if name == "json":
        from traceonce.report.json import render_json

        return render_json
    if name == "github":
        from traceonce.report.github import render_github

        return render_github
    raise UsageError(f"--format {name}: there is no such format; use one of: {', '.join(FORMATS)}.")
