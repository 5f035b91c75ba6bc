"""A tensor whose dtype varies is cast where the function is called, to one of the dtypes that were seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Candidate, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect, is_argument
from traceonce.frameworks.torch.words import CAST_AT_CALL
from traceonce.words.notes.declined import NO_CALL_GIVES

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "cast"
# What a value is most often made of it, then what loses least: tried in this order, of those that were seen.
_ORDER = ("float32", "float64", "int64", "int32", "bfloat16", "float16", "int16", "uint8", "int8", "bool")


def propose(case: Case) -> Iterator[Candidate]:
    for cause in case.diagnosis.causes:
        path = cause.path.removesuffix(".dtype")
        if cause.code is CauseCode.DTYPE and is_argument(case, path):
            seen = {leaf.dtype for signature in case.signatures for leaf in signature.leaves if leaf.path == path}
            for dtype in [each for each in _ORDER if each in seen][:3]:
                yield _candidate(case, cause, path, dtype)


def _candidate(case: Case, cause: Cause, path: str, dtype: str) -> Candidate:
    code = f"value.to(torch.{dtype})"

    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        arguments = find_arguments(case, edits, path)
        if not arguments:
            raise Declined(NO_CALL_GIVES(path=path))
        for argument in arguments:
            wrap_argument(edits, argument, code)

    snippet = code.replace("value", path)
    notes = (CAST_AT_CALL(path=path, dtype=dtype),)
    effects = frozenset({Effect("cast", path, dtype)})
    return Candidate(
        NAME,
        "review",
        (CauseCode.DTYPE,),
        change,
        None,
        snippet,
        notes,
        effects=effects,
        expected_traces=expect(case, [cause]),
    )


_READINGS = Example(
    title="Readings of several dtypes, all converted to float32",
    function="scaled",
    traces_before=4,
    traces_after=1,
    program='''\
import numpy as np
import torch

weight = torch.full((3,), 0.5)


@torch.compile(backend="eager")
def scaled(x):
    return (x.to(weight.dtype) * weight).sum()


for kind in ["float32", "float64", "int32", "uint8"] * 3:
    print(scaled(torch.from_numpy(np.arange(3).astype(kind))).item())
''',
    repaired='''\
import numpy as np
import torch

weight = torch.full((3,), 0.5)


@torch.compile(backend="eager")
def scaled(x):
    return (x.to(weight.dtype) * weight).sum()


for kind in ["float32", "float64", "int32", "uint8"] * 3:
    print(scaled(torch.from_numpy(np.arange(3).astype(kind)).to(torch.float32)).item())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Pass one dtype",
    what="Casts an argument of varying dtype to one of the recorded dtypes at the call site.",
    why="Compiled code is specialized on argument dtypes. If the function casts the argument anyway, or does not "
    "use what the cast would lose, one dtype is enough.",
    beware="A cast can lose precision. Equal results in this run do not prove it for other inputs.",
    propose=propose,
    examples=(_READINGS,),
)
