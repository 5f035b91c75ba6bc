"""A number that the function reads from outside, a global or a field of an object, becomes an argument of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect, is_argument, varying_numbers
from traceonce.frameworks.torch.words import PASSED_AT_EVERY_CALL

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "outside_value"


def propose(case: Case) -> Iterator[Candidate]:
    """As a number, which PyTorch leaves open when it changes; as a tensor, for `dynamic=False` and what needs one."""
    if case.diagnosis.function.library:
        return
    for cause in varying_numbers(case):
        if not is_argument(case, cause.path) and _is_variable(cause.path):
            left = expect(case, [cause])
            yield _candidate(case, cause, "value", None if left is None else left + 1)
            dtype = ", dtype=torch.float64" if cause.type_name == "float" else ""
            yield _candidate(case, cause, f"torch.tensor(value{dtype})", left)


def _is_variable(path: str) -> bool:
    return all(part.isidentifier() for part in path.split("."))


def _candidate(case: Case, cause: Cause, template: str, left: int | None) -> Candidate:
    def change(edits: Edits) -> None:
        from traceonce.fix.closures.parameters import pass_as_argument

        pass_as_argument(edits, case, cause.path, template)

    name = cause.path.rpartition(".")[2].lower()
    snippet = f"{case.diagnosis.function.short_name}(…, {name}={template.replace('value', cause.path)})"
    notes = (PASSED_AT_EVERY_CALL(path=cause.path),)
    return Candidate(
        NAME, "review", (cause.code,), change, None, snippet, notes, passes_state=True, expected_traces=left
    )


_COUNTED = Example(
    title="A counting attribute, and `dynamic=False`",
    function="decay",
    traces_before=8,
    traces_after=2,
    program='''\
import torch


class Progress:
    step = 0


progress = Progress()


@torch.compile(backend="eager")
def decay(x):
    for _ in range(2):
        x = x / (1 + progress.step)
    return x


for progress.step in range(2, 14):
    print(decay(torch.ones(3)).tolist())
''',
    repaired='''\
import torch


class Progress:
    step = 0


progress = Progress()


@torch.compile(backend="eager")
def decay(x, step):
    for _ in range(2):
        x = x / (1 + step)
    return x


for progress.step in range(2, 14):
    print(decay(torch.ones(3), step=progress.step).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Pass outside values as arguments",
    what="Adds a parameter for a varying global or object attribute; every call passes it, as a number or as a tensor.",
    why="PyTorch specializes on an integer read from outside, with or without `dynamic=True`. An argument "
    "becomes dynamic once it has changed; a tensor is dynamic from the start, even under `dynamic=False`.",
    beware="The value is read before the call: changes made while the function runs are not seen.",
    propose=propose,
    examples=(_COUNTED,),
)
