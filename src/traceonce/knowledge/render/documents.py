"""Markdown and HTML, from templates. A template lays out; what a text may not do is decided in `markup`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import jinja2

from traceonce.knowledge.record import Record
from traceonce.knowledge.render import markup
from traceonce.knowledge.render.view import link_of, view_of
from traceonce.words.translated import Language


def render_markdown(record: Record, language: Language = "en") -> str:
    return _templates().get_template("record.md.j2").render(view_of(record, language)._asdict())


def render_html(record: Record, language: Language = "en", address: Callable[[str], str] | None = None) -> str:
    """A fragment for a page. `address` says where another record is; without it, on the same page."""
    shown = view_of(record, language)._asdict()
    return _templates().get_template("record.html.j2").render(shown, address=address or _on_the_page)


def _on_the_page(id: str) -> str:
    return f"#{anchor(id)}"


def anchor(id: str) -> str:
    """What a record is called inside of a page."""
    return "record-" + re.sub(r"[^\w.-]+", "-", id)


@functools.cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("traceonce.knowledge.render"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "inline": markup.markdown_inline,
        "heading": markup.markdown_heading,
        "paragraphs": markup.markdown_paragraphs,
        "cell": markup.markdown_cell,
        "code": markup.markdown_code,
        "fence": markup.markdown_fence,
        "link": markup.markdown_link,
        "clean": markup.clean,
        "prose": markup.html_inline,
        "anchor": anchor,
    }
    environment.tests["link"] = lambda text: link_of(text) is not None
    return environment
