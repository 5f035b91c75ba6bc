"""``--fail-on stale`` spares what was only inferred, and says so."""

from __future__ import annotations

import pytest

from tests.unit.handmade import STEP, Events, cause, record, tensor
from traceonce.analysis.conclusion import not_measured
from traceonce.config import Config, FailOn
from traceonce.diagnosis import diagnose
from traceonce.facts import CauseCode
from traceonce.facts.cause import Evidence
from traceonce.facts.entries import Finding
from traceonce.observe.launch import Target

SAID = (
    "--fail-on stale: ignored, because it was inferred and not measured: "
    f"{STEP.name}; to measure it: traceonce fix 'my train.py' 3"
)


@pytest.mark.parametrize(
    ("evidence", "fail_on", "said"),
    [
        ("inferred", "stale", [SAID]),
        ("inferred", "retracing", []),
        ("measured", "stale", []),
    ],
)
def test_what_is_not_counted_is_said(evidence: Evidence, fail_on: FailOn, said: list[str]) -> None:
    stale = Finding("tensorflow", STEP, cause(CauseCode.STALE, "rate", evidence=evidence), process="1")
    diagnoses = diagnose(record(Events()(tensor("x", 3)), calls=2, findings=(stale,)))
    target = Target("script", "my train.py", ("3",))
    assert not_measured(diagnoses, Config(fail_on=(fail_on,)), target.command()) == said
