"""What follows from the evidence: rates with their intervals, versions, tier, confidence. Nobody types these in.

1.  The rate of a workaround or a dead end is the share of its runs, over all versions, that bore it out; its interval
    is Wilson's, at 95 %. Without a run there is no rate.
2.  `fix_success_rate` is the same over the runs of all workarounds; `confidence` is the lower end of the interval of
    the failure's own runs: how sure it is that the failure is what the record says.
3.  A version is *active* where the failure showed in every run, *not reproduced* where it showed in none, else *flaky*.
4.  Tier: *verified* if the failure showed with two versions or more, and every workaround and every dead end was run
    and held at least half the time; *reproduced* if the failure showed; *documented* if there is a page of the
    framework's about it; else *ai_generated*.
5.  `evidence_count` is the number of pieces of evidence; `last_confirmed` the day of the last one that held.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from traceonce.frameworks.base.registry import framework_of, known_frameworks
from traceonce.knowledge.record import Evidence, Record, Tier, Version

COMPUTED = (
    "versions",
    "confidence",
    "fix_success_rate",
    "fix_success_interval",
    "evidence_count",
    "verification_tier",
    "last_confirmed",
)


def wilson(held: int, runs: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share: sensible for few runs, too."""
    share = held / runs
    middle = share + z * z / (2 * runs)
    spread = z * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    scale = 1 + z * z / runs
    return round(max(0.0, (middle - spread) / scale), 2), round(min(1.0, (middle + spread) / scale), 2)


def rate(evidence: Iterable[Evidence]) -> float | None:
    held, runs = sum_up(evidence)
    return round(held / runs, 2) if runs else None


def interval(evidence: Iterable[Evidence]) -> tuple[float, float] | None:
    held, runs = sum_up(evidence)
    return wilson(held, runs) if runs else None


def sum_up(evidence: Iterable[Evidence]) -> tuple[int, int]:
    """How many runs held, and how many there were."""
    pieces = list(evidence)
    return sum(piece.held for piece in pieces), sum(piece.runs for piece in pieces)


def derive(record: Record) -> Record:
    """The record with everything that follows from its evidence put in its place."""
    workarounds = tuple(
        item.replace(success_rate=rate(item.evidence), success_interval=interval(item.evidence))
        for item in record.workarounds
    )
    dead_ends = tuple(
        item.replace(fail_rate=rate(item.evidence), fail_interval=interval(item.evidence)) for item in record.dead_ends
    )
    of_fixes = [piece for item in workarounds for piece in item.evidence]
    every = [*record.evidence, *(piece for _, item in record.claims for piece in item.evidence)]
    days = [piece.date for piece in every if piece.held]
    sure = interval(record.evidence)
    return record.replace(
        workarounds=workarounds,
        dead_ends=dead_ends,
        versions=_versions(record),
        confidence=sure[0] if sure else None,
        fix_success_rate=rate(of_fixes),
        fix_success_interval=interval(of_fixes),
        evidence_count=len(every),
        verification_tier=_tier(record),
        last_confirmed=max(days) if days else None,
    )


def _versions(record: Record) -> tuple[Version, ...]:
    """One for each version that the failure was tried with; what else was said of it stays."""
    said = {version.version: version for version in record.versions}
    versions = []
    for name in dict.fromkeys(version_name(piece) for piece in sorted(record.evidence, key=by_version)):
        held, runs = sum_up(piece for piece in record.evidence if version_name(piece) == name)
        status = "active" if held == runs else "flaky" if held else "not reproduced"
        versions.append(said.get(name, Version(version=name)).replace(status=status))
    return tuple(versions)


def by_version(piece: Evidence) -> tuple[str, list[int]]:
    """The order of pieces of evidence: by framework, then from the oldest version to the newest."""
    return piece.framework, version_order(piece.version)


def version_order(version: str) -> list[int]:
    return [int(part) if part.isdecimal() else 0 for part in version.split(".")]


def version_name(piece: Evidence) -> str:
    """Framework and version, as people write them."""
    return f"{framework_name(piece.framework)} {piece.version}"


def join_versions(versions: Sequence[str]) -> str:
    """The name of a framework once, then its versions."""
    by_name: dict[str, list[str]] = {}
    for version in versions:
        name, _, number = version.rpartition(" ")
        by_name.setdefault(name, []).append(number)
    return ", ".join(f"{name} {', '.join(numbers)}".strip() for name, numbers in by_name.items())


def framework_name(framework: str) -> str:
    """As people write it."""
    return framework_of(framework).title


def requirement_of(version: str) -> str:
    """What to install for a framework and version as people write them: the name to install and the version."""
    name, _, number = " ".join(version.split()).rpartition(" ")
    package = next((each.name for each in known_frameworks() if each.title == name), name.lower())
    return f"{package}=={number}"


def _tier(record: Record) -> Tier:
    shown = {piece.version for piece in record.evidence if piece.held}
    if not shown:
        return "documented" if record.official_doc_url else "ai_generated"
    claims = [item.evidence for _, item in record.claims]
    if len(shown) >= 2 and claims and all(rate(of_it) is not None and not speaks_against(of_it) for of_it in claims):
        return "verified"
    return "reproduced"


def speaks_against(evidence: Iterable[Evidence]) -> bool:
    """Did fewer than half of the runs bear the claim out? Without a run, nothing speaks against it."""
    held, runs = sum_up(evidence)
    return 2 * held < runs
