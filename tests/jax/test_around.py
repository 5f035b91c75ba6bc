"""What JAX offers around jitting: traces that are only looked at, and jitted functions under `grad` and `vmap`."""

from __future__ import annotations

import gc
import sysconfig
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.jax.jitted import causes, only
from traceonce.diagnosis import diagnose
from traceonce.facts import Verdict
from traceonce.limits.program_limits import limits


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def test_what_is_only_looked_at_is_no_trace_of_jit(jax: Any) -> None:
    jitted = jax.jit(lambda x: x - 1)
    with traceonce.watch() as seen:
        for width in range(1, 5):
            jax.eval_shape(lambda x: x * 2, ones(width))
            jax.make_jaxpr(lambda x: x * 2)(ones(width))
            jitted.eval_shape(ones(width))
            jax.eval_shape(jitted, ones(width))
        with pytest.raises(jax.errors.TracerBoolConversionError):
            jax.eval_shape(lambda x: 1 if x > 0 else 2, 1.0)
    assert seen.events == ()
    assert [notice.text for notice in seen.recording.notices if notice.error] == []


def test_what_was_looked_at_and_is_called_later_is_told_then(jax: Any) -> None:
    def init(x: Any) -> Any:
        return x * 3

    with traceonce.watch() as seen:
        jax.eval_shape(init, ones(3))
        step = jax.jit(init)
        jax.eval_shape(step, ones(4))
        for _ in range(3):
            step(ones(3))
        step(ones(4))
    first, second = seen.events
    assert (first.phase, first.call, second.phase, second.call) == ("first", 1, "retrace", 4)
    assert first.first_run_seconds > 0
    assert only(seen).calls == 4
    assert causes(only(seen)) == [("shape", "x.shape[0]", "3", "4", 1)]


@pytest.mark.parametrize("options", [{}, {"keep_unused": True}])
def test_what_was_looked_at_and_is_compiled_ahead_of_time_is_told(jax: Any, options: dict[str, Any]) -> None:
    def init(x: Any) -> Any:
        return x * 3

    with traceonce.watch() as seen:
        jax.eval_shape(init, ones(3))
        jax.jit(init, **options).lower(ones(3)).compile()
    (event,) = seen.events
    assert event.call is None
    assert event.first_run_seconds > 0


def test_a_limit_holds_for_what_was_looked_at_first(jax: Any) -> None:
    """JAX has the trace by then, and would serve it."""

    @traceonce.max_traces(1)
    @jax.jit
    def step(x: Any) -> Any:
        return x * 3

    for width in (2, 3):
        jax.eval_shape(step, ones(width))
    step(ones(2))
    for _ in range(3):
        with pytest.raises(traceonce.TracingLimitReached) as caught:
            step(ones(3))
    assert caught.value.breach.traces == 1
    frame = caught.value.__traceback__
    while frame is not None:
        assert "traceonce" not in frame.tb_frame.f_globals["__name__"]
        frame = frame.tb_next
    assert step(ones(2)).tolist() == [3, 3]
    limits.clear()
    with traceonce.watch() as seen:
        assert step(ones(3)).tolist() == [3, 3, 3]
        step.lower(ones(3))
    assert [notice.text for notice in seen.recording.notices if notice.error] == []


def test_what_was_looked_at_is_jitted_and_refused(jax: Any) -> None:
    def init(x: Any) -> Any:
        return x * 3

    with traceonce.watch() as seen:
        with traceonce.limit(0):
            for width in (2, 3):
                jax.eval_shape(init, ones(width))
            step = jax.jit(init)
            step(ones(2))
            for _ in range(2):
                with pytest.raises(traceonce.TracingLimitReached):
                    step(ones(3))
        assert step(ones(3)).tolist() == [3, 3, 3]
    assert [event.phase for event in seen.events] == ["first", "retrace"]


def test_what_was_looked_at_and_lowered_beyond_a_limit_is_told(jax: Any) -> None:
    """It is lowered already: nothing can be refused."""
    step = jax.jit(lambda x: x * 3)
    with traceonce.watch() as seen, traceonce.limit(0):
        step(ones(2))
        step.eval_shape(ones(3))
        step.lower(ones(3)).compile()
    assert [event.phase for event in seen.events] == ["first", "retrace"]


def test_to_look_inside_of_a_trace_is_part_of_it(jax: Any) -> None:
    inner = jax.jit(lambda x: x + 1)

    @jax.jit
    def step(x: Any) -> Any:
        shape = jax.eval_shape(lambda v: inner(v).sum(axis=0), x).shape
        return jax.numpy.zeros(shape) + x

    with traceonce.watch() as seen:
        step(ones(3, 2))
    outer, nested = sorted(seen.events, key=lambda event: event.id)
    assert (outer.function.short_name, nested.parent) == ("step", outer.id)
    assert outer.exclusive_seconds < outer.seconds


