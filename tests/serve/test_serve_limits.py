"""What a recording may hold, and that reading it within that takes no longer than it should."""

from __future__ import annotations

from typing import Any

import pytest

from traceonce.facts import Container, FunctionId, Leaf, Recording, Signature, TraceEvent
from traceonce.serve.request_errors import TooLargeError
from traceonce.serve.size_limits import ERRORS, EVENTS, PLACES, PROCESSES, check_size


def event(**fields: Any) -> TraceEvent:
    given: dict[str, Any] = {"function": FunctionId("f"), "signature": Signature(), "start": 0.0}
    return TraceEvent(id=1, backend="tensorflow", **given | fields)


SHAPE = Signature(leaves=(Leaf("x", "tensor", shape=(1,) * PLACES),))
KEYS = Signature(structure=(Container("", "dict", ("k",) * PLACES),))
CROWD = tuple(event(process=str(number), function=FunctionId(f"f{number}")) for number in range(400))


@pytest.mark.parametrize(
    ("recording", "what"),
    [
        (Recording(events=(event(),) * (EVENTS + 1)), "100,001 events; the limit here is 100,000"),
        (Recording(processes=PROCESSES + 1), "501 processes; the limit here is 500"),
        (
            Recording(events=tuple(event(process=str(n)) for n in range(PROCESSES + 1))),
            "501 processes; the limit here is 500",
        ),
        (
            Recording(events=(event(signature=SHAPE),)),
            "1,000,001 places in its signatures; the limit here is 1,000,000",
        ),
        (Recording(events=(event(traced=SHAPE),)), "1,000,001 places in its signatures"),
        (Recording(events=(event(earlier=(KEYS,)),)), "1,000,001 places in its signatures"),
        (
            Recording(events=(event(error="x" * (ERRORS + 1)),)),
            "5,000,001 characters of errors; the limit here is 5,000,000",
        ),
        (
            Recording(events=CROWD * 200, forks={str(number): "0" for number in range(1, 400)}),
            "31,920,000 events that its forked processes inherit; the limit here is 30,000,000",
        ),
    ],
)
def test_too_much(recording: Recording, what: str) -> None:
    """It is said of what, how much is read, and what to do instead."""
    with pytest.raises(
        TooLargeError, match=rf"^nightly: has {what}.*\. Record a shorter run, or use `traceonce report"
    ):
        check_size(recording, "nightly")


def test_as_much_as_is_allowed() -> None:
    """The same errors again count once, since they are looked up once."""
    check_size(Recording(events=(event(error="x" * (ERRORS // 2)),) * EVENTS, processes=PROCESSES), "nightly")
