"""`limit` as a plain call and as a block: nested, entered again, in threads, removed; and what it is not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import traceonce
from traceonce.errors import TracingLimitReached
from traceonce.facts import Limit
from traceonce.frameworks import fake
from traceonce.limits.program_limits import Limiting, Limits
from traceonce.limits.program_limits import limits as limits_of_the_process
from traceonce.observe.hub import Hub


@pytest.fixture
def limits() -> Iterator[Limits]:
    limits = Limits(Hub([fake.KNOWN]))
    yield limits
    limits.clear()


@pytest.fixture
def tried() -> Callable[[int], str]:
    """Calls a function that is traced each time: what became of each call, a dot or R for refused."""

    @fake.function
    def step(k: Any) -> None: ...

    numbers = iter(range(1_000))

    def call(times: int) -> str:
        outcome = ""
        for _ in range(times):
            try:
                step(next(numbers))
            except TracingLimitReached:
                outcome += "R"
            else:
                outcome += "."
        return outcome

    return call


def allow(retraces: int | None, limits: Limits) -> Limiting:
    return Limiting(Limit(retraces) if retraces is not None else None, "raise", limits)


def test_a_plain_call_holds_until_it_is_removed(limits: Limits, tried: Callable[[int], str]) -> None:
    limit = allow(1, limits)
    assert tried(4) == "..RR"
    limit.remove()
    limit.remove()
    assert tried(2) == ".."


def test_a_block_holds_until_it_ends_however_it_ends(limits: Limits, tried: Callable[[int], str]) -> None:
    def work() -> None:
        with allow(1, limits):
            assert tried(4) == "..RR"
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        work()
    assert tried(2) == ".."


def test_a_plain_call_may_become_a_block(limits: Limits, tried: Callable[[int], str]) -> None:
    limit = allow(1, limits)
    assert tried(3) == "..R"
    with limit as same:
        assert same is limit
        assert tried(1) == "R"
    assert tried(2) == ".."


def test_a_limit_that_is_entered_again_inside_its_block_ends_with_the_outer_one(
    limits: Limits, tried: Callable[[int], str]
) -> None:
    with allow(1, limits) as limit:
        with limit:
            assert tried(3) == "..R"
        assert tried(2) == "RR"
    assert tried(2) == ".."
    with pytest.raises(RuntimeError, match="no longer in force"), limit:
        pass


def test_a_limit_removed_in_its_block_is_gone(limits: Limits, tried: Callable[[int], str]) -> None:
    with allow(0, limits) as limit:
        assert tried(2) == ".R"
        limit.remove()
        assert tried(2) == ".."
    assert tried(1) == "."


def test_the_one_set_last_holds_also_where_it_was_set_in_a_block(limits: Limits, tried: Callable[[int], str]) -> None:
    """A plain call is for the rest of the program, wherever it stands."""
    with allow(5, limits):
        allow(0, limits)
        assert tried(2) == ".R"
    assert tried(2) == "RR"
    allow(None, limits)
    assert tried(2) == ".."


def test_a_block_in_one_thread_is_for_all_of_them(limits: Limits, tried: Callable[[int], str]) -> None:
    outcomes: list[str] = []

    def in_a_thread() -> None:
        thread = threading.Thread(target=lambda: outcomes.append(tried(2)))
        thread.start()
        thread.join(60)

    with allow(1, limits):
        in_a_thread()
        in_a_thread()
    in_a_thread()
    assert outcomes == ["..", "RR", ".."]


def test_one_limit_entered_in_several_threads_ends_with_the_last_block(
    limits: Limits, tried: Callable[[int], str]
) -> None:
    limit = allow(0, limits)
    inside, leave = threading.Barrier(3), threading.Event()

    def work() -> None:
        with limit:
            inside.wait(60)
            assert leave.wait(60)

    threads = [threading.Thread(target=work) for _ in range(2)]
    with limit:
        for thread in threads:
            thread.start()
        inside.wait(60)
    assert tried(2) == ".R"
    leave.set()
    for thread in threads:
        thread.join(60)
    assert tried(2) == ".."


@pytest.mark.parametrize("decorate", [lambda: traceonce.limit(1), lambda: traceonce.limit])
def test_it_is_no_decorator_and_leaves_no_limit_behind(decorate: Callable[[], Any]) -> None:
    """Of what function would the limit be? There is `max_traces` for one, and a block for all."""
    before = list(limits_of_the_process._general)
    with pytest.raises(TypeError, match=r"limit is not a decorator; use @traceonce\.max_traces\(1\)"):

        @decorate()
        def train() -> None: ...

    assert limits_of_the_process._general == before


def test_it_says_in_a_line_what_it_allows(limits: Limits) -> None:
    limit = Limiting(Limit(1000, warmup=3), "raise", limits)
    assert repr(limit) == "<traceonce.limit: 1,000 retraces after a warm-up of 3 calls, in force>"
    limit.remove()
    assert repr(limit).endswith(", removed>")
    assert repr(allow(None, limits)) == "<traceonce.limit: no limit, in force>"
