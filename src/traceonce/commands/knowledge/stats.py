"""``traceonce knowledge stats``: how many records there are, and how much of what they claim was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from traceonce.console.output import write_answer
from traceonce.console.shared_options import base_option, format_option
from traceonce.facts.quantities import count_of
from traceonce.knowledge.evidence import by_version, framework_name, speaks_against
from traceonce.knowledge.json_files import json_text
from traceonce.knowledge.local_base import open_base
from traceonce.knowledge.record import TIERS, Evidence, Record


@click.command(short_help="Count the records, and how many of their claims were run.")
@format_option("the answer")
@base_option
def command(form: str, base: Path | None) -> None:
    """Count the records, their claims, and the runs behind them.

    A claim is that the failure occurs, that a workaround helps, or that a dead end does not.
    """
    counted = count(open_base(base))
    write_answer(json_text(counted) if form == "json" else _as_text(counted), form)


def count(records: Iterable[Record]) -> dict[str, Any]:
    everything = list(records)
    evidence = [piece for record in everything for pieces in _claims(record).values() for piece in pieces]
    refuted = [
        f"{record.id} {claim}"
        for record in everything
        for claim, pieces in _claims(record).items()
        if speaks_against(pieces)
    ]
    return {
        "records": len(everything),
        "by_category": dict(Counter(record.category for record in everything).most_common()),
        "by_tier": {
            tier: number for tier in TIERS if (number := sum(record.verification_tier == tier for record in everything))
        },
        "workarounds": sum(len(record.workarounds) for record in everything),
        "dead_ends": sum(len(record.dead_ends) for record in everything),
        "claims": sum(len(_claims(record)) for record in everything),
        "claims_run": sum(any(pieces) for record in everything for pieces in _claims(record).values()),
        "evidence": len(evidence),
        "runs": sum(piece.runs for piece in evidence),
        "runs_by_version": _by_version(evidence),
        "refuted": refuted,
        "oldest_evidence": min((piece.date for piece in evidence), default=None),
        "newest_evidence": max((piece.date for piece in evidence), default=None),
    }


def _claims(record: Record) -> dict[str, tuple[Evidence, ...]]:
    """Every claim of a record, named as in the file, with its evidence."""
    return {"failure": record.evidence} | {at: item.evidence for at, item in record.claims}


def _by_version(evidence: Iterable[Evidence]) -> dict[str, int]:
    runs: Counter[str] = Counter()
    for piece in sorted(evidence, key=by_version):
        runs[f"{piece.framework} {piece.version}"] += piece.runs
    return dict(runs)


def _written(name: str) -> str:
    """A framework and its version, as people write them."""
    framework, _, version = name.rpartition(" ")
    return f"{framework_name(framework)} {version}"


def _as_text(counted: dict[str, Any]) -> str:
    lines = [
        ("records", f"{counted['records']}"),
        ("categories", _listed(counted["by_category"])),
        ("tiers", _listed(counted["by_tier"])),
        ("claims", f"{counted['claims']}, of which {counted['claims_run']} were run: the failure of each record, "
                   f"{count_of(counted['workarounds'], 'workaround')}, {count_of(counted['dead_ends'], 'dead end')}"),
        ("runs", f"{counted['runs']:,} in {count_of(counted['evidence'], 'piece')} of evidence"),
        ("versions", _listed({_written(name): runs for name, runs in counted["runs_by_version"].items()})),
        ("refuted", "; ".join(counted["refuted"]) or "none"),
        ("evidence", f"from {counted['oldest_evidence']} to {counted['newest_evidence']}"
                     if counted["oldest_evidence"] else "none"),
    ]  # fmt: skip
    return "".join(f"{name:<12}{text}\n" for name, text in lines)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or '(none)'} {number}" for name, number in counts.items()) or "none"
