"""Python control flow over a value that a trace does not know becomes that of `jax.lax`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from traceonce.facts import CauseCode, Verdict
from traceonce.facts.signature import PARAMETERS
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.recipes.array_argument import as_arrays, varying_numbers
from traceonce.frameworks.jax.words import BOTH_BRANCHES_TRACED, NO_CONTROL_FLOW

NAME = "control_flow"
REFUSED = "Non-hashable static arguments"  # JAX's words, in the error of a call


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library or not case.signatures:
        return
    failed = case.diagnosis.verdict is Verdict.FAILED
    if failed and all(REFUSED in (event.error or REFUSED) for event in case.events):  # nothing was traced
        return
    numbers = [] if failed else varying_numbers(case)
    if not failed and not numbers:
        return
    left = None if failed else predict_traces(case.events, as_arrays(frozenset(numbers)))
    code = CauseCode.UNKNOWN if failed else CauseCode.STATIC_ARGUMENT
    snippet = "jax.lax.cond(…), jax.lax.fori_loop(…) or jax.lax.while_loop(…)  # in place of Python's own"
    for along in (False, True):
        change = write(case, numbers, along=along)
        yield Candidate(NAME, "review", (code,), change, left, snippet, (BOTH_BRANCHES_TRACED(),))


def _unknown(case: Case, numbers: Collection[str]) -> set[str]:
    """The parameters whose values a trace does not know."""
    (container,) = [each for each in case.signatures[-1].structure if each.path == "" and each.type_name == PARAMETERS]
    static = {name for name in container.keys if any(leaf.static for leaf in leaves_at(case.signatures, name))}
    return {*container.keys} - (static - {*numbers})


def write(case: Case, numbers: Collection[str], *, along: bool) -> Change:
    """Lower it; `numbers` are static until now. `along`: in the functions that it calls, too."""

    def change(edits: Edits) -> None:
        from traceonce.fix.source.binders import binders_seen
        from traceonce.fix.source.definitions import find_definition
        from traceonce.fix.source.module import walk
        from traceonce.frameworks.jax.recipes.lowered_control_flow import lower_some
        from traceonce.frameworks.jax.recipes.static_options import make_dynamic

        module, definition = find_definition(case.diagnosis.function, edits)
        if not isinstance(definition, cst.FunctionDef):
            raise Declined(NO_CONTROL_FLOW())
        found: list[tuple[cst.FunctionDef, Collection[str]]] = [(definition, _unknown(case, numbers))]
        if along:
            for node in walk(definition.body):
                if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
                    meant = binders_seen(module, node.func.value, node)
                    if len(meant) == 1 and isinstance(meant[0], cst.FunctionDef) and meant[0] is not definition:
                        helper = meant[0]
                        if all(helper is not each for each, _ in found) and not module.holds(definition, helper):
                            found.append((helper, {each.name.value for each in helper.params.params}))
        lower_some(edits, module, found)
        if numbers:
            make_dynamic(edits, case, sorted(numbers))

    return change


_CLIP = """\
import jax
import jax.numpy as jnp


@jax.jit
def clip(gradient, most):
    norm = jnp.linalg.norm(gradient)
{choice}
    return gradient


for scale in (0.1, 1.0, 10.0):
    print(clip(scale * jnp.ones(3), 1.0))
"""
_DIFFUSE = """\
{functools}import jax
import jax.numpy as jnp


@{decorator}
def diffuse(heat, steps):
{loop}
    return heat


for steps in range(1, 6):
    print(diffuse(jnp.arange(4.0), steps).round(4))
"""
_LAPLACE = "heat = heat + 0.1 * (jnp.roll(heat, 1) - 2 * heat + jnp.roll(heat, -1))"

RECIPE = Recipe(
    name=NAME,
    title="Use structured control flow for traced values",
    what="Rewrites `if` as `jax.lax.cond`, `while` as `jax.lax.while_loop` and `for … in range(n)` as "
    "`jax.lax.fori_loop` where the condition or `n` depends on an argument.",
    why="During tracing an argument has no concrete value, so an `if`, `while` or `range` that needs one fails. "
    "A static argument has a value, but costs one trace per value.",
    beware="Both branches are traced and must return the same shapes and dtypes. A loop of unknown length does "
    "not support reverse-mode gradients.",
    propose=propose,
    treats_arguments=True,
    repairs_failures=True,
    examples=(
        Example(
            title="An `if` over a norm",
            function="clip",
            traces_before=0,
            traces_after=1,
            program=_CLIP.format(choice="    if norm > most:\n        gradient = gradient * (most / norm)"),
            repaired=_CLIP.format(
                choice="    gradient = jax.lax.cond(norm > most, lambda: gradient * (most / norm), lambda: gradient)"
            ),
        ),
        Example(
            title="A number of steps chosen by the caller",
            function="diffuse",
            traces_before=5,
            traces_after=1,
            program=_DIFFUSE.format(
                functools="import functools\n\n",
                decorator='functools.partial(jax.jit, static_argnames="steps")',
                loop=f"    for _ in range(steps):\n        {_LAPLACE}",
            ),
            repaired=_DIFFUSE.format(
                functools="import functools\n\n",
                decorator="jax.jit",
                loop=f"    def body(_, heat):\n        {_LAPLACE}\n        return heat\n\n"
                "    heat = jax.lax.fori_loop(0, steps, body, heat)",
            ),
        ),
    ),
)
