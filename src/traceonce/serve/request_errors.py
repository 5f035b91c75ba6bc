"""What a question is refused for. The message says why, and what to do; REST gives each a status of its own."""

from __future__ import annotations

from traceonce.errors import UsageError


class NotFoundError(UsageError):
    """Nothing here has this name."""


class TooLargeError(UsageError):
    """More was sent than the server takes."""


class StoreError(UsageError):
    """The database cannot be used."""


class OverBudgetError(UsageError):
    """A recording that takes more time or memory than one may take here."""


class BusyError(UsageError):
    """Nothing is wrong with the question, but it cannot be answered now."""


class BrokenJobError(Exception):
    """What was computed from a recording raised what nobody expected; `trace` is for the log."""

    def __init__(self, kind: str, message: str, trace: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.trace = trace
