"""A record in the form that somebody reads: Markdown, JSON, an HTML fragment, or text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.record import Record
from traceonce.knowledge.render.documents import render_html, render_markdown
from traceonce.knowledge.render.text import render_text
from traceonce.words.translated import Language

__all__ = ["FORMS", "Language", "RecordForm", "render", "render_html", "render_markdown", "render_text"]

RecordForm: TypeAlias = Literal["markdown", "json", "text", "html"]
FORMS: tuple[RecordForm, ...] = get_args(RecordForm)


def render(record: Record, form: RecordForm, language: Language = "en", own: Sequence[Outcome] = ()) -> str:
    """The record in one of the forms; what the user noted (`own`) stands beside ours in text, and nowhere else."""
    if form == "json":
        return record.to_json()
    if form == "markdown":
        return render_markdown(record, language)
    if form == "html":
        return render_html(record, language)
    return render_text(record, language, own=own)
