"""The recipes for `torch.compile`: what each writes, and that the program then compiles less and does the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.torch.replayed import replay, write
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.proposals import consider
from traceonce.fix.recipes import leave_it, library_report
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.torch.recipes import list_length
from traceonce.frameworks.torch.recipes.kit import KIT
from traceonce.prove.value_differences import first_difference

SHARED = (leave_it.RECIPE, library_report.RECIPE)
OWN = [recipe for recipe in (*KIT.recipes, *KIT.advice) if recipe not in SHARED]
EXAMPLES = [(recipe, example) for recipe in OWN for example in recipe.examples]
WRITTEN = [(recipe, example) for recipe, example in EXAMPLES if example.repaired is not None]
ADVISED = [(recipe, example) for recipe, example in EXAMPLES if example.repaired is None]


def test_every_recipe_has_an_example() -> None:
    assert {recipe.name for recipe, _ in EXAMPLES} == {recipe.name for recipe in OWN}


@pytest.mark.parametrize(("recipe", "example"), WRITTEN, ids=[recipe.name for recipe, _ in WRITTEN])
def test_what_it_writes_compiles_less_and_does_the_same(
    torch: Any, tmp_path: Path, recipe: Recipe, example: Example
) -> None:
    before = replay(torch, tmp_path, example.program, fails=recipe.repairs_failures)
    case = before.cases[example.function]
    assert case.diagnosis.traces == example.traces_before
    if recipe.repairs_failures:
        before = replay(torch, tmp_path, example.program, eager=True)
    candidate = next(recipe.propose(case))
    assert write(candidate, example.program) == example.repaired
    assert example.repaired is not None
    after = replay(torch, tmp_path, example.repaired)
    assert after.cases[example.function].diagnosis.traces == example.traces_after
    assert candidate.predicted_traces is None, "no replay counts it"
    assert candidate.expected_traces in (None, example.traces_after)
    assert after.printed == before.printed
    pairs = list(zip(before.replay.returned, after.replay.returned, strict=True))
    assert pairs
    assert [first_difference(was, now) for was, now in pairs] == [None] * len(pairs)


@pytest.mark.parametrize(("recipe", "example"), ADVISED, ids=[recipe.name for recipe, _ in ADVISED])
def test_advice_is_given(torch: Any, tmp_path: Path, recipe: Recipe, example: Example) -> None:
    case = replay(torch, tmp_path, example.program).cases[example.function]
    assert case.diagnosis.traces == example.traces_before
    (candidate,) = recipe.propose(case)
    assert (candidate.snippet, candidate.change) == (example.advice, None)
    assert candidate.notes


# ---- where a change must not be written


def candidates(case: Case, name: str) -> list[Candidate]:
    return [each for each in consider(case).candidates if each.recipe == name and each.change is not None]


SIZES = """\
import torch


@torch.compile(backend="eager", dynamic=False)
def doubled(x, factor=2.0):
    return x * factor


sizes = iter(range(2, 6))
{calls}
"""
ORDER = "values = [3.0] * 4\nfor _ in range(4):\n    print(values.pop(), doubled(torch.ones(next(sizes))).sum().item())"
REFUSED = {
    "a comprehension": ("print([doubled(torch.ones(n)).sum().item() for n in sizes])", "part of a larger expression"),
    "the order of what is done": (ORDER, "values.pop() is evaluated before"),
    "a call by a library": ("print(list(map(doubled, map(torch.ones, sizes))))", "doubled is called through list"),
}


@pytest.mark.parametrize(("calls", "reason"), REFUSED.values(), ids=list(REFUSED))
def test_nothing_is_put_before_a_call_that_has_no_place_before_it(
    torch: Any, tmp_path: Path, calls: str, reason: str
) -> None:
    program = SIZES.format(calls=calls)
    case = replay(torch, tmp_path, program).cases["doubled"]
    (candidate,) = candidates(case, "mark_dynamic")
    with pytest.raises(Declined, match=re.escape(reason)):
        write(candidate, program)


def test_a_setting_of_the_program_is_not_overruled(torch: Any, tmp_path: Path) -> None:
    program = f'import torch\n\ntorch.compiler.config.dynamic_sources = ""\n{SIZES.format(calls="")}'
    program += "for size in sizes:\n    doubled(torch.ones(size))\n"
    case = replay(torch, tmp_path, program).cases["doubled"]
    (candidate,) = candidates(case, "dynamic_sources")
    with pytest.raises(Declined, match=r"program\.py has its own setting for dynamic_sources"):
        write(candidate, program)


TWO_COUNTERS = """\
import torch


