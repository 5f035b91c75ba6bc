"""Things that are costly to make and asked for again: kept while there is room, made once however many ask at once.

The keeping is cachetools'. Why not its `cached` as well (8.0): it keeps coroutines, not what they return, and those who
ask at the same time would each make the thing; `async_lru` counts entries, not bytes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import anyio
from cachetools import LRUCache

from traceonce.serve.request_errors import OverBudgetError

REFUSALS = 1_000  # that are remembered
Thing = TypeVar("Thing")


class Cache(Generic[Thing]):
    """Keeps what was asked for last, up to a total of `room` by `size`; what is larger than that is not kept.

    What was refused because it takes too long is not tried again: it would take as long. All who ask belong to one
    event loop.
    """

    def __init__(self, room: int, size: Callable[[Thing], int]) -> None:
        self._kept: LRUCache[Hashable, Thing] = LRUCache(room, size)
        self._refused: LRUCache[Hashable, OverBudgetError] = LRUCache(REFUSALS)
        self._being_made: dict[Hashable, _Making[Thing]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Thing]]) -> Thing:
        """The thing for this key; the first who asks makes it, and those who ask meanwhile wait."""
        while True:
            if key in self._kept:
                return self._kept[key]
            if key in self._refused:
                raise OverBudgetError(*self._refused[key].args)
            making = self._being_made.get(key)
            if making is None:
                return await self._make(key, make)
            await making.over.wait()
            if making.error is not None:
                raise making.error
            if making.things:
                return making.things[0]
            # Whoever made it was called off; somebody else does.

    def forget(self, chosen: Callable[[Hashable], bool]) -> None:
        """Drop what is kept for some keys."""
        for key in [key for key in self._kept if chosen(key)]:
            del self._kept[key]

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[Thing]]) -> Thing:
        making = self._being_made[key] = _Making()
        try:
            thing = await make()
        except Exception as error:
            making.error = error
            if isinstance(error, OverBudgetError):
                self._refused[key] = error
            raise
        else:
            making.things.append(thing)
            with contextlib.suppress(ValueError):  # larger than all the room
                self._kept[key] = thing
            return thing
        finally:
            del self._being_made[key]
            making.over.set()


class _Making(Generic[Thing]):
    """What becomes of a thing that is being made: one thing, an error, or neither where it was called off."""

    def __init__(self) -> None:
        self.over = anyio.Event()
        self.things: list[Thing] = []
        self.error: Exception | None = None
