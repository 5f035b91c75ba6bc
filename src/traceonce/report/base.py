"""What every report is made from, and the forms there are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from traceonce.errors import UsageError
from traceonce.facts import Cause, Diagnosis, Recording
from traceonce.words.translated import Language


class Material(NamedTuple):
    """A run, and what was found in it.

    `causes` are those of each event of the recording, in order. `records` holds, by record id and language, what is
    known, as plain JSON. Both are there for the forms that show them.
    """

    recording: Recording
    diagnoses: Sequence[Diagnosis]
    causes: Sequence[tuple[Cause, ...]] = ()
    records: Mapping[str, Mapping[str, Any]] = {}
    language: Language = "en"


class Form(NamedTuple):
    """Where the renderer is, what it shows beyond the diagnoses, and whether it is written in Chinese, too."""

    renderer: str
    shows_events: bool = False
    shows_records: bool = False
    in_chinese: bool = False


Renderer: TypeAlias = Callable[[Material], str]
FORMS = {
    "text": Form("traceonce.report.text:render_text"),
    "json": Form("traceonce.report.json:render_json"),
    "html": Form("traceonce.report.page:render_html", shows_events=True, shows_records=True, in_chinese=True),
    "markdown": Form("traceonce.report.markdown:render_markdown", in_chinese=True),
    "sarif": Form("traceonce.report.sarif:render_sarif"),
    "chrome": Form("traceonce.report.chrome:render_chrome", shows_events=True),
    "csv": Form("traceonce.report.csv:render_csv", shows_events=True),
    "github": Form("traceonce.report.github:render_github"),
}
FORMATS = tuple(FORMS)


def find_form(name: str) -> Form:
    if name not in FORMS:
        raise UsageError(f"--format {name}: unknown format; use one of: {', '.join(FORMATS)}.")
    return FORMS[name]


def find_renderer(name: str) -> Renderer:
    """The renderer for a format; each is imported when it is asked for."""
    module, _, function = find_form(name).renderer.partition(":")
    renderer: Renderer = getattr(importlib.import_module(module), function)
    return renderer
