"""The bucket of tokens that each client has, on a clock of our own."""

from __future__ import annotations

import pytest

from traceonce.serve.rates import CLIENTS, Rate


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_burst_and_then_the_rate(clock: Clock) -> None:
    """Three at once, then one every half second."""
    rate = Rate(2.0, burst=3, clock=clock)
    assert [rate.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    clock.now = 0.25
    assert rate.wait("a") == 0.25
    clock.now = 0.5
    assert [rate.wait("a"), rate.wait("a")] == [0.0, 0.5]
    clock.now = 1_000_000.0
    assert [rate.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_clients_do_not_share(clock: Clock) -> None:
    """One that asks too often stops nobody else."""
    rate = Rate(1.0, burst=1, clock=clock)
    assert [rate.wait("a"), rate.wait("a"), rate.wait("b")] == [0.0, 1.0, 0.0]


def test_asking_in_vain_costs_nothing(clock: Clock) -> None:
    """Whoever asks too early does not have to wait longer for it."""
    rate = Rate(1.0, burst=1, clock=clock)
    rate.wait("a")
    for _ in range(100):
        assert rate.wait("a") == 1.0
    clock.now = 1.0
    assert rate.wait("a") == 0.0


def test_what_costs_more(clock: Clock) -> None:
    """It takes more tokens, and at most all that there can be."""
    rate = Rate(1.0, burst=4, clock=clock)
    assert [rate.wait("a", 3), rate.wait("a", 3), rate.wait("a")] == [0.0, 2.0, 0.0]
    assert rate.wait("a", 1_000_000) == 4.0
    clock.now = 4.0
    assert rate.wait("a", 1_000_000) == 0.0


def test_slow_rates_allow_one_at_least(clock: Clock) -> None:
    """A rate of one in ten seconds lets the first through."""
    rate = Rate(0.1, clock=clock)
    assert [rate.wait("a"), rate.wait("a")] == [0.0, 10.0]


def test_no_rate_no_limit(clock: Clock) -> None:
    """And nothing is remembered of anybody."""
    rate = Rate(0.0, clock=clock)
    assert not any(rate.wait(str(number % 3)) for number in range(1000))
    assert len(rate._buckets) == 0


def test_memory_is_bounded(clock: Clock) -> None:
    """Of too many clients, who asked longest ago is forgotten first."""
    rate = Rate(0.001, burst=1, clock=clock)
    for number in range(CLIENTS):
        rate.wait(str(number))
    assert rate.wait("0") > 0  # asks again, and so is remembered longer
    rate.wait("new")
    assert len(rate._buckets) == CLIENTS
    assert rate.wait("0") > 0
    assert rate.wait("1") == 0.0
