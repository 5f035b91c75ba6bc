"""PyTorch is told by name what varies: arguments, and numbers that lie outside of the function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import (
    expect,
    is_argument,
    markable_dimensions,
    reasons,
    treats_what_matters,
    varying_numbers,
)
from traceonce.frameworks.torch.words import SETTING_FOR_ALL_FUNCTIONS, TRIED_ON_ANOTHER_VERSION

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "dynamic_sources"
SETTING = "torch.compiler.config.dynamic_sources"
TRIED = (2, 13)  # the version on which it was found to serve, and to know single dimensions
_GLOBAL = re.compile(r"\bG\['(\w+)'\] == ")
_ROOT = re.compile(r"\w+")


def propose(case: Case) -> Iterator[Candidate]:
    sources = dict(_sources(case))
    if not sources or not treats_what_matters(case, list(sources.values())):
        return
    version = case.environment.get("torch")
    if version is not None and _number(version) < TRIED:
        raise Declined(TRIED_ON_ANOTHER_VERSION(setting=SETTING, version=str(version)))
    codes = tuple(sorted({cause.code for cause in sources.values()}))
    written = f'"{", ".join(sources)}"'

    def change(edits: Edits) -> None:
        from traceonce.frameworks.torch.recipes.compiler_setup import set_up

        set_up(case, edits, SETTING, written)

    notes = (SETTING_FOR_ALL_FUNCTIONS(),)
    expected = expect(case, list(sources.values()))
    snippet = f"{SETTING} = {written}"
    yield Candidate(NAME, "review", codes, change, None, snippet, notes, expected_traces=expected)


def _sources(case: Case) -> Iterator[tuple[str, Cause]]:
    """What varied, by PyTorch's own names: ``L['x']:0``, ``G['SCALE']``. Floats are not served by it."""
    for dimension in markable_dimensions(case):
        yield f"{_local(dimension.path)}:{dimension.axis}", dimension.cause
    global_names = {name for reason in reasons(case) for name in _GLOBAL.findall(reason)}
    for cause in varying_numbers(case):
        if cause.type_name != "int":
            continue
        if cause.path in global_names:
            yield f"G['{cause.path}']", cause
        elif is_argument(case, cause.path):
            yield _local(cause.path), cause


def _local(path: str) -> str:
    root = _ROOT.match(path)
    assert root is not None
    return f"L['{root[0]}']{path[root.end() :]}"


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


_A_GLOBAL = Example(
    title="A global integer",
    function="scaled",
    traces_before=8,
    traces_after=1,
    program='''\
import torch

level = 2


@torch.compile(backend="eager")
def scaled(x):
    return x * level


for level in range(2, 14):
    print(scaled(torch.ones(3)).tolist())
''',
    repaired='''\
import torch

level = 2

torch.compiler.config.dynamic_sources = "G['level']"


@torch.compile(backend="eager")
def scaled(x):
    return x * level


for level in range(2, 14):
    print(scaled(torch.ones(3)).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Name the dynamic values",
    what="Sets `torch.compiler.config.dynamic_sources` to the names of the varying values once, above `torch.compile`.",
    why="PyTorch specializes on a global integer, with or without `dynamic=True`; naming it here makes it "
    "dynamic. For sizes it works like `mark_dynamic`, but needs no change at the calls and raises no "
    "ConstraintViolationError.",
    beware="It applies to every compiled function in the program. A name that no longer exists is silently "
    "ignored. It does not work for floats or for integers stored on a module.",
    propose=propose,
    fits_calls=True,
    examples=(_A_GLOBAL,),
)
