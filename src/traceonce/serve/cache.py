"""Things that are costly to make and asked for again: kept while there is room, made once however many ask at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Cache(Generic[Thing]):
    """Keeps what was asked for last, up to a total of `room` by `size`; what is larger than that is not kept."""

    def __init__(self, room: int, size: Callable[[Thing], int]) -> None:
        self._room = room
        self._size = size
        self._kept: OrderedDict[Hashable, Thing] = OrderedDict()
        self._used = 0
        self._lock = threading.Lock()
        self._being_made: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """The thing for this key; the first who asks makes it, and those who ask meanwhile wait."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            making = self._being_made.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                thing = make()
                self._keep(key, thing)
            finally:
                with self._lock:
                    self._being_made.pop(key, None)
        return thing

    def forget(self, chosen: Callable[[Hashable], bool]) -> None:
        """Drop what is kept for some keys."""
        with self._lock:
            for key in [key for key in self._kept if chosen(key)]:
                self._used -= self._size(self._kept.pop(key))

    def _keep(self, key: Hashable, thing: Thing) -> None:
        with self._lock:
            if self._size(thing) > self._room or key in self._kept:
                return
            self._kept[key] = thing
            self._used += self._size(thing)
            while self._used > self._room:
                _, dropped = self._kept.popitem(last=False)
                self._used -= self._size(dropped)
