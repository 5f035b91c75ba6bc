"""Which state a body changes, read from its source: what a second run would change again, and nothing else."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from traceonce.frameworks.base.assigned_state import Settings
from traceonce.frameworks.base.chains import Chain
from traceonce.frameworks.base.side_effects import (
    State,
    Updated,
    changed_state,
    describe_state,
    find_updated,
)
from traceonce.frameworks.base.side_effects import describe_updated as describe_place

COUNT = {"all": 0}
FLAG = False


def describe_updated(value: Any, *, drawn: bool) -> State | None:
    return describe_place(value, Updated(Chain("global", "value", ()), drawn))


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
    found = {updated.chain.named() for updated in find_updated(Body.changes.__code__) if not updated.drawn}
    assert found == {"self.n", "self.jitter", "COUNT['all']", "self.extracted"}


@pytest.mark.parametrize("name", sorted(name for name in vars(Body) if "_" in name.strip("_")))
def test_what_it_would_not(name: str) -> None:
    assert [updated for updated in find_updated(getattr(Body, name).__code__) if not updated.assigned] == []


class Sets:
    seen: set[Any]
    options: dict[str, Any]
    counts: Any
    name = ""

    def changes(self, x: Any) -> None:
        self.counts += 1
        self.counts[x] += 1
        np.multiply(self.counts, 2, out=self.counts)
        self.name = getattr(self, "name", "") + "x"
        self.seen.add(len(self.seen))

    def sets(self, x: Any) -> None:
        global FLAG
        FLAG = True
        self.seen.add(x)
        self.options.update(mode="train")
        self.name = "x"
        self.counts[x] = 1
        np.multiply(x, 2, out=self.counts)

    def makes_once(self, x: Any) -> None:
        if self.name is None:
            self.name = "x"
        if not self.built:
            self.built = True
        mine = set()
        mine.add(x)


def test_what_depends_on_what_was_there_and_what_does_not() -> None:
    def found(function: Any, *, assigned: bool) -> set[str]:
        updated = [updated for updated in find_updated(function.__code__) if not updated.drawn]
        return {each.chain.named() for each in updated if each.assigned is assigned}

    assert found(Sets.changes, assigned=False) == {"self.counts", "self.name", "self.seen"}
    assert found(Sets.changes, assigned=True) == set()
    assert found(Sets.sets, assigned=False) == set()
    assert found(Sets.sets, assigned=True) == {"FLAG", "self.seen", "self.options", "self.name", "self.counts"}
    assert found(Sets.makes_once, assigned=True) == found(Sets.makes_once, assigned=False) == set()


def test_an_array_tells_of_each_change() -> None:
    """Whole where it is small; a large one by what it holds."""
    counts, many = np.zeros(3, np.int64), np.zeros(1000)
    assert describe_state(counts) == "[0, 0, 0]"
    before = describe_state(many)
    many[999] += 1
    assert before != describe_state(many)
    assert describe_state(counts[1]) == "0"
    assert describe_state(np.array([object()])) is None


def settings_of(value: Any) -> dict[str, State]:
    state = describe_place(value, Updated(Chain("global", "value", ()), assigned=True))
    return {"value": state} if state is not None else {}


@pytest.mark.parametrize(
    ("before", "after", "kept", "lost"),
    [
        (False, True, True, False),
        (set(), {"a"}, {"a", "b"}, {"b"}),
        ({}, {"mode": "train"}, {"mode": "train", "k": 1}, {"mode": "test"}),
        ([0, 0], [0, 1], [5, 1], [0, 0]),
        (np.zeros(3), np.array([0.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]), np.zeros(3)),
    ],
    ids=["flag", "set", "dict", "list", "array"],
)
def test_what_a_trace_has_set_is_wrong_once_it_was_put_back(before: Any, after: Any, kept: Any, lost: Any) -> None:
    """And only then: what the program adds beside it is its own affair."""
    settings = Settings()
    mine = settings.note(settings_of(before), settings_of(after))
    assert list(settings.lost(mine, settings_of(after))) == []
    assert list(settings.lost(mine, settings_of(kept))) == []
    (cause,) = settings.lost(mine, settings_of(lost))
    assert (cause.code.value, cause.path, cause.type_name) == ("side_effect", "value", "assignment")


def test_what_another_trace_has_set_in_its_place_is_not_put_back() -> None:
    settings = Settings()
    first = settings.note(settings_of(""), settings_of("float32"))
    settings.note(settings_of("float32"), settings_of("float64"))
    assert list(settings.lost(first, settings_of("float64"))) == []
    assert [cause.now for cause in settings.lost(first, settings_of(""))] == ["''"]


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
    assert describe_updated(items, drawn=True) == State("3 items left", "iterator")
    assert describe_updated(numbers, drawn=True) == State("count(5)", "iterator")
    assert (next(items), next(numbers)) == (1, 5)
    assert describe_updated(items, drawn=True) == State("2 items left", "iterator")
    for thing in ([1], np.zeros(3), np, (n for n in items), object()):
        assert describe_updated(thing, drawn=True) is None
