"""How much one recording may hold. Whoever uploads one does not decide how long the others wait.

Reading a recording takes time in proportion to these numbers; within them it takes seconds, and not minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Recording, Signature
from traceonce.serve.request_errors import TooLargeError

EVENTS = 100_000
PROCESSES = 500
PLACES = 1_000_000  # at which signatures can differ: arguments, dimensions, containers
ERRORS = 5_000_000  # characters; each error is looked up in the records
INHERITED = 30_000_000  # events that forked processes would have to look through for what they inherit


def check_size(recording: Recording, name: str) -> None:
    """Refuse a recording that holds more than any real run does."""
    for what, count, most in _counts(recording):
        if count > most:
            raise TooLargeError(
                f"{name}: has {count:,} {what}; the limit here is {most:,}. Record a shorter run, or use "
                "`traceonce report FILE`, which reads files of any size."
            )


def _counts(recording: Recording) -> Iterator[tuple[str, int, int]]:
    events = recording.events
    yield "events", len(events), EVENTS
    yield "processes", max(recording.processes, len({event.process for event in events})), PROCESSES
    yield "places in its signatures", sum(map(_places, _signatures(recording))), PLACES
    yield "characters of errors", sum(map(len, {event.error for event in events if event.error})), ERRORS
    inheriting = {(event.process, event.function) for event in events if event.process in recording.forks}
    yield "events that its forked processes inherit", len(inheriting) * len(events), INHERITED


def _signatures(recording: Recording) -> Iterator[Signature]:
    for event in recording.events:
        yield event.signature
        yield from event.earlier
        if event.traced is not None:
            yield event.traced


def _places(signature: Signature) -> int:
    dimensions = sum(len(leaf.shape) for leaf in signature.leaves if leaf.shape is not None)
    keys = sum(len(container.keys) for container in signature.structure)
    return len(signature.leaves) + dimensions + len(signature.structure) + keys + len(signature.context)
