"""Accidents that are no alarm, and what recompiling has cost, in real PyTorch."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

import traceonce
from tests.torch.compiled import only, told
from traceonce.facts import Reason, Verdict


def _total(batch: Any) -> Any:
    return sum(batch.values())


def _masked(batch: Any) -> Any:
    return batch["x"] * batch["mask"] if "mask" in batch else batch["x"] * 2


def test_flags_multiply(torch: Any, dynamo: Any) -> None:
    """Three of them make eight graphs, which is as many as PyTorch keeps."""
    blend = torch.compile(lambda x, a, b, c: x * (1 + a) + (2 if b else 3) * (4 if c else 5), backend="eager")
    with traceonce.watch() as seen:
        for a, b, c in itertools.product([True, False], repeat=3):
            blend(torch.ones(3), a, b, c)
    assert (only(seen).traces, only(seen).verdict, only(seen).reason) == (8, Verdict.AVOIDABLE, Reason.FLAGS_MULTIPLY)


def test_a_dtype_that_flips_at_one_line_and_one_that_is_another_use(torch: Any, dynamo: Any) -> None:
    flips = torch.compile(lambda x: x.sum(), backend="eager")
    serves = torch.compile(lambda x: x.max(), backend="eager")
    with traceonce.watch() as seen:
        for n in range(10):
            flips(torch.zeros(3, dtype=torch.int32 if n % 2 else torch.float32))
            serves(torch.zeros(3))
        serves(torch.zeros(3, dtype=torch.int32))
    flipped, served = sorted(seen.diagnoses, key=lambda diagnosis: diagnosis.function.line or 0)
    assert (flipped.verdict, flipped.reason, flipped.traces) == (Verdict.AVOIDABLE, Reason.TYPE_CHANGES, 2)
    assert told(flipped) == [("dtype", "x.dtype", "float32", "int32")]
    assert (served.verdict, served.traces) == (Verdict.BOUNDED, 2)


@pytest.mark.parametrize("way", [_total, _masked])
def test_keys_that_come_and_go(torch: Any, dynamo: Any, way: Any) -> None:
    """All its values are read, or one is asked for: PyTorch guards the length of the one, and the keys of the other."""
    step = torch.compile(way, backend="eager")
    with traceonce.watch() as seen:
        for n in range(10):
            step({"x": torch.ones(2)} | ({"mask": torch.ones(2)} if n % 2 else {}))
    assert (only(seen).traces, only(seen).verdict, only(seen).reason) == (2, Verdict.AVOIDABLE, Reason.KEYS_CHANGE)


def test_sizes_of_data_that_was_read_twice(torch: Any, dynamo: Any) -> None:
    read = torch.compile(lambda x: x.sum(), backend="eager", dynamic=False)
    with traceonce.watch() as seen:
        for _, width in itertools.product(range(2), (5, 9, 4, 7, 6)):
            read(torch.zeros(width))
    assert (only(seen).traces, only(seen).verdict, only(seen).reason) == (5, Verdict.AVOIDABLE, Reason.READ_TWICE)
    assert "Avoidable, though bounded:" in seen.report()


def test_a_size_that_pytorch_leaves_open_is_no_accident(torch: Any, dynamo: Any) -> None:
    read = torch.compile(lambda x: x.sum(), backend="eager")
    with traceonce.watch() as seen:
        for width in (5, 9, 4, 7, 6):
            read(torch.zeros(width))
    assert (only(seen).traces, only(seen).verdict, only(seen).reason) == (2, Verdict.BOUNDED, Reason.LEFT_OPEN)


@pytest.mark.parametrize("runs", [1, 3])
def test_compiling_again_is_lost_and_an_ordinary_run_is_not(torch: Any, dynamo: Any, runs: int) -> None:
    """What a first run took beyond the second is lost; where there was none, it cannot be told, and that is said."""
    taken = 0.02

    def backend(graph: Any, examples: Any) -> Any:
        time.sleep(taken)
        return graph.forward

    step = torch.compile(lambda x: x * 2, backend=backend, dynamic=False)
    with traceonce.watch() as seen:
        for width in (3, 4, 5):
            for _ in range(runs):
                step(torch.ones(width))
    _, *again = seen.events
    diagnosis = only(seen)
    expected = sum((event.exclusive_seconds or 0.0) + event.lost_in_first_run for event in again)
    assert diagnosis.retraces == len(again) == 2
    assert diagnosis.lost_seconds == pytest.approx(expected, abs=1e-5)
    assert diagnosis.lost_seconds >= 2 * taken
    for event in again:
        assert event.first_run_seconds is not None
        if runs == 1:
            assert (event.lost_in_first_run, event.unclear_in_first_run) == (0.0, event.first_run_seconds)
        else:
            assert event.steady_run_seconds is not None
            beyond = max(event.first_run_seconds - event.steady_run_seconds, 0.0)
            assert (event.lost_in_first_run, event.unclear_in_first_run) == (beyond, 0.0)
    assert (diagnosis.unclear_seconds > 0) is (runs == 1)
    assert diagnosis.share == pytest.approx(diagnosis.lost_seconds / seen.recording.seconds, abs=1e-3)


def test_a_search_over_widths_is_no_alarm(torch: Any, dynamo: Any) -> None:
    """Several models of one class, each trained for many calls: PyTorch shares their code, and compiles twice."""
    with traceonce.watch() as seen:
        for width in (4, 8, 16):
            model = torch.compile(torch.nn.Linear(2, width), backend="eager")
            for _ in range(12):
                model(torch.ones(3, 2)).sum().backward()
    assert not [diagnosis for diagnosis in seen.diagnoses if diagnosis.verdict.is_alarm]
