"""Bodies of requests as they come in: never too much of one, nor of all together, and never too slowly.

Whatever the headers say, the bytes that come are counted. A body may take `FIRST` seconds, and more as long as it keeps
coming; whoever sends it in drops is told so, and does not keep others out.
"""

from __future__ import annotations

import anyio
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

FIRST = 30.0  # seconds for the first of it, and at most between two pieces
SLOWEST = 8 << 10  # bytes per second after that, on average
WHOLE = 600.0  # seconds for all of it
TOGETHER = 64 << 20  # bytes of all bodies that lie in memory


class Bodies:
    """Takes bodies. `first` is `FIRST`, but for tests."""

    def __init__(self, first: float = FIRST) -> None:
        self.first = first
        self.held = 0

    def take(self, receive: Receive, most: int, *, in_memory: bool) -> Body:
        """A body of at most so many bytes, which lies `in_memory` until it is released, or is written elsewhere."""
        return Body(self, receive, most, in_memory)


class Body:
    """One of them: asked as an application asks for messages."""

    def __init__(self, all_bodies: Bodies, receive: Receive, most: int, in_memory: bool) -> None:
        self._all = all_bodies
        self._receive = receive
        self._most = most
        self._in_memory = in_memory
        self._began: float | None = None
        self._taken = 0
        self._held = 0
        self._is_over = False

    async def __call__(self) -> Message:
        if self._is_over:
            return await self._receive()  # until the client has gone
        now = anyio.current_time()
        began = self._began = now if self._began is None else self._began
        end = began + min(WHOLE, self._all.first + self._taken / SLOWEST)
        try:
            with anyio.fail_after(min(end - now, self._all.first)):
                message = await self._receive()
        except TimeoutError:
            self._is_over = True
            raise HTTPException(408, "the request body timed out; send it again.") from None
        piece = len(message.get("body", b""))
        self._is_over = message["type"] != "http.request" or not message.get("more_body", False)
        self._taken += piece
        if self._taken > self._most:
            raise HTTPException(413, too_large(self._most))
        if self._in_memory:
            self._held += piece
            self._all.held += piece
            if self._all.held > TOGETHER:
                raise HTTPException(
                    503, "too many large request bodies are in memory; try again later.", {"Retry-After": "5"}
                )
        return message

    def release(self) -> None:
        """The request is over, and what it held is free."""
        self._all.held -= self._held
        self._held = 0


def too_large(most: int) -> str:
    return f"the body is too large: the limit is {most:,} bytes. For recordings, see traceonce serve --max-upload."
