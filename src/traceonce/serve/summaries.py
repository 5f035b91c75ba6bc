"""From a recording and its diagnoses to the few words that a list, a table or a comparison shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from traceonce.errors import RecordingError
from traceonce.facts import Cause, Diagnosis, Recording
from traceonce.serve.models import CauseSummary, Description, FunctionSummary, Worst

# Whoever uploads a recording does not decide how large a list gets.
_NAME = 200
_WORDS, _WORD = 50, 300
_SEARCHED = 20_000


def describe_recording(recording: Recording, diagnoses: Sequence[Diagnosis], name: str = "") -> Description:
    """A run in a line; `name` is what somebody calls it, or else what was run."""
    lost = sum(diagnosis.lost_seconds for diagnosis in diagnoses)
    for what, number in (("seconds", recording.seconds), ("started", recording.started), ("lost seconds", lost)):
        if not math.isfinite(number):
            raise RecordingError(f"{name or 'recording'}: its {what} are not finite numbers; record the run again.")
    worst = next(iter(diagnoses), None)
    return Description(
        name=clean_name(name) or clean_name(" ".join(recording.command[:1])) or "recording",
        command=[word[:_WORD] for word in recording.command[:_WORDS]],
        seconds=recording.seconds,
        exit_code=recording.exit_code,
        started=recording.started,
        environment={key[:_WORD]: value[:_WORD] for key, value in [*recording.environment.items()][:_WORDS]},
        functions=len(diagnoses),
        traces=sum(diagnosis.traces for diagnosis in diagnoses),
        lost_seconds=lost,
        worst=Worst(name=worst.function.name[:_WORD], verdict=worst.verdict.value) if worst else None,
    )


def clean_name(name: str) -> str:
    """A name on one line, without characters that cannot be seen."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:_NAME]


def searched_words(description: Description, diagnoses: Iterable[Diagnosis]) -> str:
    """What a recording is found by."""
    names = (diagnosis.function.name for diagnosis in diagnoses)
    return searchable("\n".join((description.name, *description.command, *names)))[:_SEARCHED]


def searchable(text: str) -> str:
    """A text as it is compared with others; PostgreSQL takes no NUL."""
    return text.replace("\0", "").casefold()


def describe_function(diagnosis: Diagnosis) -> FunctionSummary:
    return FunctionSummary(
        backend=diagnosis.backend,
        name=diagnosis.function.name,
        file=diagnosis.function.file,
        line=diagnosis.function.line,
        costly=diagnosis.costly,
        **count(diagnosis),
        causes=[describe_cause(cause) for cause in diagnosis.causes],
    )


def count(diagnosis: Diagnosis) -> dict[str, Any]:
    """What is compared of a function."""
    counts = ("traces", "retraces", "calls", "calls_at_least", "lost_seconds")
    return {"verdict": diagnosis.verdict.value, **{name: getattr(diagnosis, name) for name in counts}}


def describe_cause(cause: Cause) -> CauseSummary:
    return CauseSummary(code=cause.code.value, path=cause.path, count=cause.count)