def test_what_was_looked_at_is_not_kept(jax: Any) -> None:
    with traceonce.watch() as seen:
        for _ in range(20):
            jax.eval_shape(lambda x: x * 2, ones(3))
        gc.collect()
        watching: Any = seen._hub._watching["jax"]
        assert watching._abstract._untold == {}


def test_calls_under_grad_and_vmap_are_counted(jax: Any) -> None:
    loss = jax.jit(lambda w: (w**2).sum())
    with traceonce.watch() as seen:
        for _ in range(15):
            jax.grad(loss)(ones(3))
        jax.vmap(jax.grad(loss))(ones(2, 3))
    assert (only(seen).traces, only(seen).calls, only(seen).calls_at_least) == (1, 16, False)
    growing = jax.jit(lambda w: (w**3).sum())
    with traceonce.watch() as seen:
        for width in range(1, 7):
            jax.value_and_grad(growing)(ones(width))
    assert (only(seen).verdict, only(seen).calls, only(seen).notes) == (Verdict.RETRACING, 6, ())
    assert [event.call for event in seen.events] == [1, 2, 3, 4, 5, 6]


def test_a_call_inside_of_another_trace_is_not_counted(jax: Any) -> None:
    inner = jax.jit(lambda w: (w**2).sum())
    outer = jax.jit(lambda w: jax.grad(inner)(w))
    with traceonce.watch() as seen:
        for _ in range(3):
            outer(ones(3))
        jax.lax.scan(lambda c, w: (c + inner(w), None), 0.0, ones(2, 3))
    found = {(d.traces, d.calls) for d in diagnose(seen.recording)}
    assert found == {(1, 3), (1, 1), (1, None)}


def test_an_error_under_grad_shows_no_frame_of_ours(jax: Any) -> None:
    @jax.jit
    def loss(w: Any) -> Any:
        return jax.numpy.dot(w, ones(7))

    with traceonce.watch(), pytest.raises(TypeError) as caught:
        jax.grad(loss)(ones(3))
    assert not [entry for entry in caught.traceback if "traceonce/frameworks" in str(entry.path)]


FILTER_JIT = """
import jax


def fun_wrapped(dynamic_donate, dynamic_nodonate, static):
    (fun, _), first, rest = static
    def put(dynamic, static):
        return jax.tree.unflatten(static[1], [a if b is None else b for a, b in zip(dynamic, static[0])])
    args, kwargs = put(dynamic_nodonate["rest"], rest)
    return fun[0](put(dynamic_nodonate["first"], first), *args[:-1], **kwargs)


jitted = jax.jit(fun_wrapped, static_argnums=2)


def split(tree):
    leaves, shape = jax.tree.flatten(tree)
    arrays = [leaf if hasattr(leaf, "dtype") else None for leaf in leaves]
    return tuple(arrays), (tuple(None if hasattr(leaf, "dtype") else leaf for leaf in leaves), shape)


def filter_jit(function):
    def call(first, *rest, **kwargs):
        parts = split(function), split(first), split(((*rest, None), kwargs))
        return jitted({}, dict(zip(("fun", "first", "rest"), (part[0] for part in parts))), tuple(p[1] for p in parts))
    return call
"""


def test_a_function_under_filter_jit_is_told_with_its_own_arguments(jax: Any) -> None:
    """As Equinox does it: what is no array is static, and everything is taken apart."""
    library: dict[str, Any] = {}
    exec(compile(FILTER_JIT, f"{sysconfig.get_path('purelib')}/equinox/_jit.py", "exec"), library)

    @library["filter_jit"]
    def step(model: Any, x: Any, rate: Any) -> Any:
        return (model["w"] * x).sum() * rate

    with traceonce.watch() as seen:
        for width, rate in ((3, 0.5), (3, 0.5), (4, 0.5), (4, 0.25)):
            step({"w": ones(), "name": "a"}, ones(width), rate)
    diagnosis = only(seen)
    assert (diagnosis.function.short_name, diagnosis.function.library, diagnosis.calls) == ("step", False, 4)
    assert causes(diagnosis) == [
        ("shape", "x.shape[0]", "3", "4", 1),
        ("static_argument", "rate", "0.5", "0.25", 1),
    ]
    with traceonce.watch() as seen:
        for _ in range(3):
            library["filter_jit"](lambda x: x * 2)(ones(3))
    assert [cause[0] for cause in causes(only(seen))] == ["new_function"]
