"""The HTML report: one file with everything inside, which loads nothing and may not.

Its parts lie beside this module: scripts and styles as they were written, words in two languages, fonts, and uPlot,
which draws the charts. They are put together here, in a fixed order. A strict policy lets the browser run exactly this
script and use exactly this style, known by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from string import Template

import msgspec

from traceonce.report.base import Material
from traceonce.report.page.data import describe_catalogue, embed_json, make_page_data
from traceonce.version import __version__
from traceonce.words.translated import LANGUAGES

FOLDER = Path(__file__).parent
# One scope for all: what a file uses at its top level is defined in a file above it.
SCRIPTS = (
    "dom",
    "words",
    "facts",
    "state",
    "numbers",
    "names",
    "errors",
    "comparison",
    "remedies",
    "top",
    "verdict",
    "spent",
    "alarms",
    "fix_card",
    "lanes",
    "marks",
    "zooming",
    "tip",
    "timeline",
    "functions",
    "causes",
    "curve",
    "grid",
    "grid_strip",
    "signatures",
    "source",
    "record",
    "events",
    "filtering",
    "keyboard",
    "printing",
    "main",
)
STYLES = (
    "tokens",
    "page",
    "top",
    "verdict",
    "fix",
    "overlays",
    "screens",
    "timeline",
    "cards",
    "events",
    "print",
)
FONTS = (
    ("Plex Sans", 400, "ibm-plex-sans-latin-400-normal"),
    ("Plex Sans", 500, "ibm-plex-sans-latin-500-normal"),
    ("Plex Sans", 600, "ibm-plex-sans-latin-600-normal"),
    ("Plex Mono", 400, "ibm-plex-mono-latin-400-normal"),
    ("Plex Mono", 600, "ibm-plex-mono-latin-600-normal"),
)


def render_html(material: Material) -> str:
    """The page of a run."""
    script, style = _script(), _style()
    return Template(_read("template.html")).substitute(
        language="zh-CN" if material.language == "zh" else "en",
        policy=_policy(script, style),
        version=__version__,
        style=style,
        script=script,
        data=embed_json(make_page_data(material)),
    )


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    words = {language: msgspec.json.decode(_read(f"words/{language}.json")) for language in LANGUAGES}
    constants = {"WORDS": words, "CATALOGUE": describe_catalogue()}
    parts = [_read("vendor/uPlot.iife.min.js")]
    parts += [f"const {name} = {embed_json(value)};" for name, value in constants.items()]
    parts += [_read(f"scripts/{name}.js") for name in SCRIPTS]
    return "\n".join(["", *parts])


@cache
def _style() -> str:
    parts = [
        _read("vendor/uPlot.min.css"),
        *map(_font, FONTS),
        *(_read(f"styles/{name}.css") for name in STYLES),
    ]
    return "\n".join(["", *parts])


def _font(font: tuple[str, int, str]) -> str:
    family, weight, name = font
    data = base64.b64encode((FOLDER / f"fonts/{name}.woff2").read_bytes()).decode()
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-display:swap;'
        f'src:url(data:font/woff2;base64,{data}) format("woff2")}}'
    )
