"""What tests want to know of a watch, in one line."""

from __future__ import annotations

import traceonce
from traceonce.facts import Diagnosis


def only(seen: traceonce.Watch) -> Diagnosis:
    """The diagnosis of the one function that was traced."""
    assert len(seen.diagnoses) == 1, [d.function.name for d in seen.diagnoses]
    return seen.diagnoses[0]


def causes_of(diagnosis: Diagnosis) -> list[tuple[str, str, str, str, int]]:
    """Code, path, was, now and count of each cause."""
    return [(c.code.value, c.path, c.was, c.now, c.count) for c in diagnosis.causes]
