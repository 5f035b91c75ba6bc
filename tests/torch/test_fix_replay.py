"""A PyTorch program replayed: what is kept of its calls, and that nothing else is changed by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.torch.replayed import replay
from traceonce.facts.replay import Returned, Value
from traceonce.prove.value_differences import first_difference

PROGRAM = """\
import random

import numpy as np
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, x, scale=1.0):
        return self.layer(x) * scale


@torch.compile(backend="eager")
def noisy(x, level=1.0):
    return {"sum": x.sum() + torch.rand(()) * level, "parts": [x, 3]}


@torch.compile(backend="eager")
def outer(x):
    return noisy(x)["sum"] + model(x).sum()


model = torch.compile(Net(), backend="eager")
other = Net()
other.compile(backend="eager")
x = torch.full((2, 3), random.random() + np.random.default_rng().random())
noisy(x, level=2.0)
model(x).sum().backward()
other(x, scale=2.0)
outer(x)
outer(x)
half = torch.compile(lambda x: x.to(torch.bfloat16), backend="eager")
half(x)
"""


def test_outermost_calls_are_kept_with_what_they_returned(torch: Any, tmp_path: Path) -> None:
    ran = replay(torch, tmp_path, PROGRAM)
    names = [returned.function.name for returned in ran.replay.returned]
    assert names == ["noisy", "Net.forward", "Net.forward", "outer", "outer", "<lambda>"]
    noisy, *_, half = ran.replay.returned
    assert noisy.structure == "dict{'parts': list[*, *, ], 'sum': *, }"
    assert [value.kind for value in noisy.values] == ["array", "python", "array"]
    assert (half.values[0].dtype, half.values[0].shape, len(half.values[0].data or b"")) == ("bfloat16", (2, 3), 12)
    # What is compiled inside of another is a part of that, as without us.
    assert [returned.traces for returned in ran.replay.returned][3:5] == [1, 0]
    assert ran.cases["outer"].diagnosis.traces == 1


def test_two_runs_draw_the_same_numbers_and_an_eager_one_does_too(torch: Any, tmp_path: Path) -> None:
    one, two, eager = (replay(torch, tmp_path, PROGRAM, eager=eager) for eager in (False, False, True))
    for other in (two, eager):
        for was, now in zip(one.replay.returned, other.replay.returned, strict=True):
            assert first_difference(was, now) is None
    assert eager.cases == {}  # nothing was compiled
    assert torch.compiler.is_compiling() is False


def test_parameters_and_gradients_are_the_variables_at_the_end(torch: Any, tmp_path: Path) -> None:
    variables = replay(torch, tmp_path, PROGRAM).replay.variables
    # Two modules, of which the first has gradients.
    assert [value.shape for value in variables] == [(1, 3), (1, 3), (1,), (1,), (1, 3), (1,)]
    assert numbers(variables[3]).tolist() == [2.0]  # two rows, each of which adds the bias


def numbers(value: Value) -> Any:
    assert value.data is not None
    return np.frombuffer(value.data, value.dtype)


def test_places_are_exact(torch: Any, tmp_path: Path) -> None:
    ran = replay(torch, tmp_path, PROGRAM)
    lines = PROGRAM.splitlines()
    made = [
        lines[making.span.line - 1][making.span.column : making.span.end_column]
        for making in ran.replay.makings
        if making.span is not None
    ]
    assert made[:2] == ['torch.compile(backend="eager")'] * 2
    assert made[2:4] == ['torch.compile(Net(), backend="eager")', 'other.compile(backend="eager")']
    called = {
        lines[site.span.line - 1][site.span.column : site.span.end_column]: site.arguments
        for site in ran.replay.sites
        if site.span is not None
    }
    assert called["noisy(x, level=2.0)"] == {"x": ("tensor float32",), "level": ("float",)}
    assert called["other(x, scale=2.0)"] == {"x": ("tensor float32",), "scale": ("float",)}


COUNTING = """\
import torch


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))
        self.calls = 0

    def forward(self, x, factor):
        self.calls += 1
        self.total += x.sum()
        return self.total * factor + self.calls


model = torch.compile(Counting(), backend="eager")
for number in range(3):
    model(torch.ones(2), 0.5)
"""


def test_calls_beyond_the_run_all_start_where_it_ended(torch: Any, tmp_path: Path) -> None:
    probes = replay(torch, tmp_path, COUNTING, probe=("Counting.forward",)).probes
    assert all(probed.returned.error is None for probed in probes)
    found = {probed.change: result_of(probed.returned) for probed in probes}
    assert found["factor = 0"] == 4.0  # the fourth call, whichever comes first
    assert found["factor = 1"] == 8.0 + 4.0
    assert found["x.shape[0]: 2 → 3"] == 9.0 * 0.5 + 4.0


def result_of(returned: Returned) -> float:
    return float(numbers(returned.values[0])[0])


def test_hooks_are_taken_out_again(torch: Any, tmp_path: Path) -> None:
    compiling, calling = torch.compile, torch._dynamo.OptimizedModule.__call__
    replay(torch, tmp_path, COUNTING)
    assert (torch.compile, torch._dynamo.OptimizedModule.__call__) == (compiling, calling)
