"""Static parameters of `jax.jit`: made static, and made arguments, however they are written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import msgspec
import pytest

from tests.unit.fix.written_case import FILE, case_for
from traceonce.facts import CallSite, Leaf
from traceonce.facts.diagnosis import SiteCount
from traceonce.facts.replay import Making, Span
from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.recipes import array_argument
from traceonce.frameworks.jax.recipes.static_options import make_dynamic, make_static

LEAVES = [[Leaf("x", "tensor", dtype="float32", shape=()), Leaf("n", "python"), Leaf("m", "python")]]
BODY = "def f(x, n, m):\n    return x\n"


def jax_case(source: str) -> Case:
    """A case whose function is made by the last decorator of ``f``, or by the one call around it."""
    seen = case_for(source, "f", leaves=LEAVES)
    nodes = list(ast.walk(ast.parse(source)))
    (definition,) = (node for node in nodes if isinstance(node, ast.FunctionDef))
    made = [*definition.decorator_list, *(n.value for n in nodes if isinstance(n, ast.Assign) and _is_call(n.value))]
    place = made[-1]
    assert place.end_lineno is not None
    assert place.end_col_offset is not None
    span = Span(place.lineno, place.col_offset, place.end_lineno, place.end_col_offset)
    making = Making(seen.diagnosis.function, FILE, place.lineno, "<module>", span)
    return seen._replace(diagnosis=msgspec.structs.replace(seen.diagnosis, backend="jax"), makings=(making,))


def _is_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and any(isinstance(part, ast.Name) and part.id == "f" for part in node.args)


def changed(change: Callable[[Edits, Case, Sequence[str]], None], source: str, *names: str) -> str:
    edits = Edits({FILE: source.encode()})
    change(edits, jax_case(source), names)
    return edits.results()[FILE].decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('@partial(jax.jit, static_argnames=("n",))', "@jax.jit"),
        ('@partial(jax.jit, static_argnames="n")', "@jax.jit"),
        ("@partial(jax.jit, static_argnums=1)", "@jax.jit"),
        ("@partial(jax.jit, static_argnums=(1, 2))", "@partial(jax.jit, static_argnums=(2,))"),
        ("@partial(jax.jit, static_argnums=(-2, -1))", "@partial(jax.jit, static_argnums=(-1,))"),
        ('@partial(jax.jit, static_argnames=["n", "m"])', '@partial(jax.jit, static_argnames=("m",))'),
        ('@partial(jax.jit, static_argnames="n", static_argnums=1)', "@jax.jit"),
        ('@partial(jax.jit, static_argnames="n", donate_argnums=0)', "@partial(jax.jit, donate_argnums=0)"),
        ('@jax.jit(static_argnames="n")', "@jax.jit"),
        ('@jit(static_argnames="n", inline=True)', "@jit(inline=True)"),
    ],
)
def test_a_static_parameter_becomes_an_argument(before: str, after: str) -> None:
    head = "from functools import partial\nimport jax\nfrom jax import jit\n\n\n"
    assert changed(make_dynamic, f"{head}{before}\n{BODY}", "n") == f"{head}{after}\n{BODY}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('g = jax.jit(f, static_argnames="n")', "g = jax.jit(f)"),
        ("g = partial(jax.jit, static_argnums=1)(f)", "g = jax.jit(f)"),
        ('g = jax.jit(f, static_argnames=("n", "m"))', 'g = jax.jit(f, static_argnames=("m",))'),
    ],
)
def test_so_it_does_where_the_function_is_given(before: str, after: str) -> None:
    head = f"from functools import partial\nimport jax\n\n\n{BODY}\n\n"
    assert changed(make_dynamic, f"{head}{before}\n", "n") == f"{head}{after}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@jax.jit", '@functools.partial(jax.jit, static_argnames=("n",))'),
        (
            "@functools.partial(jax.jit, inline=True)",
            '@functools.partial(jax.jit, inline=True, static_argnames=("n",))',
        ),
        (
            '@functools.partial(jax.jit, static_argnames="m")',
            '@functools.partial(jax.jit, static_argnames=("m", "n"))',
        ),
        ("@functools.partial(jax.jit, static_argnums=2)", "@functools.partial(jax.jit, static_argnums=(2, 1))"),
        (
            '@functools.partial(jax.jit, static_argnums=2, static_argnames="m")',
            '@functools.partial(jax.jit, static_argnums=(2, 1), static_argnames=("m", "n"))',
        ),
    ],
)
def test_a_parameter_becomes_static(before: str, after: str) -> None:
    head = "import functools\nimport jax\n\n\n"
    assert changed(make_static, f"{head}{before}\n{BODY}", "n") == f"{head}{after}\n{BODY}"


def test_what_is_computed_is_declined() -> None:
    source = f"import jax\n\nNAMES = ('n',)\n\n\n@jax.jit(static_argnames=NAMES)\n{BODY}"
    with pytest.raises(Declined, match="not written out"):
        changed(make_dynamic, source, "n")


def test_what_is_not_static_is_declined() -> None:
    with pytest.raises(Declined, match="no place was found that makes n static"):
        changed(make_dynamic, f"import jax\n\n\n@jax.jit\n{BODY}", "n")


FILTERED = """\
import equinox as eqx
import jax.numpy as jnp


@eqx.filter_jit
def step(x, rate):
    return x * rate


for number in range(6):
    step(jnp.ones(3), rate=number / 10)
"""


@pytest.mark.parametrize("known", [True, False], ids=["calls were seen", "only their lines"])
def test_what_is_static_for_being_a_number_is_given_as_an_array(known: bool) -> None:
    """`filter_jit` of Equinox has no static arguments that could be taken out: the call gives an array."""
    x = Leaf("x", "tensor", dtype="float32", shape=(3,))
    rates = [Leaf("rate", "python", value=str(n / 10), type_name="float", static=True) for n in range(6)]
    through = CallSite("program.py", 11, "/venv/lib/python3.11/site-packages/equinox/_jit.py:263")
    seen = case_for(FILTERED, "step", ("static_argument", "rate"), leaves=[(x, rate) for rate in rates])
    diagnosis = msgspec.structs.replace(seen.diagnosis, backend="jax", call_sites=(SiteCount.of(through, 6),))
    case = seen._replace(diagnosis=diagnosis, sites=seen.sites if known else ())
    (candidate,) = array_argument.RECIPE.propose(case)
    assert candidate.predicted_traces == 1
    edits = Edits({FILE: FILTERED.encode()})
    assert candidate.change is not None
    candidate.change(edits)
    assert edits.results()[FILE].decode() == FILTERED.replace("rate=number / 10", "rate=jnp.asarray(number / 10)")
