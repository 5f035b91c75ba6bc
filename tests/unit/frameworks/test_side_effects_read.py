"""Which state a body changes, read from its source: what a second run would change again, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from traceonce.frameworks.base.side_effects import describe_state, updated_chains

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
    found = {chain.named() for chain in updated_chains(Body.changes.__code__)}
    assert found == {"self.n", "self.jitter", "COUNT['all']", "self.extracted"}


@pytest.mark.parametrize("name", sorted(name for name in vars(Body) if "_" in name.strip("_")))
def test_what_it_would_not(name: str) -> None:
    assert updated_chains(getattr(Body, name).__code__) == ()


def test_no_state_is_too_large_or_too_odd() -> None:
    class Odd(list):  # type: ignore[type-arg]  # whatever it holds
        def __len__(self) -> int:
            raise RuntimeError("mine")

    assert describe_state("a" * 10**6) == "1000000 characters"
    assert describe_state(10**5000) is None
    assert describe_state(Odd()) is None
    assert describe_state([1]) == "1 item"
