"""How values are written on a page: numbers with their units, moments, marked words. All of it is escaped."""

from __future__ import annotations

import datetime
import re
import shlex
from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from traceonce.facts.quantities import size
from traceonce.frameworks.base.registry import package_titles
from traceonce.knowledge.evidence import join_versions
from traceonce.knowledge.language import is_chinese
from traceonce.knowledge.render.markup import clean, html_inline
from traceonce.knowledge.render.view import link_of

_RISKY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_RECORD = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
_SPACE = "\u00a0"  # between a number and its unit
_MOST_HOURS = 10_000  # beyond them nobody reads the digits


def harmless(value: object) -> object:
    """A text without characters that are not seen, or that turn around what follows; anything else as it is."""
    if isinstance(value, str) and not isinstance(value, Markup) and _RISKY.search(value):
        return clean(value)
    return value


def seconds(number: float) -> str:
    """A time as people read it."""
    if number >= 7200:
        hours = number / 3600
        return f"{hours:,.1f}{_SPACE}h" if hours < _MOST_HOURS else f"{hours:.1e}{_SPACE}h"
    if number >= 120:
        return f"{number / 60:.1f}{_SPACE}min"
    if number >= 1:
        return f"{number:.1f}{_SPACE}s"
    if number >= 0.0005:
        return f"{number * 1000:.0f}{_SPACE}ms"
    return f"0{_SPACE}s" if number <= 0 else f"<{_SPACE}1{_SPACE}ms"


def part_of(amount: float, whole: float) -> str:
    """How much of the whole it is, in percent: the length of a bar."""
    return f"{100 * min(1.0, max(0.0, amount / whole)):.1f}" if whole > 0 else "0"


def number(count: int) -> str:
    return f"{count:,}"


def percent(share: float) -> str:
    return f"{share:.0%}"


def instant(epoch: float) -> str:
    """Seconds since 1970 in ISO 8601; nothing where no calendar has them."""
    try:
        return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return ""


def when(moment: str) -> str:
    """A moment for readers without scripts; with them, it is shown in their own zone."""
    try:
        parsed = datetime.datetime.fromisoformat(moment)
    except ValueError:
        return "–"
    return f"{parsed.astimezone(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC"


def command_line(command: Sequence[str]) -> str:
    return shlex.join(command) or "–"


def frameworks(environment: Mapping[str, str]) -> str:
    """What a run was made with: the framework and Python, each with its version."""
    titles = package_titles()
    return ", ".join(f"{titles[name]}{_SPACE}{environment[name]}" for name in titles if name in environment)


def highlight(text: str, query: str) -> Markup:
    """The text with the words of a query marked."""
    words = sorted(set(query.split()), key=len, reverse=True)
    shown = str(harmless(text))
    if not words:
        return escape(shown)
    parts = re.split(f"({'|'.join(map(re.escape, words))})", shown, flags=re.IGNORECASE)
    mark = Markup("<mark>{}</mark>")
    return Markup().join(mark.format(part) if at % 2 else escape(part) for at, part in enumerate(parts))


def prose(text: str) -> Markup:
    """Running text, in which `code` between backticks is marked up."""
    return html_inline(str(harmless(text)))


def is_https(address: object) -> bool:
    """May a page link to it?"""
    return isinstance(address, str) and address.startswith("https://") and link_of(address) is not None


def is_record_id(id: object) -> bool:
    return isinstance(id, str) and _RECORD.fullmatch(id) is not None


def has_chinese(text: str) -> bool:
    return any(map(is_chinese, text))


FILTERS = {
    "seconds": seconds,
    "part_of": part_of,
    "number": number,
    "percent": percent,
    "bytes": size,
    "instant": instant,
    "when": when,
    "command_line": command_line,
    "frameworks": frameworks,
    "highlight": highlight,
    "prose": prose,
    "clean": harmless,
    "versions": join_versions,
}
TESTS = {"https": is_https, "record_id": is_record_id, "chinese": has_chinese}
