"""What a function closes over becomes its parameters: where it goes, what goes with it, who passes what."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.captures import pass_captured
from traceonce.fix.source.compile_sites import Creation
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.framework_names import source_of

FILE = "program.py"
TRANSPARENT, MAPPING = frozenset({"jax.grad"}), frozenset({"jax.vmap"})


def passed(source: str, *, nearest: bool = False, movable: tuple[str, ...] = ()) -> str:
    """The program with what its one jitted function closes over passed to it, without the imports."""
    source = "import jax\n\n" + textwrap.dedent(source).lstrip()
    edits = Edits({FILE: source.encode()})
    module = edits.module(FILE)
    pass_captured(edits, creation_in(edits), TRANSPARENT, MAPPING, nearest=nearest, movable=movable)
    assert module.code(module.tree) == source
    return edits.results()[FILE].decode().partition("import jax\n")[2].strip() + "\n"


def creation_in(edits: Edits) -> Creation:
    module, source = edits.module(FILE), source_of("jax")
    for definition in module.nodes(cst.FunctionDef):
        for decorator in definition.decorators:
            call = decorator.decorator if isinstance(decorator.decorator, cst.Call) else None
            return Creation(module, decorator, definition, call, source)
    (call,) = (node for node in module.nodes(cst.Call) if module.code(node.func) == "jax.jit")
    return Creation(module, call, None, call, source)


def test_a_helper_that_reads_what_is_passed_becomes_a_part_of_the_function() -> None:
    assert passed("""
        def fall(mass):
            def slope(x):
                return x / mass

            @jax.jit
            def step(x, dt):
                return x + dt * slope(x)

            return step(1.0, 0.1)
    """) == textwrap.dedent("""\
        @jax.jit
        def step(x, dt, *, mass):
            def slope(x):
                return x / mass

            return x + dt * slope(x)


        def fall(mass):
            return step(1.0, 0.1, mass=mass)
    """)


def test_a_name_that_means_another_thing_further_out_is_made_by_a_function() -> None:
    assert passed("""
        def build(width):
            @jax.jit
            def apply(x):
                return x * width

            return apply


        apply = build(3)
    """) == textwrap.dedent("""\
        def make_apply():
            @jax.jit
            def apply(x, *, width):
                return x * width

            return apply


        traced_apply = make_apply()


        def build(width):
            return functools.partial(traced_apply, width=width)


        apply = build(3)
    """)


def test_what_is_mapped_gets_it_by_position() -> None:
    assert passed("""
        def nearest(points, centre):
            return jax.jit(jax.vmap(lambda p: abs(p - centre)))(points)
    """) == textwrap.dedent("""\
        traced_lambda = jax.jit(jax.vmap(lambda p, centre: abs(p - centre), in_axes=(0, None)))


        def nearest(points, centre):
            return traced_lambda(points, centre)
    """)


def test_attributes_of_the_object_are_passed_by_their_names() -> None:
    assert passed("""
        class Scale:
            def apply(self, x):
                return jax.jit(lambda x: x * self.factor + self.offset)(x)
    """) == textwrap.dedent("""\
        traced_lambda = jax.jit(lambda x, *, factor, offset: x * factor + offset)


        class Scale:
            def apply(self, x):
                return traced_lambda(x, factor=self.factor, offset=self.offset)
    """)


def test_what_a_partial_binds_is_passed_and_a_gradient_hands_it_on() -> None:
    assert passed("""
        import functools


        def loss(w, x):
            return w * x


        def fit(x):
            slope = jax.jit(jax.grad(functools.partial(loss, x=x)))
            return slope(1.0)
    """) == textwrap.dedent("""\
        import functools


        def loss(w, x):
            return w * x


        traced_loss = jax.jit(jax.grad(loss))


        def fit(x):
            slope = functools.partial(traced_loss, x=x)
            return slope(1.0)
    """)


def test_it_goes_no_further_than_it_must_and_what_makes_an_object_moves_along() -> None:
    source = """
        def train(data):
            maker = Maker(3)
            for rate in data:
                @jax.jit
                def step(x):
                    return maker(x) * rate

                step(1.0)
    """
    near = passed(source, nearest=True)
    assert "    maker = Maker(3)\n\n    @jax.jit\n    def step(x, *, rate):" in near
    far = passed(source, movable=("maker",))
    assert far.startswith("maker = Maker(3)\n\n\n@jax.jit\ndef step(x, *, rate):")
    assert "step(1.0, rate=rate)" in far


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(k):\n    return jax.jit(jax.vmap(lambda x, y=1: x + k))", id="a mapped default"),
        pytest.param(
            "def f(k):\n    @jax.jit\n    def g(x):\n        return g(x - 1) if k else x\n    return g",
            id="it calls itself",
        ),
        pytest.param(
            "def f(k):\n    def h(x):\n        return x + k\n    @jax.jit\n    def g(x):\n        return h(x)\n"
            "    return g, h",
            id="a helper that is used elsewhere",
        ),
        pytest.param(
            "class A:\n    def f(self):\n        return jax.jit(lambda x: self.g(x))", id="a method of the object"
        ),
        pytest.param("def f(k):\n    return jax.jit(jax.pmap(lambda x: x + k))", id="an unknown transformation"),
        pytest.param(
            "def f(k):\n    @jax.jit\n    def g(x, n=k):\n        return x\n    return g", id="a default of its own"
        ),
    ],
)
def test_what_cannot_be_passed_is_declined(source: str) -> None:
    with pytest.raises(Declined):
        passed(source)
