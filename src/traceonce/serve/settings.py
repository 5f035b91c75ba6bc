"""How a server is set up."""

from __future__ import annotations

import msgspec

from traceonce.serve.computation_budget import MIB, MOST_SECONDS

__all__ = ["MIB", "ServerSettings"]


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All that a server needs to know; `commands/serve.py` fills it in.

    `database` is an SQLAlchemy URL. Without a `token` anybody who reaches the server may use it, so that it then
    answers only to the names in `hosts` (empty: to any). `max_upload` counts bytes, also of what gzip expands to.
    `max_seconds` is the most time of the processor that reading one recording may take.
    `match_rate` is the number of texts per second that one client may ask about; long ones count as several. 0: any.
    """

    database: str
    token: str | None = None
    hosts: tuple[str, ...] = ()
    max_upload: int = 64 * MIB
    max_seconds: float = MOST_SECONDS
    match_rate: float = 50.0
