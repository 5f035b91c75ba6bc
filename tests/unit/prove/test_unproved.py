"""Which change is told although it was not proved?"""

from __future__ import annotations

import pytest

from tests.unit.handmade import Events, record, tensor
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts import Proof
from traceonce.facts.proof import Measurement
from traceonce.fix.suggestions import make_case
from traceonce.prove.attempt import may_help
from traceonce.words.notes.reasons import RUNS_AS_PLAIN_PYTHON


@pytest.mark.parametrize(("after", "told"), [(8, False), (9, False), (3, True)])
def test_what_leaves_as_many_traces_is_not_told(after: int, told: bool) -> None:
    event = Events()
    ((diagnosis, events),) = diagnose_with_events(record(*(event(tensor("x", n)) for n in range(8)), calls=8))
    proof = Proof(Measurement(8, 8, 1.0), Measurement(after, 8, 1.0), None, "not_proved", f"8 traces → {after}")
    assert may_help(make_case(diagnosis, events, {}), proof) is told


def test_what_only_runs_as_plain_python_then_is_not_told() -> None:
    event = Events()
    ((diagnosis, events),) = diagnose_with_events(record(*(event(tensor("x", n)) for n in range(8)), calls=8))
    reason = RUNS_AS_PLAIN_PYTHON(error="range of a tensor")
    proof = Proof(Measurement(8, 8, 1.0), Measurement(1, 8, 1.0), None, "not_proved", coded_reason=reason)
    assert not may_help(make_case(diagnosis, events, {}), proof)
