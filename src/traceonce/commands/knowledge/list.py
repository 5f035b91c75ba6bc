"""``traceonce knowledge list``: the records, a line each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from traceonce.console.message_line import say
from traceonce.console.output import write_document
from traceonce.console.shared_options import base_option, format_option, language_option
from traceonce.knowledge.json_files import json_text
from traceonce.knowledge.language import in_language
from traceonce.knowledge.local_base import open_to_read
from traceonce.knowledge.record import TIERS, Record, Tier
from traceonce.knowledge.render.labels import value_in
from traceonce.knowledge.render.line_breaks import columns, shorten
from traceonce.knowledge.render.markup import one_line
from traceonce.report.terminal import print_line
from traceonce.words.translated import Language


@click.command(short_help="List the records, one per line.")
@click.option("--category", help="Only this category.")
@click.option("--tag", help="Only this tag.")
@click.option("--tier", type=click.Choice(TIERS), help="Only this tier.")
@click.option("--search", metavar="WORDS", help="Only records that contain all of these words.")
@format_option("the list")
@language_option
@base_option
def command(
    category: str | None,
    tag: str | None,
    tier: Tier | None,
    search: str | None,
    form: str,
    lang: Language,
    base: Path | None,
) -> None:
    """List the records.

    \b
    traceonce knowledge list --category retracing
    traceonce knowledge list --search "partial batch" --format json
    """
    found = [
        record
        for record in open_to_read(base)
        if (category is None or record.category == category)
        and (tag is None or tag in record.tags)
        and (tier is None or record.verification_tier == tier)
        and _has(record, search or "")
    ]
    if form == "json":
        entries = [_entry(record) for record in found]
        write_document(json_text(entries), None)
        return
    if not found:
        say("no record matches", err=False)
        return
    console = Console(highlight=False)
    names = [one_line(record.id) for record in found]
    tiers = [value_in(lang, record.verification_tier) for record in found]
    for record, name, shown in zip(found, names, tiers, strict=True):
        start = name.ljust(max(map(len, names)) + 2)
        middle = shown + " " * (max(map(columns, tiers)) - columns(shown) + 2)
        room = max(20, console.width - columns(start + middle))
        title = one_line(in_language(lang, record.signature, record.signature_zh))
        line = Text.assemble((start, "cyan"), (middle, "dim"), shorten(title, room) if console.is_terminal else title)
        print_line(console, line)


def _has(record: Record, search: str) -> bool:
    """Do all words stand somewhere in what people read of a record?"""
    texts = [record.id, record.signature, record.signature_zh, record.root_cause, record.root_cause_zh]
    texts += [record.category, *record.tags, *record.aliases, *record.workarounds_zh, *record.dead_ends_zh]
    texts += [item.action for item in record.workarounds] + [item.action for item in record.dead_ends]
    everything = "\n".join(texts).casefold()
    return all(word in everything for word in search.casefold().split())


def _entry(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "signature": record.signature,
        "signature_zh": record.signature_zh,
        "category": record.category,
        "tags": record.tags,
        "verification_tier": record.verification_tier,
        "workarounds": len(record.workarounds),
        "dead_ends": len(record.dead_ends),
        "fix_success_rate": record.fix_success_rate,
        "evidence_count": record.evidence_count,
        "last_confirmed": record.last_confirmed,
    }