class First(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x * self.step


class Second(First):
    def __init__(self):
        super().__init__()
        self.step = 5

    def forward(self, x):
        self.step += 1
        return x + self.step


model = torch.compile(First(), backend="eager")
for _ in range(4):
    model(torch.ones(3))
"""


def test_which_of_two_counters_is_meant_is_not_guessed(torch: Any, tmp_path: Path) -> None:
    case = replay(torch, tmp_path, TWO_COUNTERS).cases["First.forward"]
    (candidate,) = candidates(case, "step_counter_buffer")
    with pytest.raises(Declined, match=r"2 classes of the program count in self\.step"):
        write(candidate, TWO_COUNTERS)


def test_of_two_classes_that_count_the_one_of_the_function_is_meant(torch: Any, tmp_path: Path) -> None:
    program = TWO_COUNTERS.replace("class Second(First)", "class Second(torch.nn.Module)")
    case = replay(torch, tmp_path, program).cases["First.forward"]
    (candidate,) = candidates(case, "step_counter_buffer")
    written = write(candidate, program)
    assert 'self.register_buffer("step", torch.tensor(0), persistent=False)' in written
    assert "self.step = 5" in written


UNROLLED = """\
import torch


@torch.compile(backend="eager", dynamic=True)
def repeated(x, times):
    for _ in range(times):
        x = x * 2
    return x


for times in range(2, 8):
    repeated(torch.ones(3), times)
"""


def test_what_is_dynamic_already_is_not_made_so_again(torch: Any, tmp_path: Path) -> None:
    case = replay(torch, tmp_path, UNROLLED).cases["repeated"]
    assert case.diagnosis.traces == 6  # a loop is unrolled, whatever is left open
    opening, dropping = candidates(case, "dynamic")
    with pytest.raises(Declined, match="dynamic=True is already set"):
        write(opening, UNROLLED)
    edits = Edits({"program.py": UNROLLED.encode()})
    assert dropping.change is not None
    dropping.change(edits)
    assert edits.results() == {}  # nothing to take away, nothing said


METHOD = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


net = Net()
net.compile(backend="eager", dynamic=False)
for length in range(2, 6):
    print(net(torch.ones(length, 3), scale=2.0).shape)
"""


def test_a_module_that_compiles_itself_is_called_by_its_name(torch: Any, tmp_path: Path) -> None:
    case = replay(torch, tmp_path, METHOD).cases["Net.forward"]
    (marking,) = candidates(case, "mark_dynamic")
    assert "    torch._dynamo.mark_dynamic(given_x, 0)\n    print(net(given_x, scale=2.0).shape)\n" in write(
        marking, METHOD
    )
    opening, dropping = candidates(case, "dynamic")
    assert 'net.compile(backend="eager", dynamic=True)' in write(opening, METHOD)
    assert 'net.compile(backend="eager")\n' in write(dropping, METHOD)


OF_A_LIBRARY = """\
import torch

model = torch.compile(torch.nn.Sequential(torch.nn.Linear(3, 2)), backend="eager", dynamic=False)
for length in range(2, 12):
    batch = torch.ones(length, 3)
    print(model(batch).shape)
"""


def test_a_module_of_pytorch_that_the_program_compiled_can_be_repaired(torch: Any, tmp_path: Path) -> None:
    case = replay(torch, tmp_path, OF_A_LIBRARY).cases["Sequential.forward"]
    assert case.diagnosis.function.library
    (candidate,) = candidates(case, "mark_dynamic")
    repaired = write(candidate, OF_A_LIBRARY)
    assert "    torch._dynamo.mark_dynamic(batch, 0)\n    print(model(batch).shape)\n" in repaired
    assert replay(torch, tmp_path, repaired).cases["Sequential.forward"].diagnosis.traces == 1


POOL = """\
import torch


@torch.compile(backend="eager", dynamic=False)
def pool(seqs):
    return torch.stack([each.mean(0) for each in seqs])


for sizes in ((4, 5), (4, 6), (4, 5, 6), (3, 4, 5, 6), (2, 3, 4, 5, 6)):
    print(pool([torch.ones(size, 2) for size in sizes]).shape)
"""


def test_nothing_is_marked_in_a_list_of_varying_length_and_its_tensors_are_padded(torch: Any, tmp_path: Path) -> None:
    case = replay(torch, tmp_path, POOL).cases["pool"]
    paths = {cause.path for cause in case.diagnosis.causes}
    assert "len(seqs)" in paths
    assert any(path.startswith("seqs[") for path in paths)
    assert candidates(case, "mark_dynamic") == candidates(case, "dynamic_sources") == []
    assert candidates(case._replace(makings=()), "dynamic") == []  # it does not treat the main cause
    (advice,) = list_length.RECIPE.propose(case)
    assert "padded = torch.nn.utils.rnn.pad_sequence(seqs, batch_first=True)\nmask = " in (advice.snippet or "")
    namespace: dict[str, Any] = {"torch": torch, "seqs": [torch.ones(2, 3), torch.ones(1, 3)]}
    exec(advice.snippet or "", namespace)
    assert namespace["mask"].tolist() == [[True, True], [True, False]]
