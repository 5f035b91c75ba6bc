"""A replay of a JAX program: what stands in for a jitted function behaves like it, and everything is seen."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.backend import RunningReplay
from traceonce.frameworks.jax import Jax


@contextlib.contextmanager
def replay(
    enough: Callable[[], None] = lambda: None,
    *,
    calls: int | None = None,
    eager: bool = False,
    probe: tuple[str, ...] = (),
) -> Iterator[RunningReplay]:
    replaying = Jax().replay(ReplaySettings(calls=calls, eager=eager, probe=probe), enough)
    try:
        yield replaying
        assert replaying.result().problems == ()
    finally:
        replaying.stop()


def square(x: Any) -> Any:
    return (x**2).sum()


class Model:
    """A method that is jitted, as people write it."""

    def __init__(self, jax: Any) -> None:
        self.scale = 2.0
        Model.apply = jax.jit(_apply, static_argnums=0)  # type: ignore[attr-defined]

    __hash__ = object.__hash__


def _apply(self: Any, x: Any) -> Any:
    return x * self.scale


USES: dict[str, Callable[[Any, Any], Any]] = {
    "called": lambda jax, jit: jit(square)(jax.numpy.arange(3.0)),
    "in another": lambda jax, jit: jit(lambda x: jit(square)(x) + 1)(jax.numpy.arange(3.0)),
    "grad of it": lambda jax, jit: jax.grad(jit(square))(jax.numpy.arange(3.0)),
    "it of grad": lambda jax, jit: jit(jax.grad(square))(jax.numpy.arange(3.0)),
    "value_and_grad": lambda jax, jit: jax.value_and_grad(jit(square))(jax.numpy.arange(3.0)),
    "vmap of it": lambda jax, jit: jax.vmap(jit(square))(jax.numpy.ones((2, 3))),
    "jacfwd of it": lambda jax, jit: jax.jacfwd(jit(square))(jax.numpy.arange(3.0)),
    "scan over it": lambda jax, jit: jax.lax.scan(lambda c, x: (jit(square)(x) + c, c), 0.0, jax.numpy.ones((2, 3))),
    "lowered": lambda jax, jit: jit(square).lower(jax.numpy.ones(3)).compile()(jax.numpy.ones(3)),
    "traced": lambda jax, jit: str(jit(square).trace(jax.numpy.ones(3)).jaxpr),
    "eval_shape": lambda jax, jit: str(jax.eval_shape(jit(square), jax.numpy.ones(3))),
    "its name": lambda jax, jit: (jit(square).__name__, jit(square).__wrapped__ is square),
    "its signature": lambda jax, jit: str(inspect.signature(jit(square))),
    "a method": lambda jax, jit: Model(jax).apply(jax.numpy.ones(2)),  # type: ignore[attr-defined]
    "in a partial": lambda jax, jit: functools.partial(jit(square), jax.numpy.ones(3))(),
    "a leaf of a tree": lambda jax, jit: len(jax.tree_util.tree_leaves({"f": jit(square)})),
    "static": lambda jax, jit: jit(lambda f, x: f(x), static_argnums=0)(jit(square), jax.numpy.ones(3)),
    "one of jitted ones": lambda jax, jit: isinstance(jit(square), jax.stages.Wrapped),
    "weakly held": lambda jax, jit: jit(jit(square))(jax.numpy.ones(3)),
}


NOT_EAGERLY = ("lowered", "traced")  # there is nothing to lower where nothing is traced


@pytest.mark.parametrize(
    ("use", "eager"), [*((use, False) for use in USES), *((use, True) for use in USES if use not in NOT_EAGERLY)]
)
def test_a_program_runs_as_it_does_without(jax: Any, use: str, eager: bool) -> None:
    expected = USES[use](jax, jax.jit)
    with replay(eager=eager):
        seen = USES[use](jax, jax.jit)
    for one, other in zip(jax.tree_util.tree_leaves(expected), jax.tree_util.tree_leaves(seen), strict=True):
        if isinstance(one, (str, bool, int)):
            assert one == other
        else:
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_function_that_was_made_in_a_replay_lives_on(jax: Any) -> None:
    with replay():
        jitted = jax.jit(square)
    assert float(jitted(jax.numpy.ones(3))) == 3.0


def test_calls_are_kept_with_places_kinds_and_traces(jax: Any) -> None:
    with replay() as replaying:
        jitted = jax.jit(lambda x, k: x * k)
        for k in (2, jax.numpy.float32(3.0), np.float32(4.0), 2):
            jitted(jax.numpy.ones(2), k)
        result = replaying.result()
    assert [np.frombuffer(r.values[0].data or b"", "float32").tolist() for r in result.returned] == [
        [2.0, 2.0],
        [3.0, 3.0],
        [4.0, 4.0],
        [2.0, 2.0],
    ]
    assert [returned.traces > 0 for returned in result.returned] == [True, True, False, False]
    (making,) = result.makings
    (site,) = result.sites
    assert making.file == site.file
    assert making.file.endswith(Path(__file__).name)
    assert (making.count, site.count, site.direct) == (1, 4, True)
    assert site.arguments == {"x": ("tensor float32",), "k": ("int", "tensor float32")}


def test_a_weak_array_is_told_from_another(jax: Any) -> None:
    with replay() as replaying:
        jax.jit(square)(jax.numpy.asarray(2.0))
        jax.jit(square)(jax.numpy.float32(2.0))
        kinds = [site.arguments["x"] for site in replaying.result().sites]
    assert kinds == [("weak tensor float32",), ("tensor float32",)]


def test_an_error_is_kept_by_its_type_and_comes_through(jax: Any) -> None:
    with replay() as replaying:
        with pytest.raises(TypeError):
            jax.jit(lambda x: x + "a")(1.0)
        assert [returned.error for returned in replaying.result().returned] == ["TypeError"]


def test_what_is_printed_while_tracing_is_known(jax: Any) -> None:
    seen = []
    with replay() as replaying:

        def look(x: Any) -> Any:
            seen.append(replaying.is_tracing())
            return x.sum()

        jax.jit(jax.vmap(look))(jax.numpy.ones((2, 2)))
        jax.vmap(look)(jax.numpy.ones((2, 2)))
        jax.grad(look)(jax.numpy.ones(2))
        look(jax.numpy.ones(2))
        assert replaying.is_tracing() is False
    assert seen == [True, False, False, False]


def test_enough_calls_end_it(jax: Any) -> None:
    class EnoughError(Exception):
        pass

    def enough() -> None:
        raise EnoughError

    with replay(enough, calls=2) as replaying:
        jitted = jax.jit(square)
        jitted(jax.numpy.ones(2))
        with pytest.raises(EnoughError):
            jitted(jax.numpy.ones(2))
        assert len(replaying.result().returned) == 2


def test_calls_beyond_the_run_change_numbers_and_sizes(jax: Any) -> None:
    def scaled(x: Any, k: Any) -> Any:
        return x * k

    with replay(probe=(_stable(scaled),)) as replaying:
        jax.jit(scaled, donate_argnums=0)(jax.numpy.ones(2), 5)
        probes = list(replaying.probe())
    assert [probed.change for probed in probes] == [
        *(f"k = {number}" for number in (0, 1, -1, 6, -5, 53)),
        "x.shape[0]: 2 → 3",
    ]
    assert all(probed.returned.error is None for probed in probes)
    assert probes[-1].returned.values[0].shape == (3,)


def _stable(function: Any) -> str:
    import jax

    from traceonce.facts.replay import stable_name
    from traceonce.frameworks.jax.functions import describe_function
    from traceonce.frameworks.jax.own_files import JaxPlaces

    return stable_name(describe_function(function, JaxPlaces(jax)).id)


def test_keys_bfloat16_and_classes_of_the_program_are_read(jax: Any) -> None:
    numpy = jax.numpy

    @jax.tree_util.register_pytree_node_class
    class Pair:
        def __init__(self, one: Any, other: Any) -> None:
            self.parts = one, other

        def tree_flatten(self) -> Any:
            return self.parts, None

        @classmethod
        def tree_unflatten(cls, _: Any, parts: Any) -> Any:
            return cls(*parts)

    with replay() as replaying:
        jax.jit(lambda key: {"key": jax.random.split(key)[0], "none": None})(jax.random.key(0))
        jax.jit(lambda x: Pair(x, x.astype(numpy.bfloat16)))(numpy.ones(2))
        first, second = replaying.result().returned
    assert [(value.kind, value.dtype) for value in first.values] == [("array", "uint32"), ("python", "")]
    assert first.structure == "dict{'key': *, 'none': *, }"
    assert [value.dtype for value in second.values] == ["float32", "bfloat16"]
    assert second.structure == "Pair[2]"


def test_random_numbers_of_python_and_numpy_start_alike(jax: Any) -> None:
    drawn = []
    for _ in range(2):
        with replay():
            drawn.append((np.random.rand(), np.random.default_rng().random()))
    assert drawn[0] == drawn[1]
