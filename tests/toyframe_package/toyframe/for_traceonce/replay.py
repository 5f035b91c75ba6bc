"""Keeps the results of the user's functions, so that two runs can be compared."""

from __future__ import annotations

import inspect
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import toyframe
from toyframe.for_traceonce.watch import identity_of
from traceonce.backends.places import Places
from traceonce.backends.rehearsing.arguments import bind
from traceonce.backends.rehearsing.calls import Calls
from traceonce.backends.rehearsing.here import Here, Problems
from traceonce.backends.rehearsing.locating import Locator
from traceonce.backends.rehearsing.makings import Makings
from traceonce.backends.rehearsing.perturbing import Arrays
from traceonce.backends.rehearsing.probing import Kept, Probing
from traceonce.backends.rehearsing.seeding import PlainSeeds
from traceonce.backends.rehearsing.sites import Sites
from traceonce.backends.rehearsing.values import Values
from traceonce.facts.rehearsal import Probed, Rehearsal, RehearsalSettings


class ToyValues(Values):
    def flatten(self, result: Any) -> list[Any]:
        return [result]

    def array_of(self, leaf: Any) -> Any:
        return leaf if isinstance(leaf, (np.ndarray, np.generic)) else None


class ToyArrays(Arrays):
    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray)

    def like(self, value: Any, number: float) -> Any:
        return np.asarray(number, value.dtype)


class ToyRehearsing:
    def __init__(self, settings: RehearsalSettings, enough: Callable[[], None]) -> None:
        self._places = Places((toyframe.__file__,))
        self._thread = threading.get_ident()
        self._here = Here({})
        self._problems = Problems()
        locator = Locator(self._places)
        self._kept = Kept(settings.probe, (np.ndarray,))
        self._sites = Sites(locator, lambda thing: None)
        self._makings = Makings(locator)
        self._calls = Calls(
            self._here,
            self._problems,
            ToyValues(),
            self._sites,
            self._kept,
            users=lambda owner: identity_of(owner, self._places),
            bind=lambda owner, args, kwargs: bind(owner.signature, args, kwargs),
            is_plain=lambda: True,
            most=settings.calls,
            enough=enough,
        )
        self._seeds = PlainSeeds()
        toyframe.around_calls.append(self._make)
        toyframe.made.append(self._note)
        toyframe.observers.append(self)
        self._began = time.perf_counter()

    def _make(self, owner: toyframe.Traced, run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        return self._calls.make(owner, run, args, kwargs, sys._getframe(2))

    def _note(self, function: toyframe.Traced) -> None:
        self._makings.note(identity_of(function, self._places), sys._getframe(2))

    def begin(self, function: toyframe.Traced, arguments: inspect.BoundArguments) -> None:
        self._here.traces += 1

    def end(self, token: Any, seconds: float, error: BaseException | None) -> None:
        pass

    def is_tracing(self) -> bool:
        return False

    def result(self) -> Rehearsal:
        seconds = time.perf_counter() - self._began - self._here.aside_in(self._thread)
        return Rehearsal(
            returned=self._calls.all(),
            makings=self._makings.all(),
            sites=self._sites.all(),
            seconds=round(seconds, 6),
            problems=self._problems.texts,
        )

    def probe(self) -> Iterator[Probed]:
        savings = (self._seeds.save,)
        return Probing(ToyArrays(), self._kept, self._here, self._problems, ToyValues(), savings).run()

    def stop(self) -> None:
        toyframe.around_calls.remove(self._make)
        toyframe.made.remove(self._note)
        toyframe.observers.remove(self)
        self._seeds.stop()
