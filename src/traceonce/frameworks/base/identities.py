"""Numbers for objects, so that data can tell them apart without holding on to them."""

from __future__ import annotations

import itertools
import weakref
from typing import Any


class Identities:
    """Gives each living object a number, and one number to objects that are equal, as a cache of traces does.

    Such a cache keys an object argument by a weak reference: two living objects share a trace when they are equal, and
    none shares a trace with an object that is gone. A dictionary keyed by weak references has exactly that meaning.
    """

    def __init__(self) -> None:
        self._numbers: dict[weakref.ref[Any], int] = {}
        self._next = itertools.count(1)
        self._issued = self._told = 0
        self._died: list[int] = []

    def number(self, thing: Any) -> int:
        reference = weakref.ref(thing, self._forget)
        known = self._numbers.get(reference)
        if known is None:
            known = self._numbers[reference] = self._issued = next(self._next)
        return known

    def fresh(self, *, dead: bool = False) -> int:
        """A number for something that equals nothing: not even itself, or an object that is gone."""
        number = self._issued = next(self._next)
        if dead:
            self._died.append(number)
        return number

    def take_dead(self) -> tuple[int, ...]:
        """The numbers whose objects were collected since the last time."""
        dead, self._died = self._died, []
        return tuple(dead)

    def note_told(self) -> None:
        """An event was written: somebody may know the numbers that were given until now."""
        self._told = self._issued

    def put_back(self, dead: tuple[int, ...]) -> None:
        """They were taken, but nobody was told. What nobody knows about (refused, and gone) is let go."""
        self._died[:0] = [number for number in dead if number <= self._told]

    def _forget(self, reference: weakref.ref[Any]) -> None:
        number = self._numbers.pop(reference, None)
        if number is not None:
            self._died.append(number)


class ByIdentity:
    """Numbers for objects by ``is`` alone, whatever their ``__eq__`` says."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._next = itertools.count(1)

    def number(self, thing: Any) -> int:
        key = id(thing)
        known = self._numbers.get(key)
        if known is None or known[0]() is not thing:
            reference = weakref.ref(thing, lambda _, key=key: self._numbers.pop(key, None))  # type: ignore[misc]
            known = self._numbers[key] = (reference, next(self._next))
        return known[1]

    def find(self, thing: Any) -> int | None:
        """Its number; None where there is nothing, or nothing that can be weakly referenced."""
        try:
            return self.number(thing) if thing is not None else None
        except TypeError:
            return None
