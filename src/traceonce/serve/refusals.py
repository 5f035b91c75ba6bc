"""What a question is refused for. The message says why, and what to do; REST gives each a status of its own."""

from __future__ import annotations

from traceonce.errors import UsageError


class NotFoundError(UsageError):
    """Nothing here has this name."""


class TooLargeError(UsageError):
    """More was sent than the server takes."""


class StoreError(UsageError):
    """The database cannot be used."""
