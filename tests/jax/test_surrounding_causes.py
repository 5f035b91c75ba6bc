"""Settings, transformations, loops and libraries around a jitted function, in real JAX: what of it is a cause."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.jax.calls import ones
from tests.jax.jitted import causes, line_of, named, only
from traceonce.diagnosis import diagnose
from traceonce.facts import Verdict
from traceonce.frameworks.jax.probes import version_of


@pytest.mark.parametrize(
    ("setting", "value", "was", "now"),
    [
        ("jax_default_matmul_precision", "float32", "none", "float32"),
        ("jax_numpy_rank_promotion", "warn", "allow", "warn"),
    ],
)
def test_a_setting_by_name(jax: Any, setting: str, value: str, was: str, now: str) -> None:
    step = jax.jit(lambda x: x * 2)
    manager = getattr(jax, setting.removeprefix("jax_"))
    with traceonce.watch() as seen:
        step(ones(3))
        with manager(value):
            step(ones(3))
        step(ones(3))
    assert causes(only(seen)) == [("context", setting.removeprefix("jax_"), was, now, 1)]


def test_double_precision_is_a_setting_and_a_dtype(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch() as seen:
        step(ones(3, dtype=np.float64))
        with _double_precision(jax):
            step(ones(3, dtype=np.float64))
    assert causes(only(seen)) == [
        ("context", "enable_x64", "False", "True", 1),
        ("dtype", "x.dtype", "float32", "float64", 1),
    ]


def _double_precision(jax: Any) -> Any:
    from jax import experimental

    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else experimental.enable_x64(True)


def test_transformations_of_a_jitted_function_are_no_retrace(jax: Any) -> None:
    loss = jax.jit(lambda x: (x * 3).sum())
    with traceonce.watch() as seen:
        for _ in range(3):
            jax.grad(loss)(ones(3))
        jax.value_and_grad(loss)(ones(3))
        jax.vmap(loss)(ones(2, 3))
        loss(ones(3))
    assert (only(seen).traces, only(seen).retraces) == (1, 0)
    (event,) = seen.events
    assert event.first_run_seconds
    with traceonce.watch() as seen:
        jax.grad(loss)(ones(7))
    assert causes(only(seen)) == [("shape", "x.shape[0]", "3", "7", 1)]


def test_what_is_around_a_function_is_in_its_name(jax: Any) -> None:
    def loss(w: Any) -> Any:
        return (w * w).sum()

    with traceonce.watch() as seen:
        jax.jit(loss)(ones(3))
        jax.jit(jax.grad(loss))(ones(3))
        jax.jit(jax.value_and_grad(loss))(ones(3))
        jax.jit(jax.vmap(loss))(ones(2, 3))
    names = {d.function.name.rpartition(".")[2]: d.traces for d in diagnose(seen.recording)}
    assert names == {"loss": 1, "loss [grad]": 1, "loss [value_and_grad]": 1, "loss [vmap]": 1}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not say what a code is part of")
def test_jacobians_have_their_names(jax: Any) -> None:
    def loss(w: Any) -> Any:
        return (w * w).sum()

    with traceonce.watch() as seen:
        for transform in (jax.jacfwd, jax.jacrev, jax.hessian):
            jax.jit(transform(loss))(ones(3))
    names = [event.function.name.rpartition(".")[2] for event in seen.events]
    assert names == ["loss [jacfwd]", "loss [jacrev]", "loss [jacfwd, jacrev]"]


def test_eager_loops_with_a_fresh_body(jax: Any) -> None:
    """They compile their body, too, and a body that is new each time is compiled each time."""
    from jax import lax

    with traceonce.watch() as seen:
        for k in (2.0, 3.0, 4.0):
            lax.scan(lambda c, y: (c + y * k, y), 0.0, ones(3))  # noqa: B023  # that is the point
            lax.fori_loop(0, 3, lambda i, c: c + i, 0)
            lax.while_loop(lambda c: c < 3, lambda c: c + 1, 0)
            lax.cond(True, lambda c: c + 1, lambda c: c - 1, ones(3))
            lax.map(lambda y: y + 1, ones(3))
    found = {d.function.name.rpartition(".")[2]: d for d in diagnose(seen.recording)}
    names = ["scan", "fori_loop", "while_loop", "cond", "map"]
    assert sorted(found) == sorted(f"<lambda> [{name}]" for name in names)
    for diagnosis in found.values():
        assert (diagnosis.traces, diagnosis.retraces, diagnosis.verdict) == (3, 2, Verdict.RETRACING)
        assert [cause.code.value for cause in diagnosis.causes] == ["new_function"]
    assert found["<lambda> [scan]"].causes[0].note == "k"


def test_an_eager_loop_with_the_same_body(jax: Any) -> None:
    from jax import lax

    def body(carry: Any, y: Any) -> Any:
        return carry + y, y

    with traceonce.watch() as seen:
        for length in (3, 3, 4, 3):
            lax.scan(body, 0.0, ones(length))
    assert causes(only(seen)) == [("shape", "xs.shape[0]", "3", "4", 1)]


def test_what_jax_jits_for_itself_is_not_told(jax: Any) -> None:
    jnp = jax.numpy
    with traceonce.watch() as seen:
        for n in range(11, 14):
            x = jnp.where(ones(n) > 0, ones(n), 0)
            jax.random.normal(jax.random.key(n), (n,))
            jax.random.permutation(jax.random.key(n), n)
            jax.nn.softmax(jax.nn.relu(jnp.sort(jnp.cumsum(x))))
            jnp.linalg.norm(x)
    assert seen.events == ()


def test_a_librarys_function_is_told_with_both_lines(jax: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "jaxlibrary"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import jax\n\ndef apply(x):\n    return jax.jit(lambda v: v * 2)(x)\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    import jaxlibrary

    with traceonce.watch() as seen:
        for _ in range(3):
            jaxlibrary.apply(ones(3))  # my last line
    diagnosis = only(seen)
    assert diagnosis.function.library
    (site,) = diagnosis.call_sites
    assert (Path(site.file).name, site.line) == (Path(__file__).name, line_of("my last line"))
    assert (site.via or "").endswith("jaxlibrary/__init__.py:4")


def test_nested_functions_have_parents_and_times_of_their_own(jax: Any) -> None:
    inner = jax.jit(lambda x: x * 2)

    @jax.jit
    def outer(x: Any) -> Any:
        return inner(x) + inner(x[:2]).sum()

    with traceonce.watch() as seen:
        outer(ones(3))
        outer(ones(5))
    first, *rest = (event for event in seen.events if event.function.short_name == "outer")
    nested = [event for event in seen.events if event.function.short_name == "<lambda>"]
    assert [event.parent for event in nested] == [first.id, first.id, rest[0].id]
    assert first.exclusive_seconds < first.seconds
    assert [event.call for event in nested] == [None] * 3
    assert causes(named(seen, "outer")) == [("shape", "x.shape[0]", "3", "5", 1)]


def test_the_axis_names_around_a_call(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch() as seen:
        step(ones(3))
        jax.vmap(step)(ones(2, 3))
        jax.vmap(step, axis_name="batch")(ones(2, 3))
    assert causes(only(seen)) == [("context", "axis names", "none", "(('batch', 2),)", 1)]


def test_a_wrapper_that_filters_tracebacks_is_no_transformation(jax: Any) -> None:
    def apply(x: Any) -> Any:
        return x * 2

    from jax._src import traceback_util  # libraries use it, too

    with traceonce.watch() as seen:
        jax.jit(traceback_util.api_boundary(apply))(ones(3))
    assert only(seen).function.name.endswith("<locals>.apply")


def test_a_function_under_pmap_and_shard_map_has_its_own_name(jax: Any) -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    spec = jax.sharding.PartitionSpec("d")

    def body(x: Any) -> Any:
        return x * 2

    with traceonce.watch() as seen:
        for width in (3, 4):
            jax.pmap(body)(ones(1, width))
        jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec))(ones(1))
    found = {d.function.name.rpartition(".")[2]: causes(d) for d in diagnose(seen.recording)}
    assert found.pop("body [shard_map]") == []
    if version_of(jax) >= (0, 9):  # before, pmap does not go through jit
        assert found == {"body [pmap]": [("shape", "flat_args[0].shape[1]", "3", "4", 1)]}
