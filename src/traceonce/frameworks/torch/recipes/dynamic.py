"""`torch.compile` is told to expect any size and any number, or is no longer told not to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import (
    expect,
    treats_what_matters,
    varying_dimensions,
    varying_numbers,
)
from traceonce.frameworks.torch.words import ALL_SIZES_OPEN, DYNAMIC_ALREADY, SECOND_SIZE_COMPILES

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "dynamic"


def propose(case: Case) -> Iterator[Candidate]:
    dimensions = [dimension.cause for dimension in varying_dimensions(case)]
    shapes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.SHAPE]
    numbers = [cause for cause in varying_numbers(case) if cause.code is CauseCode.VALUE]
    treated = [*dict.fromkeys([*dimensions, *shapes, *numbers])]
    if not treated or not treats_what_matters(case, treated):
        return
    codes = tuple(sorted({cause.code for cause in treated}))
    left = expect(case, treated)
    yield Candidate(
        NAME,
        "safe",
        codes,
        lambda edits: _make_dynamic(case, edits),
        None,
        "@torch.compile(dynamic=True)",
        (ALL_SIZES_OPEN(),),
        expected_traces=left,
    )
    yield Candidate(
        NAME,
        "safe",
        codes,
        lambda edits: drop_static(case, edits),
        None,
        "@torch.compile()  # without dynamic=False",
        (SECOND_SIZE_COMPILES(),),
        expected_traces=None if left is None else left + 1,
    )


def _make_dynamic(case: Case, edits: Edits) -> None:
    from traceonce.fix.source.compile_sites import find_creation, set_option

    creation = find_creation(case, edits)
    if any(written == "True" for written in _given(creation)):
        raise Declined(DYNAMIC_ALREADY())
    set_option(edits, creation, NAME, "True")


def drop_static(case: Case, edits: Edits) -> None:
    """Take `dynamic=False` away, where it is given."""
    import libcst as cst

    from traceonce.fix.source.compile_sites import find_creation

    creation = find_creation(case, edits)
    if not any(written == "False" for written in _given(creation)):
        return  # nothing to take away: not worth a word to the user
    assert creation.call is not None

    def without(call: cst.Call) -> cst.Call:
        kept = [each for each in call.args if each.keyword is None or each.keyword.value != NAME]
        if kept and isinstance(call.args[-1].comma, cst.MaybeSentinel):
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return call.with_changes(args=kept)

    edits.amend(creation.module, creation.call, without)


def _given(creation: object) -> Iterator[str]:
    """What is written for the option, where it is written."""
    from traceonce.fix.source.compile_sites import Creation

    assert isinstance(creation, Creation)
    for argument in creation.call.args if creation.call is not None else ():
        if argument.keyword is not None and argument.keyword.value == NAME:
            yield creation.module.code(argument.value)


_A_NUMBER = Example(
    title="A number that changes on every call, and `dynamic=False`",
    function="decay",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


@torch.compile(backend="eager", dynamic=False)
def decay(x, rate):
    return x * rate


for step in range(12):
    print(decay(torch.ones(3), 0.9 ** step).tolist())
''',
    repaired='''\
import torch


@torch.compile(backend="eager", dynamic=True)
def decay(x, rate):
    return x * rate


for step in range(12):
    print(decay(torch.ones(3), 0.9 ** step).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Compile for any size",
    what="Passes `dynamic=True` to `torch.compile`, or removes `dynamic=False`.",
    why="With `dynamic=False` every size and number recompiles until the limit of 8 is reached; then the "
    "function runs uncompiled. By default PyTorch makes a size dynamic once it has varied; with "
    "`dynamic=True`, from the start.",
    beware="Under `dynamic=True` no size is known, even if it never changes, so the code may be slower. Sizes 0 "
    "and 1, ranks, dtypes, strings and list lengths still compile separately.",
    propose=propose,
    examples=(_A_NUMBER,),
)
