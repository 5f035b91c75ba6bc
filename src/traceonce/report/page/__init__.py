"""The HTML report: one file with everything inside, which loads nothing and may not.

Its parts lie beside this module: scripts and styles as they were written, words in two languages, fonts, and uPlot,
which draws the charts. They are put together here, in a fixed order. A strict policy lets the browser run exactly these
scripts and use exactly this style, known by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from traceonce.report.base import Material
from traceonce.report.page.data import describe_catalogue, embed_json, make_page_data
from traceonce.report.page.script_bundle import join_modules
from traceonce.version import __version__
from traceonce.words.translated import LANGUAGES, Language
from traceonce.words.verdicts import BADGES

FOLDER = Path(__file__).parent
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
    charts, script, style = _read("vendor/uPlot.iife.min.js"), join_modules(FOLDER / "scripts", "main"), _style()
    return Template(_read("template.html")).substitute(
        language="zh-CN" if material.language == "zh" else "en",
        policy=_policy((charts, script), style),
        version=__version__,
        style=style,
        charts=charts,
        script=script,
        words=_words(),
        catalogue=embed_json(describe_catalogue()),
        data=embed_json(make_page_data(material)),
    )


def _policy(scripts: Iterable[str], style: str) -> str:
    allowed = " ".join(f"'{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src '{_hash(style)}'; "
        "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def words_in(language: Language) -> dict[str, Any]:
    """All that the scripts say: what is the page's own, and how verdicts are called everywhere."""
    words: dict[str, Any] = msgspec.json.decode(_read(f"words/{language}.json"))
    words["verdict"]["badge"] |= {verdict.value: badge.said_in(language) for verdict, badge in BADGES.items()}
    return words


@cache
def _words() -> str:
    return embed_json({language: words_in(language) for language in LANGUAGES})


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
