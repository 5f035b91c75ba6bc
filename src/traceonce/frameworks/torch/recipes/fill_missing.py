"""What comes with some calls only (a tensor or None, a key of a dict) is filled in for the others with zeros or ones.

What fills it must mean nothing to the function: the run shows whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes.missing_parts import Gap, filling, find_gaps, shown, ways_to_fill
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.words.notes.common import MISSING_IS_FILLED

NAME = "fill_missing"
_TREATED = frozenset({CauseCode.KIND, CauseCode.STRUCTURE})


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or case.diagnosis.function.library:
        return
    gaps = find_gaps(case.signatures)
    codes = tuple(sorted(case.codes & _TREATED))
    for fillers, effects in ways_to_fill(gaps, _filler) if gaps else ():
        call = spell_changes(case, shown(fillers))
        notes = (MISSING_IS_FILLED(names=[gap.path for gap in gaps]),)
        yield Candidate(NAME, "review", codes, filling(case, fillers), None, call, notes, effects=effects)


def _filler(gap: Gap, kind: str) -> str:
    shape = ", ".join(map(str, gap.shape)) + "," * (len(gap.shape) == 1)
    return f"torch.{kind}(({shape}), dtype=torch.{gap.dtype})"


_PROGRAM = """\
import torch


@torch.compile(backend="eager")
def total(x, bonus=None):
    if bonus is not None:
        x = x + bonus
    return x.sum()


for number in range(8):
    bonus = torch.ones(3) if number % 2 else None
    print(total(torch.full((3,), number / 4), {bonus}).item())
"""

RECIPE = Recipe(
    name=NAME,
    title="Fill in missing values",
    what="Passes a tensor of zeros (or ones) where a call passes None, or a dict without a key that other calls have.",
    why="PyTorch compiles for every combination of keys and of arguments that are None.",
    beware="The placeholder must be neutral, like a mask of ones or a bonus of zeros. A test for None, or for the key, "
    "is then always true. The placeholder is on the CPU: name your device where you use another.",
    propose=propose,
    examples=(
        Example(
            title="A bonus that comes with some calls",
            function="total",
            traces_before=2,
            traces_after=1,
            program=_PROGRAM.format(bonus="bonus"),
            repaired=_PROGRAM.format(bonus="torch.zeros((3,), dtype=torch.float32) if bonus is None else bonus"),
        ),
    ),
)
