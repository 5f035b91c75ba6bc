"""What a connection may cost before anybody knows who it is: uvicorn's, with bounds.

1. The headers of a request come within `PATIENCE` seconds and have at most `HEADERS` bytes.
2. Whoever does not read its answer is cut off after `STALLED` seconds.
3. Whoever goes on sending what nobody reads any more is cut off `PATIENCE` seconds after its answer.
4. There are never more than `MOST` connections: of the client that has most of them, the one that has waited longest
   without a request makes room for a new one.
"""

from __future__ import annotations

import asyncio
import itertools
import resource
from collections import Counter
from typing import Any, Literal, TypeAlias

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PATIENCE = 10.0
STALLED = 60.0
HEADERS = 64 << 10
MOST = 1_000
_FILES = 200  # that the server needs for all else

_turns = itertools.count()

Part: TypeAlias = Literal["headers", "body", "between"]


class BoundedConnection(HttpToolsProtocol):
    """A connection; made by uvicorn for each client that comes."""

    part: Part
    turn: int  # when it began to wait: a loop's clock gives many the same millisecond

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._begin_headers()
        _make_room(self.connections, self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.part == "between":
            self._begin_headers()
        super().data_received(data)
        if self.part == "headers" and not self.transport.is_closing():
            self._taken += len(data)
            if self._taken > HEADERS:
                self.send_400_response(f"The headers are longer than {HEADERS:,} bytes.")

    def on_headers_complete(self) -> None:
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > HEADERS:
            raise ValueError("the headers are too long")  # which uvicorn answers with 400
        self.part = "body"
        self._stop(self._timer)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.part = "between"
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.part == "body":
            self._cut_off_after(PATIENCE)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop(self._stalled)
        self._stalled = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop(self._stalled)
        super().resume_writing()

    @property
    def is_waiting(self) -> bool:
        """Has it no request that is being answered?"""
        return self.part == "headers" or (self.part == "between" and (not self.cycle or self.cycle.response_complete))

    def _begin_headers(self) -> None:
        self.part = "headers"
        self.turn = next(_turns)
        self._taken = 0
        self._cut_off_after(PATIENCE)

    def _cut_off_after(self, seconds: float) -> None:
        self._stop(self._timer)
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timers(self) -> None:
        self._stop(self._timer)
        self._stop(self._stalled)

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()


def most_connections() -> int:
    """`MOST`, or as many as the system lets one process have."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(10, min(MOST, files - _FILES))


def _make_room(connections: set[Any], newest: BoundedConnection) -> None:
    """By rule 4. Aborted connections stay in the set until the loop comes round, and make no room twice."""
    alive = [one for one in connections if not one.transport.is_closing()]
    if len(alive) > most_connections():
        waiting = [one for one in alive if isinstance(one, BoundedConnection) and one.is_waiting]
        crowd = Counter(_host(one) for one in alive)
        leaving = min(waiting, key=lambda one: (-crowd[_host(one)], one.turn), default=newest)
        leaving.transport.abort()


def _host(connection: Any) -> str:
    return connection.client[0] if connection.client else ""
