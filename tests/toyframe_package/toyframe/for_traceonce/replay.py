"""Keeps the results of the user's functions, so that two runs can be compared."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import toyframe
from toyframe.for_traceonce.watch import identity_of
from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.base.replay.argument_leaves import bind
from traceonce.frameworks.base.replay.beyond_the_run import KeptCalls
from traceonce.frameworks.base.replay.perturbations import Arrays
from traceonce.frameworks.base.replay.replay import Replay
from traceonce.frameworks.base.replay.seeds import PlainSeeds
from traceonce.frameworks.base.replay.source_places import Locator
from traceonce.frameworks.base.replay.values import Values


class ToyValues(Values):
    def flatten(self, result: Any) -> list[Any]:
        return [result]

    def array_of(self, leaf: Any) -> Any:
        return leaf if isinstance(leaf, (np.ndarray, np.generic)) else None


class ToyArrays(Arrays):
    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray)

    def kind_of(self, value: Any) -> str | None:
        return None

    def like(self, value: Any, number: float) -> Any:
        return np.asarray(number, value.dtype)


class ToyReplay(Replay):
    def __init__(self, settings: ReplaySettings, enough: Callable[[], None]) -> None:
        places = Places((toyframe.__file__,))
        super().__init__(
            settings,
            enough,
            locator=Locator(places),
            kept=KeptCalls(settings.probe, (np.ndarray,)),
            values=ToyValues,
            arrays=ToyArrays(),
            users=lambda owner: identity_of(owner, places),
            bind=lambda owner, args, kwargs: bind(owner.signature, args, kwargs),
            is_plain=lambda: True,
        )
        self._places = places
        self._seeds = PlainSeeds()
        self.start()

    def _place(self) -> None:
        self._hooks.place(toyframe.Traced, "trace", self._counting)
        self._hooks.place(toyframe.Traced, "__call__", self._keeping)
        self._hooks.place(toyframe.Traced, "__init__", self._noting)

    def _counting(self, original: Any) -> Any:
        def trace(owner: toyframe.Traced, bound: Any) -> None:
            self._here.traces += 1
            original(owner, bound)

        return trace

    def _keeping(self, original: Any) -> Any:
        def call(owner: toyframe.Traced, *args: Any, **kwargs: Any) -> Any:
            return self._calls.make(owner, owner.call, args, kwargs, sys._getframe(1))

        return call

    def _noting(self, original: Any) -> Any:
        def make(owner: toyframe.Traced, python: Callable[..., Any], sizes: str) -> None:
            original(owner, python, sizes)
            self._makings.note(identity_of(owner, self._places), sys._getframe(1))

        return make

    def _run_eagerly(self, eagerly: bool) -> None:
        pass

    def _savings(self) -> Sequence[Callable[[], Callable[[], None]]]:
        return (self._seeds.save,)

    def stop(self) -> None:
        super().stop()
        self._seeds.stop()
