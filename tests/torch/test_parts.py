"""A function that is cut more than once: its parts are compiled in one call, and are one trace."""

from __future__ import annotations

from typing import Any

import pytest

import traceonce
from tests.torch.compiled import only, told
from traceonce.facts import Verdict


@pytest.fixture(autouse=True)
def _empty(dynamo: Any) -> None:
    """What a test compiles is its own."""


def test_a_first_part_without_a_graph(torch: Any, dynamo: Any) -> None:
    """Nobody sees it run; the second part is seen to run before the third is compiled, in the same call."""

    def shift(x: Any) -> Any:
        y = x + 1.0
        dynamo.graph_break()
        return y

    @torch.compile(backend="eager", dynamic=False)  # type: ignore[untyped-decorator]  # PyTorch is untyped here
    def step(x: Any) -> Any:
        return shift(shift(x) * 2.0).sum()

    with traceonce.watch() as seen:
        for size in (2, 3, 4, 5):
            step(torch.ones(size))
    (whole,) = [diagnosis for diagnosis in seen.diagnoses if diagnosis.function.name.endswith("step")]
    assert (whole.traces, whole.retraces) == (4, 3)


def test_a_part_that_is_compiled_again_alone_is_a_retrace(torch: Any, dynamo: Any) -> None:
    factor = [1.0]

    @torch.compile(backend="eager")  # type: ignore[untyped-decorator]  # PyTorch is untyped here
    def step(x: Any) -> Any:
        dynamo.graph_break()
        y = x * 2.0
        dynamo.graph_break()
        return y * len(factor)

    with traceonce.watch() as seen:
        for _ in range(4):
            step(torch.ones(2))
            factor.append(1.0)
    assert only(seen).retraces >= 1


def test_a_cache_that_is_filled_in_the_first_call(torch: Any) -> None:
    cache: dict[str, float] = {}

    @torch.compile(backend="eager")  # type: ignore[untyped-decorator]  # PyTorch is untyped here
    def step(x: Any) -> Any:
        if "scale" not in cache:
            cache["scale"] = 2.0
        return x * cache["scale"]

    with traceonce.watch() as seen:
        for _ in range(6):
            step(torch.ones(2))
    assert [cause[0] for cause in told(only(seen))] == ["structure"]
    assert only(seen).verdict is Verdict.BOUNDED


def test_an_argument_whose_keys_change(torch: Any) -> None:
    step = torch.compile(lambda batch: sum(batch.values()), backend="eager")
    with traceonce.watch() as seen:
        for name in "abab":
            step({name: torch.ones(2)})
    assert only(seen).verdict is not Verdict.BOUNDED
    assert "one line passes different types" not in str(seen)


def test_a_key_that_a_module_of_its_own_looks_up(torch: Any) -> None:
    class Pick(torch.nn.Module):  # type: ignore[misc]  # PyTorch is untyped here
        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

        def forward(self, batch: Any) -> Any:
            return batch[self.key] * 2.0

    with traceonce.watch() as seen:
        for key in "abc":
            torch.compile(Pick(key), backend="eager")({key: torch.ones(2)})
    assert ("structure", "batch", "key 'a'", "no key 'a'") in told(only(seen))
