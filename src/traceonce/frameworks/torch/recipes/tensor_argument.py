"""A Python number that varies is given as a tensor where the function is called; all else stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect, is_argument, varying_numbers
from traceonce.frameworks.torch.words import BRANCH_BREAKS_GRAPH, NUMBER_AND_TENSOR
from traceonce.words.notes.declined import DEFAULT_STAYS_A_NUMBER

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "tensor_argument"
LIFTABLE = ("int", "float")


def propose(case: Case) -> Iterator[Candidate]:
    numbers = [cause for cause in varying_numbers(case) if is_argument(case, cause.path)]
    if not numbers:
        return

    def change(edits: Edits) -> None:
        for cause in numbers:
            _wrap(case, edits, cause)

    codes = tuple(sorted({cause.code for cause in numbers} or {CauseCode.VALUE}))
    snippet = ", ".join(_spell(cause, cause.path) for cause in numbers)
    notes = (BRANCH_BREAKS_GRAPH(names=[cause.path for cause in numbers]),)
    expected = expect(case, numbers)
    yield Candidate(NAME, "review", codes, change, None, snippet, notes, expected_traces=expected)


def _spell(cause: Cause, value: str) -> str:
    """A float keeps all of its digits; it makes no other dtype wider, since it has no dimensions."""
    if cause.type_name == "float":
        return f"torch.tensor({value}, dtype=torch.float64)"
    return f"torch.tensor({value})"


def _wrap(case: Case, edits: Edits, cause: Cause) -> None:
    from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

    arguments = find_arguments(case, edits, cause.path)
    if len(arguments) < len(case.sites):
        raise Declined(DEFAULT_STAYS_A_NUMBER(path=cause.path))
    for argument in arguments:
        kinds = argument.site.arguments.get(cause.path, ())
        if kinds and not any(kind in LIFTABLE for kind in kinds):
            continue  # a tensor already
        if any(kind not in LIFTABLE for kind in kinds):
            raise Declined(NUMBER_AND_TENSOR(path=cause.path))
        wrap_argument(edits, argument, _spell(cause, "value"))


_SCALE = Example(
    title="A number, and a decorator that compiles several functions",
    function="blend",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


def fast(function):
    return torch.compile(function, backend="eager", dynamic=False)


@fast
def blend(x, y, *, share):
    return x * share + y * (1 - share)


first, second = torch.ones(3), torch.zeros(3)
for number in range(12):
    print(blend(first, second, share=number / 12).tolist())
''',
    repaired='''\
import torch


def fast(function):
    return torch.compile(function, backend="eager", dynamic=False)


@fast
def blend(x, y, *, share):
    return x * share + y * (1 - share)


first, second = torch.ones(3), torch.zeros(3)
for number in range(12):
    print(blend(first, second, share=torch.tensor(number / 12, dtype=torch.float64)).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Pass a number as a tensor",
    what="Wraps a varying Python number in `torch.tensor` at every call.",
    why="A tensor is compiled for by dtype and shape; a Python number by value where PyTorch cannot make it "
    "dynamic: under `dynamic=False`, or where a size or a loop depends on it. A 0-d tensor adopts the dtype of "
    "the tensors it meets, like a number.",
    beware="In the body the number is a tensor: `range`, a branch, `int()` and `math` break the graph there, or fail.",
    propose=propose,
    shown_by_probes=True,
    examples=(_SCALE,),
)
