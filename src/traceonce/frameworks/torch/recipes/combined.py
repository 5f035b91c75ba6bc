"""Several causes at once: one of them left is enough for PyTorch to compile as often as before."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from traceonce.facts import Cause
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe, together
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import join_lines
from traceonce.words.notes import join_notes

NAME = "combined"
_MOST = 6  # combinations
_EACH = 2  # changes that are tried for a cause


def combining(recipes: Sequence[Recipe]) -> Recipe:
    """The recipe that puts changes of these together, one for each cause."""

    def propose(case: Case) -> Iterator[Candidate]:
        if len(case.diagnosis.causes) < 2 or case.diagnosis.function.library:
            return
        each = [_for_cause(case, cause, recipes) for cause in case.diagnosis.causes]
        treated = [offers for offers in each if offers]
        found: set[frozenset[str]] = set()
        for chosen in itertools.product(*treated) if len(treated) > 1 else ():
            names = frozenset(candidate.recipe for candidate in chosen)
            if len(names) > 1 and names not in found and len(found) < _MOST:
                found.add(names)
                yield _together({candidate.recipe: candidate for candidate in chosen}, case, recipes)

    return Recipe(
        name=NAME,
        title="Fix several causes together",
        what="Combines the changes for several causes of one function: a dimension marked as dynamic, a number passed "
        "as a tensor, a missing key filled in.",
        why="PyTorch recompiles when any guard fails. If two things vary, a change for one of them compiles as often "
        "as before and cannot be proved alone.",
        beware="The notes of each change apply.",
        propose=propose,
        examples=(_TEXT_AND_COUNTER,),
    )


def _for_cause(case: Case, cause: Cause, recipes: Sequence[Recipe]) -> list[Candidate]:
    """The first changes that treat this cause alone, each of another recipe."""
    alone = case._replace(diagnosis=msgspec.structs.replace(case.diagnosis, causes=(cause,)))
    found = []
    for recipe in recipes:
        with suppress(Declined):
            found += [each for each in recipe.propose(alone) if each.change is not None][:1]
    return found[:_EACH]


def _together(chosen: dict[str, Candidate], case: Case, recipes: Sequence[Recipe]) -> Candidate:
    """One of each recipe, which is asked again with all the causes that it treats."""
    parts = []
    for recipe in recipes:
        if recipe.name in chosen:
            codes = chosen[recipe.name].causes
            causes = tuple(cause for cause in case.diagnosis.causes if cause.code in codes)
            mine = case._replace(diagnosis=msgspec.structs.replace(case.diagnosis, causes=causes))
            offers = [each for each in recipe.propose(mine) if each.change is not None]
            parts.append(offers[0] if offers else chosen[recipe.name])
    changes = [part.change for part in parts if part.change is not None]
    return Candidate(
        "+".join(part.recipe for part in parts),
        "review" if any(part.safety == "review" for part in parts) else "safe",
        tuple(sorted({code for part in parts for code in part.causes})),
        together(*changes),
        None,
        join_lines(*(part.snippet for part in parts)),
        join_notes(*(part.notes for part in parts)),
        passes_state=any(part.passes_state for part in parts),
    )


_PROGRAM = """\
import torch


class Penalty(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, weight, {parameter}):
        self.calls += 1
        scale = 0.0 if {ends} else 0.5
        return (weight * weight).sum() * scale / self.calls


{setting}penalty = torch.compile(Penalty(), backend="eager")
for number in range(12):
    name = "bias" if number % 3 else "weight"
    print(round(penalty(torch.ones(3) * number, {given}).item(), 4))
"""
_TEXT_AND_COUNTER = Example(
    title="A text and a counter, both new in every call",
    function="Penalty.forward",
    traces_before=8,
    traces_after=3,
    program=_PROGRAM.format(
        parameter="name", ends='name.endswith("bias")', setting="", given='f"layer{number}.{name}"'
    ),
    repaired=_PROGRAM.format(
        parameter="name_endswith_bias",
        ends="name_endswith_bias",
        setting="torch._dynamo.config.allow_unspec_int_on_nn_module = True\n",
        given='f"layer{number}.{name}".endswith("bias")',
    ),
)
