"""What comes with some calls only (an array or None, a key of a dict) is filled in for the others; so are short lists.

What fills it must mean nothing to the function: the run shows whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from traceonce.facts import CauseCode, Container, Signature
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes.missing_parts import Gap, filled, filling, find_gaps, shown, ways_to_fill
from traceonce.fix.signatures.buckets import bucket
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.fix.signatures.leaves import by_path
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.words.notes.common import MISSING_IS_FILLED

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "fill_missing"
_TREATED = frozenset({CauseCode.KIND, CauseCode.STRUCTURE})
_LISTS = ("list", "tuple")


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or case.diagnosis.function.library:
        return
    codes = tuple(sorted(case.codes & _TREATED))
    now = predict_traces(case.events)
    gaps = find_gaps(case.signatures)
    left = predict_traces(case.events, filled(gaps))
    for fillers, effects in ways_to_fill(gaps, _filler) if gaps and left < now else ():
        call = spell_changes(case, shown(fillers))
        notes = (MISSING_IS_FILLED(names=[gap.path for gap in gaps]),)
        yield Candidate(NAME, "review", codes, filling(case, fillers), left, call, notes, effects=effects)
    for path in _lists(case):
        left = predict_traces(case.events, partial(_lengthened, path))
        for kind in ("zeros", "ones") if left < now else ():
            code = f"[*value, *[jnp.{kind}_like(value[0])] * ((1 << (len(value) - 1).bit_length()) - len(value))]"
            call = spell_changes(case, {path: code.replace("value", path)})
            notes = (MISSING_IS_FILLED(names=[path]),)
            yield Candidate(NAME, "review", codes, partial(_lengthen, case, path, code), left, call, notes)


def _filler(gap: Gap, kind: str) -> str:
    shape = ", ".join(map(str, gap.shape)) + "," * (len(gap.shape) == 1)
    if gap.weak:  # made of a Python number, as those that are given
        number = "0" if kind == "zeros" else "1"
        return f"jnp.full(({shape}), {number}{'.0' if 'float' in gap.dtype else ''})"
    return f"jnp.{kind}(({shape}), jnp.{gap.dtype})"


def _lists(case: Case) -> Iterator[str]:
    """The parameters that are lists of arrays of one kind, of another length in some calls."""
    columns = by_path(case.signatures)
    found: dict[str, list[Container]] = {}
    for signature in case.signatures:
        for each in signature.structure:
            if each.path.isidentifier() and each.type_name in _LISTS:
                found.setdefault(each.path, []).append(each)
    for path, seen in found.items():
        items = [leaf for name, leaves in columns.items() if name.startswith(f"{path}[") for leaf in leaves]
        same = len({(leaf.kind, leaf.dtype, leaf.shape, leaf.weak) for leaf in items}) == 1
        lengths = {len(each.keys) for each in seen}
        whole = len(seen) == len(case.signatures) and len(items) == sum(len(each.keys) for each in seen)
        if same and whole and items[0].kind == "tensor" and len(lengths) > 1 and 0 not in lengths:
            yield path


def _lengthened(path: str, signature: Signature) -> Signature:
    items = [leaf for leaf in signature.leaves if leaf.path.startswith(f"{path}[")]
    size = bucket(len(items))
    more = [msgspec.structs.replace(items[0], path=f"{path}[{number}]") for number in range(len(items), size)]
    structure = tuple(
        msgspec.structs.replace(each, keys=tuple(map(str, range(size)))) if each.path == path else each
        for each in signature.structure
    )
    leaves = tuple(sorted((*signature.leaves, *more), key=lambda leaf: leaf.path))
    return msgspec.structs.replace(signature, leaves=leaves, structure=structure)


def _lengthen(case: Case, path: str, code: str, edits: Edits) -> None:
    import re

    from traceonce.fix.candidate import Declined
    from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument
    from traceonce.words.notes.declined import EVALUATED_TWICE

    for argument in find_arguments(case, edits, path):
        written = argument.module.code(argument.node.value)
        if not re.fullmatch(r"[\w.]+", written):
            place = f"{argument.module.file}:{argument.module.line(argument.node)}"
            raise Declined(EVALUATED_TWICE(code=written, place=place))
        wrap_argument(edits, argument, code)


_MASK = """\
import jax
import jax.numpy as jnp


@jax.jit
def total(x, malus=None, bonus=None):
    if malus is not None:
        x = x - malus
    if bonus is not None:
        x = x + bonus
    return x.sum()


for number in range(6):
    malus = jnp.ones(2) if number % 2 else None
    bonus = jnp.ones(2) if number % 3 else None
    print(total(jnp.full(2, number, "float32"), {malus}, {bonus}))
"""
_LIST = """\
import jax
import jax.numpy as jnp


@jax.jit
def combined(scores):
    return sum(jnp.exp(score) - 1 for score in scores)


scores = []
for number in range(7):
    scores.append(jnp.float32(number / 7))
    print(combined({scores}).round(4))
"""

RECIPE = Recipe(
    name=NAME,
    title="Fill in missing values",
    what="Passes an array of zeros (or ones) where a call passes None, or a dict without a key that other calls have, "
    "and pads a list of varying length to a power of two.",
    why="JAX retraces for every pytree structure: None is not an array, and a dict with another key, or a list of "
    "another length, has another structure.",
    beware="The placeholder must be neutral, like a mask of ones or a summand of zeros. A test for None, or for the "
    "key, is then always true, and `len` returns the padded length.",
    propose=propose,
    treats_arguments=True,
    examples=(
        Example(
            title="A malus and a bonus that come with some calls",
            function="total",
            traces_before=4,
            traces_after=1,
            program=_MASK.format(malus="malus", bonus="bonus"),
            repaired=_MASK.format(
                malus="jnp.zeros((2,), jnp.float32) if malus is None else malus",
                bonus="jnp.zeros((2,), jnp.float32) if bonus is None else bonus",
            ),
        ),
        Example(
            title="A list that grows",
            function="combined",
            traces_before=7,
            traces_after=4,
            program=_LIST.format(scores="scores"),
            repaired=_LIST.format(
                scores="[*scores, *[jnp.zeros_like(scores[0])] * ((1 << (len(scores) - 1).bit_length()) - len(scores))]"
            ),
        ),
    ),
)
