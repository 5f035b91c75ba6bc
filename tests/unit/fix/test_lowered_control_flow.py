"""Python control flow as that of `jax.lax`: what goes in, what comes out, and what is left to its author."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.recipes.lowered_control_flow import lower

FILE = "program.py"
HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"


def lowered(body: str, *, unknown: tuple[str, ...] = ("x", "n")) -> str:
    """The body of ``def f(x, n, flag)``, lowered."""
    source = f"{HEAD}def f(x, n, flag):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    edits = Edits({FILE: source.encode()})
    module = edits.module(FILE)
    (definition,) = (node for node in module.nodes(cst.FunctionDef) if node.name.value == "f")
    if not lower(edits, module, definition, unknown):
        return "nothing"
    after = edits.results()[FILE].decode().removeprefix(HEAD)
    return textwrap.dedent(after.partition(":\n")[2])


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_a_chain_of_branches_gives_one_name_another_value() -> None:
    assert lowered("""
        if x > 1:
            x = x - 1
        elif x < 0:
            x = -x
        return x
    """) == text("""
        def if_true(x):
            x = x - 1
            return x

        def if_false(x):
            x = jax.lax.cond(x < 0, lambda: -x, lambda: x)
            return x

        x = jax.lax.cond(x > 1, if_true, if_false, x)
        return x
    """)


def test_a_branch_that_returns_takes_the_rest_along() -> None:
    assert lowered("""
        y = x * 2
        if y > n and not y == 3:
            return y
        z = y + 1
        return z * z
    """) == text("""
        y = x * 2

        def if_true():
            return y

        def if_false():
            z = y + 1
            return z * z

        return jax.lax.cond(jnp.logical_and(y > n, jnp.logical_not(y == 3)), if_true, if_false)
    """)


def test_a_loop_carries_what_it_changes_and_nothing_else() -> None:
    assert lowered("""
        total, step = 0.0, 0.5
        for i in range(1, n):
            part = step * i
            total += part
            x = x * part
        return total, x
    """) == text("""
        total, step = 0.0, 0.5

        def body(i, carry):
            total, x = carry
            part = step * i
            total += part
            x = x * part
            return total, x

        total, x = jax.lax.fori_loop(1, n, body, (total, x))
        return total, x
    """)


@pytest.mark.parametrize(
    "body",
    [
        "if x is None:\n    return n\nreturn x",
        "if x.ndim > 1 or len(x) > 3:\n    x = x.sum()\nreturn x",
        "for i in range(x.shape[0]):\n    n = n + i\nreturn n",
        "return x if flag else n",
        "if isinstance(x, int):\n    return n\nreturn x",
    ],
)
def test_what_is_known_while_tracing_stays_python(body: str) -> None:
    assert lowered(body) == "nothing"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("for i in range(n):\n    if x > i:\n        break\nreturn x", id="a break"),
        pytest.param("for i in range(n):\n    flag.append(x)\nreturn x", id="a call for its effect"),
        pytest.param("if x > 0:\n    flag.best = x\nreturn x", id="an attribute"),
        pytest.param("if x > 0:\n    y = 1\nreturn y", id="a name with a value in one branch only"),
        pytest.param("if x > 0:\n    raise ValueError\nreturn x", id="an error"),
        pytest.param("for i in range(n):\n    x = x + i\nreturn i", id="the counter is read later"),
        pytest.param("while x > 0 and flag:\n    x = x - 1\nreturn x", id="a test that is half known"),
        pytest.param("if x > 0:\n    return x\nn = n + 1", id="a path without a value"),
    ],
)
def test_what_does_more_is_left_to_its_author(body: str) -> None:
    with pytest.raises(Declined):
        lowered(body)
