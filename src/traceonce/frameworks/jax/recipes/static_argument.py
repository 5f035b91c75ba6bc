"""A number whose value a trace needs (for a shape, an `if`, a `range`) becomes static, so that the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from traceonce.facts import CauseCode, Verdict
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.words import ARRAY_CANNOT_BE_STATIC, NEW_VALUE_COMPILES

NAME = "static_argument"
# JAX's own words for what the value came from.
_CAUSED_BY = re.compile(r"depends on the values? of the arguments? ([^\n]+?)\.(?:\s|$)")
_NUMBERS = ("int", "float", "bool")


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.verdict is not Verdict.FAILED or case.diagnosis.function.library:
        return
    named = list(dict.fromkeys(name for event in case.events for name in _named(event.error or "")))
    if not named:
        return
    arrays = [name for name in named if not _is_number(case, name)]
    if arrays:
        raise Declined(ARRAY_CANNOT_BE_STATIC(names=arrays))
    written = ", ".join(f'"{name}"' for name in named)
    snippet = f"@functools.partial(jax.jit, static_argnames=({written},))"
    notes = (NEW_VALUE_COMPILES(names=named),)
    yield Candidate(NAME, "review", (CauseCode.UNKNOWN,), _change(case, named), None, snippet, notes)


def _named(error: str) -> list[str]:
    """The arguments that the error is about."""
    found = _CAUSED_BY.search(error)
    return [name for name in re.split(r",? and |, ", found.group(1)) if name] if found is not None else []


def _is_number(case: Case, name: str) -> bool:
    leaves = leaves_at(case.signatures, name)
    return name.isidentifier() and bool(leaves) and all(leaf.type_name in _NUMBERS for leaf in leaves)


def _change(case: Case, names: Sequence[str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.frameworks.jax.recipes.static_options import make_static

        make_static(edits, case, names)

    return change


_RAMP = """\
{functools}import jax
import jax.numpy as jnp


@{decorator}
def ramp(x, n):
    return x[:, None] * jnp.arange(n)


for n in (3, 4, 3):
    print(ramp(jnp.ones(2), n).sum())
"""

RECIPE = Recipe(
    name=NAME,
    title="Make a number static where the trace needs its value",
    what="Adds a parameter to `static_argnames` where tracing fails because it needs the value of a Python number.",
    why="A Python number passed to a jitted function becomes an array without a concrete value. A shape, a "
    "Python `if` or a `range` needs the value; a static argument provides it.",
    beware="Results are checked against `jax.disable_jit`, because the original program fails. Each value costs "
    "one trace; if the value is new on every call, rewrite the code so that it does not need it.",
    propose=propose,
    repairs_failures=True,
    examples=(
        Example(
            title="A number that decides a shape",
            function="ramp",
            traces_before=0,
            traces_after=2,
            program=_RAMP.format(functools="", decorator="jax.jit"),
            repaired=_RAMP.format(
                functools="import functools\n", decorator='functools.partial(jax.jit, static_argnames=("n",))'
            ),
        ),
    ),
)
