"""Markdown for a pull request: what it cost, which functions need looking at, why, and what to change.

It fits into one comment on GitHub. What comes first is what matters; what does not fit is left out, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from traceonce.facts.attention import sort_by_attention
from traceonce.report.base import Material
from traceonce.report.markdown.function_section import describe_function
from traceonce.report.markdown.overview import describe_findings, describe_rest, describe_run
from traceonce.report.phrases import Phrases, phrases_in
from traceonce.report.sentences import fix_command

LIMIT = 65_536 - 136  # of GitHub, for a comment, in UTF-16; some are left for a mark, by which ours is found again
SPARE = 1_536  # for the line that says what was left out, and for who puts a line of their own in front
OPEN = 3  # functions that are shown without a click
SHOWN = 100  # functions that are shown at all


class Part(NamedTuple):
    """A piece of the document that is shown whole or not at all."""

    text: str
    of_function: bool = False


def render_markdown(material: Material) -> str:
    phrases = phrases_in(material.language)
    parts = [Part(text) for text in describe_findings(material, phrases)]
    attention = sort_by_attention(material.recording, material.diagnoses)
    command = fix_command(material.recording.command)
    for number, diagnosis in enumerate(attention.named[:SHOWN]):
        text = describe_function(diagnosis, phrases, command, folded=number >= min(OPEN, len(attention.alarms)))
        parts.append(Part(text, of_function=True))
    parts += [Part(text) for text in (*describe_rest(material, phrases), *describe_run(material, phrases))]
    return "\n\n".join(_fit(parts, phrases, len(attention.named[SHOWN:]))) + "\n"


def _fit(parts: Sequence[Part], phrases: Phrases, more: int) -> Iterator[str]:
    """As much as a comment can hold; `more` functions were not even tried."""
    left = LIMIT - SPARE
    skipped = [Part("", of_function=True)] * more
    for part in parts:
        size = len(part.text.encode("utf-16-le", "replace")) // 2 + 2
        if size <= left:
            left -= size
            yield part.text
        else:
            skipped.append(part)
    if skipped:
        yield f"*{phrases.not_shown(sum(part.of_function for part in skipped))}*"
