"""Which state a body changes, read from its source: what a second run would change again, and nothing else."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from traceonce.frameworks.base.side_effects import changed_state, describe_state, describe_updated, find_updated

COUNT = {"all": 0}


class Body:
    losses: list[Any]
    variables: list[Any]
    order: list[Any]
    cache: dict[Any, Any]
    extracted: list[Any]
    built = False
    n = 0
    jitter = 1.0

    def changes(self, x: Any) -> None:
        self.n += 1
        self.jitter = self.jitter * 2
        COUNT["all"] += 1
        for _ in range(2):
            self.extracted.append(x)

    def empties_and_fills(self, x: Any) -> None:
        self.losses.clear()
        self.losses.append(x)

    def assigns_and_fills(self, x: Any) -> None:
        self.losses = []
        self.losses.append(x)

    def returns_early(self) -> None:
        if self.built:
            return
        self.variables.append(1)
        self.built = True

    def forgets_what_is_old(self, key: Any) -> None:
        if len(self.cache) > 3:
            self.cache.pop(next(iter(self.cache)))
        self.cache[key] = 1

    def remembers_where_missing(self, key: Any) -> Any:
        try:
            return self.cache[key]
        except KeyError:
            self.order.append(key)

    def defines_a_function(self) -> Any:
        def inner() -> None:
            self.n += 1

        return inner

    def counts_traces(self) -> None:
        COUNT["trace count"] += 1


def test_what_a_second_run_would_change_again() -> None:
    found = {updated.chain.named() for updated in find_updated(Body.changes.__code__)}
    assert found == {"self.n", "self.jitter", "COUNT['all']", "self.extracted"}


@pytest.mark.parametrize("name", sorted(name for name in vars(Body) if "_" in name.strip("_")))
def test_what_it_would_not(name: str) -> None:
    assert find_updated(getattr(Body, name).__code__) == ()


def test_no_state_is_too_large_or_too_odd() -> None:
    class Odd(list):  # type: ignore[type-arg]  # whatever it holds
        def __len__(self) -> int:
            raise RuntimeError("mine")

    assert describe_state("a" * 10**6) == "1000000 characters"
    assert describe_state(10**5000) is None
    assert describe_state(Odd()) is None
    assert describe_state([1]) == "1 item"


class Draws:
    rng = np.random.default_rng(0)
    items = iter([1, 2])

    def draws(self, x: Any) -> Any:
        if x:
            np.random.shuffle(x)
        return [random.random() for _ in x], self.rng.normal(next(self.items))

    def draws_its_own(self, xs: Any) -> Any:
        items, rng = iter(xs), np.random.default_rng(0)
        np.random.seed(1)
        return next(items), rng.normal(), np.random.normal()

    def draws_a_seed(self, x: Any) -> Any:
        return x.noise(seed=random.randint(0, 9))


def drawn_by(function: Any) -> set[str]:
    return {updated.chain.named() for updated in find_updated(function.__code__) if updated.drawn}


def test_what_a_body_may_draw_from() -> None:
    """Whatever has a method called: what it is, is told by its state."""
    assert {"np.random", "random", "self.rng", "self.items"} <= drawn_by(Draws.draws)
    assert not {"items", "rng", "np.random"} & drawn_by(Draws.draws_its_own)
    assert "random" not in drawn_by(Draws.draws_a_seed)


@pytest.mark.parametrize(
    ("source", "draw"),
    [
        (random, random.random),
        (random.Random(3), None),
        (np.random, np.random.normal),
        (np.random.default_rng(0), None),
        (np.random.RandomState(0), None),
    ],
)
def test_a_generator_tells_how_far_it_has_come(source: Any, draw: Any) -> None:
    before = describe_updated(source, drawn=True)
    assert before == describe_updated(source, drawn=True)
    getattr(source, "normal", source.random)() if draw is None else draw()
    after = describe_updated(source, drawn=True)
    assert before is not None
    assert before.kind == "random numbers"
    (cause,) = changed_state({"rng": before}, {"rng": after or before})
    assert (cause.path, cause.was, cause.now, cause.type_name) == ("rng", "", "", "random numbers")


def test_an_iterator_tells_what_is_left_and_is_not_moved_on() -> None:
    items, numbers = iter([1, 2, 3]), itertools.count(5)
    assert describe_updated(items, drawn=True) == ("3 items left", "iterator")
    assert describe_updated(numbers, drawn=True) == ("count(5)", "iterator")
    assert (next(items), next(numbers)) == (1, 5)
    assert describe_updated(items, drawn=True) == ("2 items left", "iterator")
    for thing in ([1], np.zeros(3), np, (n for n in items), object()):
        assert describe_updated(thing, drawn=True) is None
