"""A static argument that has no hash: a list comes as a tuple; an array, or a dict of them, is no static argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts import CauseCode, Verdict
from traceonce.fix.candidate import Candidate, Change, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.recipes import control_flow
from traceonce.frameworks.jax.words import BOTH_BRANCHES_TRACED, STATIC_BECOMES_ARRAY, STATIC_IS_A_TUPLE

NAME = "hashable_argument"
_AS = {"list": "tuple(value)", "set": "frozenset(value)", "bytearray": "bytes(value)"}
_DATA = ("ndarray", "ArrayImpl", "list", "dict")


def propose(case: Case) -> Iterator[Candidate]:
    refused = any(control_flow.REFUSED in (event.error or "") for event in case.events)
    if not refused or case.diagnosis.verdict is not Verdict.FAILED or case.diagnosis.function.library:
        return
    types: dict[str, str] = {}
    for signature in case.signatures:
        types |= {leaf.path: leaf.type_name or "" for leaf in signature.leaves if leaf.static}
    frozen = sorted(path for path, name in types.items() if name in _AS)
    data = sorted(path for path, name in types.items() if name in _DATA)
    if frozen and len(frozen) == len([path for path, name in types.items() if name in (*_AS, *_DATA)]):
        snippet = ", ".join(f"{path}={_AS[types[path]].replace('value', path)}" for path in frozen)
        snippet = f"{case.diagnosis.function.short_name}(…, {snippet})"
        change = _wrapped(case, {path: _AS[types[path]] for path in frozen})
        notes = (STATIC_IS_A_TUPLE(names=frozen),)
        yield Candidate(NAME, "review", (CauseCode.UNKNOWN,), change, None, snippet, notes)
    if data:
        snippet = f"@jax.jit  # without {', '.join(data)} among its static arguments"
        notes = (STATIC_BECOMES_ARRAY(names=data),)
        yield Candidate(NAME, "review", (CauseCode.UNKNOWN,), _dynamic(case, data), None, snippet, notes)
        both = (*notes, BOTH_BRANCHES_TRACED())
        lowered = control_flow.write(case, data, along=False)
        yield Candidate(f"{NAME}+{control_flow.NAME}", "review", (CauseCode.UNKNOWN,), lowered, None, snippet, both)


def _wrapped(case: Case, codes: dict[str, str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        for path, code in codes.items():
            for argument in find_arguments(case, edits, path):
                wrap_argument(edits, argument, code)

    return change


def _dynamic(case: Case, paths: Sequence[str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.frameworks.jax.recipes.static_options import make_dynamic

        make_dynamic(edits, case, paths)

    return change


_WIDTHS = """\
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("widths",))
def layers(x, widths):
    for width in widths:
        x = jnp.tanh(jnp.ones((width, x.shape[0])) @ x)
    return x.sum()


widths = [4, 3]
for scale in (1.0, 2.0):
    print(layers(scale * jnp.ones(2), widths={widths}).round(4))
"""

RECIPE = Recipe(
    name=NAME,
    title="Make static arguments hashable",
    what="Passes a tuple instead of a static list and a frozenset instead of a static set; makes arrays and "
    "dicts of numbers regular arguments.",
    why="JAX looks static arguments up by hash, and rejects unhashable ones before tracing.",
    beware="Results are checked against `jax.disable_jit`, because the original program fails.",
    propose=propose,
    repairs_failures=True,
    examples=(
        Example(
            title="A list of sizes",
            function="layers",
            traces_before=0,
            traces_after=1,
            program=_WIDTHS.format(widths="widths"),
            repaired=_WIDTHS.format(widths="tuple(widths)"),
        ),
    ),
)
