"""Limits of ours on `torch.compile`: raised as they are, wherever PyTorch would swallow them, and it stays healthy."""

from __future__ import annotations

from typing import Any

import pytest

import traceonce
from tests.our_files import is_ours
from traceonce.errors import TracingLimitReached
from traceonce.facts import Limit
from traceonce.limits.program_limits import Limiting, limits


@pytest.fixture(autouse=True)
def _empty(dynamo: Any) -> None:
    """What a test compiles is its own."""


def limited(most: int, of: str = "retraces") -> Limiting:
    return Limiting(Limit(most, of), "raise", limits)  # type: ignore[arg-type]  # a plain str


@pytest.mark.parametrize("suppressed", [False, True])
def test_it_is_raised_as_it_is_and_asks_again(torch: Any, suppressed: bool) -> None:
    step = torch.compile(lambda x, name: x + len(name), backend="eager")
    x = torch.ones(3)
    with torch._dynamo.config.patch(suppress_errors=suppressed), limited(1):
        step(x, "a")
        step(x, "bb")
        for _ in range(3):
            with pytest.raises(TracingLimitReached, match="has been retraced 1 time") as caught:
                step(x, "ccc")
        assert type(caught.value) is TracingLimitReached
        assert caught.value.__cause__ is None
        assert step(x, "a").tolist() == [2.0] * 3
        assert step(x, "bb").tolist() == [3.0] * 3
    assert step(x, "ccc").tolist() == [4.0] * 3


def test_no_frame_of_ours_and_no_context_shows(torch: Any) -> None:
    step = torch.compile(lambda x: x + 1, backend="eager")
    with limited(0):
        step(torch.ones(3))
        with pytest.raises(TracingLimitReached) as caught:
            step(torch.ones(3, dtype=torch.int32))
    files = [str(entry.path) for entry in caught.traceback]
    assert not list(filter(is_ours, files))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_many_refusals_do_not_use_up_pytorchs_own_limit(torch: Any) -> None:
    step = torch.compile(lambda x, name: x + len(name), backend="eager")
    with torch._dynamo.config.patch(accumulated_recompile_limit=6, recompile_limit=5):
        with limited(0):
            step(torch.ones(3), "a")
            for number in range(12):
                with pytest.raises(TracingLimitReached):
                    step(torch.ones(3), "b" * (number + 2))
        with traceonce.watch() as seen:
            step(torch.ones(3), "ccc")
    assert len(seen.events) == 1


def test_inside_a_function_that_is_cut_by_a_graph_break(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(x: Any, name: str) -> Any:
        x = x + 1
        print(end="")
        return x + len(name)

    step = torch.compile(broken, backend="eager")
    with limited(0):
        step(torch.ones(3), "a")
        with pytest.raises(TracingLimitReached) as caught:
            step(torch.ones(3), "bb")
        step(torch.ones(3), "a")
    (cause,) = caught.value.breach.causes
    assert (cause.code.value, cause.path, cause.was, cause.now) == ("value", "name", "'a'", "'bb'")


def test_what_has_nothing_to_compile_costs_nothing_of_a_limit(torch: Any) -> None:
    def pick(x: Any, name: str) -> Any:
        return x if name == "a" else x + 1

    step = torch.compile(pick, backend="eager")
    with limited(1, "traces"):
        step(torch.ones(3), "a")
        torch._dynamo.reset()
        step(torch.ones(3), "b")


def test_a_decorated_function(torch: Any) -> None:
    @traceonce.max_traces(1)
    @torch.compile(backend="eager")  # type: ignore[untyped-decorator]  # PyTorch is untyped here
    def step(x: Any) -> Any:
        return x + 1

    step(torch.ones(3))
    with pytest.raises(TracingLimitReached):
        step(torch.ones(3, dtype=torch.int32))
