"""Rates, intervals, versions and tiers follow from the evidence, and from nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceonce.knowledge.evidence import derive, speaks_against, wilson
from traceonce.knowledge.record import DeadEnd, Evidence, Record, Version, Workaround


def piece(version: str = "2.21.0", runs: int = 1, held: int = 1, date: str = "2026-11-15") -> Evidence:
    return Evidence(
        experiment="e.failure",
        framework="tensorflow",
        version=version,
        python="3.11.7",
        date=date,
        runs=runs,
        held=held,
        outcome="1 trace",
    )


def a_record(**fields: object) -> Record:
    return Record.read({"id": "tensorflow/x", "signature": "s"}).replace(**fields)


@pytest.mark.parametrize(
    ("held", "runs", "expected"),
    [  # by an independent formula: scipy.stats.binomtest(held, runs).proportion_ci(method="wilson")
        (10, 10, (0.72, 1.0)),
        (0, 10, (0.0, 0.28)),
        (5, 10, (0.24, 0.76)),
        (1, 1, (0.21, 1.0)),
        (90, 100, (0.83, 0.94)),
    ],
)
def test_known_intervals(held: int, runs: int, expected: tuple[float, float]) -> None:
    assert wilson(held, runs) == expected


@given(st.integers(1, 10_000).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs))))
def test_an_interval_holds_its_share(counts: tuple[int, int]) -> None:
    held, runs = counts
    low, high = wilson(held, runs)
    assert 0.0 <= low <= high <= 1.0
    assert low - 0.005 <= held / runs <= high + 0.005


def test_rates_come_from_all_versions_together() -> None:
    claim = Workaround(action="a", success_rate=0.9, evidence=(piece("2.16.2", 4, 4), piece("2.21.0", 4, 2)))
    derived = derive(a_record(workarounds=(claim,)))
    assert derived.workarounds[0].success_rate == 0.75
    assert derived.workarounds[0].success_interval == wilson(6, 8)
    assert (derived.fix_success_rate, derived.evidence_count) == (0.75, 2)


def test_without_a_run_there_is_no_rate() -> None:
    claimed = a_record(
        workarounds=(Workaround(action="a", success_rate=0.9),),
        dead_ends=(DeadEnd(action="b", why_fails="c", fail_rate=0.7),),
        confidence=0.89,
        fix_success_rate=0.88,
        evidence_count=1,
        verification_tier="verified",
        versions=(Version(version="TensorFlow 2.6.0", status="active"),),
        last_confirmed="2024-06-01",
    )
    derived = derive(claimed)
    assert derived.workarounds[0].success_rate is derived.dead_ends[0].fail_rate is derived.confidence is None
    assert derived.fix_success_rate is derived.last_confirmed is None
    assert (derived.evidence_count, derived.verification_tier, derived.versions) == (0, "ai_generated", ())


def test_versions_in_order_and_what_was_said_of_them() -> None:
    said = Version(version="TensorFlow 2.9.0", behavior_change="other words", status="unknown")
    evidence = (piece("2.21.0", 2, 2), piece("2.9.0", 2, 1), piece("2.10.1", 1, 0))
    versions = derive(a_record(evidence=evidence, versions=(said,))).versions
    assert [(each.version, each.status) for each in versions] == [
        ("TensorFlow 2.9.0", "flaky"),
        ("TensorFlow 2.10.1", "not reproduced"),
        ("TensorFlow 2.21.0", "active"),
    ]
    assert versions[0].behavior_change == "other words"


HELD, REFUTED = (piece(),), (piece(held=0),)
BOTH = (piece("2.16.2"), piece("2.21.0"))


@pytest.mark.parametrize(
    ("fields", "tier"),
    [
        ({}, "ai_generated"),
        ({"official_doc_url": "https://www.tensorflow.org"}, "documented"),
        ({"evidence": REFUTED, "official_doc_url": "https://www.tensorflow.org"}, "documented"),
        ({"evidence": HELD}, "reproduced"),
        ({"evidence": BOTH}, "reproduced"),  # nothing is claimed
        ({"evidence": BOTH, "workarounds": (Workaround(action="a"),)}, "reproduced"),  # not run
        ({"evidence": BOTH, "workarounds": (Workaround(action="a", evidence=REFUTED),)}, "reproduced"),
        ({"evidence": HELD, "workarounds": (Workaround(action="a", evidence=HELD),)}, "reproduced"),  # one version
        ({"evidence": BOTH, "workarounds": (Workaround(action="a", evidence=HELD),)}, "verified"),
        (
            {
                "evidence": BOTH,
                "workarounds": (Workaround(action="a", evidence=HELD),),
                "dead_ends": (DeadEnd(action="b", why_fails="c", evidence=REFUTED),),
            },
            "reproduced",
        ),
    ],
)
def test_tiers(fields: dict[str, object], tier: str) -> None:
    assert derive(a_record(**fields)).verification_tier == tier


def test_the_last_day_on_which_something_held() -> None:
    evidence = (piece(date="2026-01-01"), piece("2.16.2", held=0, date="2026-03-01"))
    assert derive(a_record(evidence=evidence)).last_confirmed == "2026-01-01"


@pytest.mark.parametrize(
    ("held", "runs", "refuted"), [(1, 2, False), (0, 1, True), (4, 9, True), (5, 9, False), (0, 0, False)]
)
def test_refuted_by_most_of_its_runs(held: int, runs: int, refuted: bool) -> None:
    assert speaks_against([piece(runs=runs, held=held)]) is refuted
