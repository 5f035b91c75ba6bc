"""Helpers for tests of `torch.compile`: watch a piece of code, and its causes as short tuples."""

from __future__ import annotations

from traceonce.api import Watch
from traceonce.facts import Diagnosis, Recording

Told = tuple[str, str, str, str]


def told(diagnosis: Diagnosis) -> list[Told]:
    """Its causes: code, path, was, now."""
    return [(cause.code.value, cause.path, cause.was, cause.now) for cause in diagnosis.causes]


def only(seen: Watch) -> Diagnosis:
    """The one function that was compiled."""
    (diagnosis,) = seen.diagnoses
    assert not own_problems(seen.recording)
    return diagnosis


def own_problems(recording: Recording) -> list[str]:
    return [notice.text for notice in recording.notices if notice.error]
