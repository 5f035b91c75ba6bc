"""What the knowledge base claims of TensorFlow is run, all of it, with the installed version: the evidence holds."""

from __future__ import annotations

import sys

import pytest

from tests.record_claims import JOBS, problems, run_all, run_failing, workarounds
from traceonce.commands.knowledge.claims import measure
from traceonce.knowledge.claims import load_claims, load_programs
from traceonce.knowledge.harvest import messages
from traceonce.knowledge.verify import differences, refuted


def test_every_record_in_a_run_of_all_its_trials() -> None:
    measured = run_all("tensorflow")
    assert len(measured) >= 32
    assert problems(measured) == []


def test_what_people_say_in_a_run_of_all_programs() -> None:
    claims = load_claims()
    assert measure(claims, load_programs(), sys.executable, JOBS) == claims


@pytest.mark.parametrize("name", ["retracing-shape", "symbolic-tensor-as-bool"])
def test_a_claim_that_is_false_is_refuted(name: str) -> None:
    """The tests above can fail."""
    measured = run_failing(name, "tensorflow")
    assert {problem.claim for problem in refuted(measured)} >= workarounds(measured)
    assert {problem.claim for problem in differences(measured)} >= workarounds(measured)
    assert all(list(messages(seen)) for _, seen in measured.of("failure"))
