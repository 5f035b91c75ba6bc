"""Repairs for `torch.compile` where the program makes and gives things, and what they decline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.torch.replayed import Ran, replay, write
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.proposals import consider


def candidates(ran: Ran, function: str, name: str) -> list[Candidate]:
    found = consider(ran.cases[function]).candidates
    return [each for each in found if each.recipe == name and each.change is not None]


def test_a_model_whose_name_becomes_the_compiled_one(torch: Any, tmp_path: Path) -> None:
    program = """\
import torch


class Holder:
    pass


holder = Holder()
model = torch.nn.Linear(3, 2)
holder.model = torch.nn.ReLU()
model = torch.compile(model, backend="eager", dynamic=False)
holder.model = torch.compile(holder.model, backend="eager", dynamic=False)
for length in range(2, 6):
    holder.model(model(torch.ones(length, 3)).detach())
"""
    ran = replay(torch, tmp_path, program)
    opening = candidates(ran, "Linear.forward", "dynamic")[0]
    assert 'model = torch.compile(model, backend="eager", dynamic=True)\nholder' in write(opening, program)
    opening = candidates(ran, "ReLU.forward", "dynamic")[0]
    assert 'torch.compile(holder.model, backend="eager", dynamic=True)' in write(opening, program)


OPTIMIZERS = """\
import torch
from torch.optim import SGD

one, other = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(2))
optimizer = SGD([{"params": [one], "lr": 0.5}, {"params": [other]}], 0.1)
unlike = torch.optim.Adam([one], lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
step = torch.compile(optimizer.step, backend="eager", dynamic=False)
for _ in range(3):
    one.grad, other.grad = torch.ones(3), torch.ones(2)
    step()
    schedule.step()
"""


def test_every_rate_of_the_optimizer_that_is_compiled_becomes_a_tensor(torch: Any, tmp_path: Path) -> None:
    ran = replay(torch, tmp_path, OPTIMIZERS)
    case = ran.cases["SGD.step"]
    assert case.diagnosis.function.library
    assert not case.makings  # what is compiled is a wrapper that the scheduler has put around it
    plain, exact = candidates(ran, "SGD.step", "tensor_learning_rate")
    written = write(plain, OPTIMIZERS)
    assert 'SGD([{"params": [one], "lr": torch.tensor(0.5)}, {"params": [other]}], torch.tensor(0.1))' in written
    assert "Adam([one], lr=0.1)" in written
    assert "torch.tensor(0.1, dtype=torch.float64)" in write(exact, OPTIMIZERS)
    assert candidates(ran, "SGD.step", "mark_dynamic") == []  # the others are for functions of the program's own


DERIVED = """\
import torch


@torch.compile(backend="eager")
def counted(parts):
    return torch.stack(parts).sum() * len(parts)


@torch.compile(backend="eager")
def at_times(parts, add):
    if add:
        return torch.cat(parts).sum()
    return torch.zeros(1).sum()


@torch.compile(backend="eager")
def without_gradients(parts):
    with torch.no_grad():
        return torch.stack(parts).sum()


@torch.compile(backend="eager")
def unseen(parts):
    return torch.stack(parts).sum()


def scaled(parts, axis):
    return torch.stack(parts, axis).sum()


axis = 0
compiled = torch.compile(scaled, backend="eager")
for length in range(1, 4):
    parts = [torch.ones(3)] * length
    counted(parts)
    at_times(parts, True)
    without_gradients(parts)
    unseen(parts)
    compiled(parts, axis)
if axis:
    unseen([])
"""
KEPT = {
    "counted": "uses parts in ways that cannot be moved to its callers",
    "at_times": "cannot be moved to its callers: torch.cat(parts)",
    "without_gradients": "cannot be moved to its callers: torch.stack(parts)",
    "unseen": "program.py:41 may call it too",
    "scaled": "cannot be moved to its callers: parts",
}


def test_what_a_function_does_not_always_make_of_an_argument_alone_stays_in_it(torch: Any, tmp_path: Path) -> None:
    ran = replay(torch, tmp_path, DERIVED)
    for function, reason in KEPT.items():
        (candidate,) = candidates(ran, function, "derived_argument")
        with pytest.raises(Declined, match=re.escape(reason)):
            write(candidate, DERIVED)


RENAMED = """\
import torch


@torch.compile(backend="eager")
def report(x, *, title: str = "a"):
    return x * 2 if title.upper() == "B" else x + 1


for title in "abc":
    report(torch.ones(3), title=title)
"""


def test_what_is_no_tensor_gets_a_name_of_its_own(torch: Any, tmp_path: Path) -> None:
    ran = replay(torch, tmp_path, RENAMED)
    (candidate,) = candidates(ran, "report", "derived_argument")
    written = write(candidate, RENAMED)
    assert 'report(torch.ones(3), title_upper_b=title.upper() == "B")' in written
    assert "return x * 2 if title_upper_b else x + 1" in written


def test_a_number_in_two_classes_is_not_guessed(torch: Any, tmp_path: Path) -> None:
    program = """\
import torch


class One:
    def __init__(self):
        self.rate = 1


class Other:
    def __init__(self):
        self.rate = 2


one = One()


@torch.compile(backend="eager", dynamic=False)
def scaled(x):
    return x * one.rate


for one.rate in range(3):
    scaled(torch.ones(3))
"""
    ran = replay(torch, tmp_path, program)
    (candidate,) = candidates(ran, "scaled", "tensor_attribute")
    with pytest.raises(Declined, match=r"2 classes of the program assign self\.rate"):
        write(candidate, program)


def test_a_loop_over_a_tensor_runs_as_plain_python(torch: Any, tmp_path: Path) -> None:
    """Why a repair under which tracing fails is not proved: PyTorch compiles less, and says nothing."""
    program = """\
import torch


@torch.compile(backend="eager")
def repeated(x, turns):
    for _ in range(turns):
        x = x * 2
    return x


for turns in range(1, 4):
    repeated(torch.ones(3), torch.tensor(turns))
"""
    case = replay(torch, tmp_path, program).cases["repeated"]
    assert case.diagnosis.traces == 1
    assert any("runs as plain Python" in each for each in case.diagnosis.graph_breaks)
