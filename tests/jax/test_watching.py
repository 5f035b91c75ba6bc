"""Watching JAX: what an event holds, how calls are counted, and that the program does not notice."""

from __future__ import annotations

import functools
import gc
import inspect
import os
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.jax.jitted import causes, named, only
from traceonce.diagnosis import diagnose
from traceonce.errors import TracingLimitReached
from traceonce.facts import Calls, Notice, TraceEvent, Verdict
from traceonce.frameworks.jax import Jax, executions
from traceonce.frameworks.jax.executions import COUNTED
from traceonce.frameworks.jax.stale_values import StaleChecks


def ones(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


def test_the_first_calls_of_each_executable_are_counted(jax: Any) -> None:
    step = jax.jit(lambda x: x + 1)
    with traceonce.watch() as seen:
        for _ in range(COUNTED - 2):
            step(ones(3))
        before = only(seen)
        for _ in range(10):
            step(ones(3))
    assert (before.calls, before.calls_at_least) == (COUNTED - 2, False)
    assert (only(seen).calls, only(seen).calls_at_least) == (COUNTED, True)


def test_then_a_hit_is_jax_own(jax: Any) -> None:
    """The entry is in the C++ cache again, and no Python of JAX's is run for a call."""
    step = jax.jit(lambda x: x + 1)
    with traceonce.watch():
        for _ in range(COUNTED - 1):
            step(ones(3))
        counted = step._cache_size()
        step(ones(3))
        assert (counted, step._cache_size()) == (0, 1)
        assert step(ones(3)).tolist() == [2, 2, 2]
    fresh = jax.jit(lambda x: x + 2)
    fresh(ones(3))
    assert fresh._cache_size() == 1  # and at once where nobody watches


def test_a_few_traces_that_serve_many_calls_are_bounded(jax: Any) -> None:
    step = jax.jit(lambda x: x + 1)
    with traceonce.watch() as seen:
        for width in (1, 2, 3):
            for _ in range(15):
                step(ones(width))
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.calls, diagnosis.verdict) == (3, 3 * COUNTED, Verdict.BOUNDED)
    growing = jax.jit(lambda x: x + 1)
    with traceonce.watch() as seen:
        for width in range(1, 9):
            growing(ones(width))
    assert (only(seen).verdict, only(seen).growth) == (Verdict.RETRACING, "growing")


def test_what_cannot_take_the_fast_path_is_counted_to_the_end(jax: Any) -> None:
    @jax.jit
    def step(x: Any) -> Any:
        jax.debug.callback(lambda value: None, x)
        return x * 2

    with traceonce.watch() as seen:
        for _ in range(20):
            step(ones(3))
    assert (only(seen).calls, only(seen).calls_at_least) == (20, False)


def test_what_cannot_take_the_fast_path_is_not_looked_at_for_ever(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    monkeypatch.setattr(StaleChecks, "look", lambda self, made: looked.append(made))
    rate = 2.0

    def inner(x: Any) -> Any:
        return x * rate

    @jax.jit
    def step(x: Any) -> Any:
        jax.debug.callback(lambda value: None, x)
        return jax.jit(inner)(x)

    with traceonce.watch() as seen:
        for _ in range(40):
            step(ones(3))
    assert 2 < len(looked) <= COUNTED
    assert (named(seen, "step").calls, named(seen, "step").calls_at_least) == (40, False)


def test_wide_trees_get_the_fast_path_early(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """For them a call through Python is slow. What was hardly counted is not taken for growing because of that."""
    monkeypatch.setattr(executions, "SPENDABLE", 1e-6)

    def once(tree: Any) -> Any:
        return tree[0] + 1

    def several(tree: Any) -> Any:
        return tree[0] * 2

    def growing(tree: Any) -> Any:
        return tree[0] * 3

    def slow(x: Any) -> Any:
        return x * 5

    steps = [jax.jit(function) for function in (once, several, growing, slow)]
    with traceonce.watch() as seen:
        for width in range(1, 8):
            tree = [ones(width)] * executions.WIDE
            for _ in range(15 if width < 5 else 0):
                steps[0]([ones(1)] * executions.WIDE)
                steps[1](tree)
                steps[3](ones(1))
            steps[2](tree)
    found = {name: named(seen, name) for name in ("once", "several", "growing", "slow")}
    assert {name: (d.calls, d.calls_at_least, d.verdict.value) for name, d in found.items()} == {
        "once": (2, True, "ok"),
        "several": (8, True, "bounded"),
        "growing": (7, False, "retracing"),
        "slow": (COUNTED, True, "ok"),
    }


def test_an_event_is_whole(jax: Any) -> None:
    step = jax.jit(lambda x, rate: x * rate)
    with traceonce.watch() as seen:
        step(ones(3), 2.0)
        step(ones(3), 2.0)
    (event,) = seen.events
    assert event.seconds > 0
    assert event.exclusive_seconds == event.seconds
    assert event.first_run_seconds > (event.steady_run_seconds or 0)
    assert event.nodes
    assert event.bytes is not None
    assert event.thread == "MainThread"
    assert event.stack[-1].name == "test_an_event_is_whole"
    x, rate = event.signature.leaves
    assert (x.path, x.dtype, x.shape, x.weak) == ("x", "float32", (3,), False)
    assert (rate.path, rate.shape, rate.weak, rate.type_name) == ("rate", (), True, "float")
    assert event.signature.context["enable_x64"] == "False"


def test_compiling_ahead_of_time_is_a_trace_and_no_call(jax: Any) -> None:
    step = jax.jit(lambda x: x * 3)
    with traceonce.watch() as seen:
        step.lower(ones(3)).compile()(ones(3))
    (event,) = seen.events
    assert event.call is None
    assert event.first_run_seconds


def test_a_failed_trace_shows_no_frame_of_ours(jax: Any) -> None:
    @jax.jit
    def step(x: Any) -> Any:
        if x[0] > 0:
            return x
        return -x

    def places() -> list[tuple[str, int | None]]:
        with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
            step(ones(3))
        return [(frame.name, frame.lineno) for frame in traceback.extract_tb(caught.value.__traceback__)]

    jax.config.update("jax_traceback_filtering", "off")
    try:
        alone = places()
        with traceonce.watch() as seen:
            watched = places()
    finally:
        jax.config.update("jax_traceback_filtering", "auto")
    assert watched == alone
    (event,) = seen.events
    assert event.phase == "failed"
    assert (event.error or "").startswith("TracerBoolConversionError")


def test_arguments_that_jax_refuses_before_it_traces(jax: Any) -> None:
    """Caught by the program, such a call would be seen by nobody. Calls of JAX's own functions are its own affair."""
    step = jax.jit(lambda x, mode: x)
    with traceonce.watch() as seen:
        for _ in range(2):
            with pytest.raises(TypeError, match="as an abstract array") as caught:
                step(ones(3), "train")
            assert not any("traceonce" in str(place.path) for place in caught.traceback[1:])
        with pytest.raises(TypeError):
            jax.numpy.sin("train")
        step(ones(3), 1)
    assert [event.phase for event in seen.events] == ["failed", "failed", "first"]
    failed = seen.events[0]
    assert (failed.error or "").startswith("TypeError: Error interpreting argument")
    assert [(leaf.path, leaf.kind, leaf.type_name) for leaf in failed.signature.leaves] == [
        ("x", "tensor", None),
        ("mode", "object", "str"),
    ]


def refused_layers(jax: Any) -> Any:
    return jax.jit(lambda x, widths: x, static_argnames="widths")


def test_a_static_argument_without_a_hash_in_a_call_that_a_trace_makes(jax: Any) -> None:
    """There JAX asks in Python for the hash; so it does for `lower`, `trace` and `eval_shape`."""
    layers = refused_layers(jax)
    with traceonce.watch() as seen:
        with pytest.raises(ValueError, match="Non-hashable"):
            layers.lower(ones(3), widths=[4])
        layers(ones(3), widths=(4,))
    assert [event.phase for event in seen.events] == ["failed", "first"]
    leaves = [(leaf.path, leaf.static, leaf.type_name) for leaf in seen.events[0].signature.leaves]
    assert leaves == [("x", False, None), ("widths", True, "list")]
    assert only(seen).verdict is Verdict.FAILED


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python tells of errors that are raised from 3.12 on")
def test_a_static_argument_without_a_hash_in_a_call_that_is_caught(jax: Any) -> None:
    """JAX hashes it in C++. The function is the one that the line names, also through a method or a partial."""

    class Model:
        @functools.partial(jax.jit, static_argnums=(0, 2))
        def step(self, x: Any, k: Any) -> Any:
            return x

    model, layers = Model(), refused_layers(jax)
    bound = functools.partial(layers, widths=[4])
    with traceonce.watch() as seen:
        for call in (
            lambda: layers(ones(3), widths=[4]),
            lambda: model.step(ones(3), [4]),
            lambda: bound(ones(3)),
            lambda: [layers][0](ones(3), widths=[4]),  # no name leads there: not told, and not guessed
        ):
            with pytest.raises(ValueError, match="Non-hashable"):
                call()
        with pytest.raises(ValueError, match="of the program"):
            raise ValueError("Non-hashable static arguments of the program")
    assert [event.phase for event in seen.events] == ["failed"] * 3
    assert [event.function.short_name for event in seen.events] == ["<lambda>", "step", "<lambda>"]
    assert all(
        event.call_site is not None and event.call_site.file.endswith("test_watching.py") for event in seen.events
    )
    assert all((event.error or "").startswith("ValueError: Non-hashable") for event in seen.events)


def test_threads_have_their_own_events(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    threads = [threading.Thread(target=step, args=(ones(n),), name=f"worker {n}") for n in range(1, 5)]
    with traceonce.watch() as seen:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {event.thread for event in seen.events} == {thread.name for thread in threads}
    assert (only(seen).traces, only(seen).calls) == (4, 4)


def test_a_late_observer_learns_trees_and_static_values(jax: Any) -> None:
    step = jax.jit(lambda params, k, mode: params["w"] * k, static_argnames="mode")
    step({"w": ones(3)}, 2.0, mode="a")
    with traceonce.watch() as seen:
        step({"w": ones(4)}, np.float32(2), mode="b")
    assert causes(only(seen)) == [
        ("shape", "params['w'].shape[0]", "3", "4", 1),
        ("weak_type", "k.weak_type", "True", "False", 1),
        ("static_argument", "mode", "'a'", "'b'", 1),
    ]


def test_an_observer_that_joins_is_told_what_was_seen_before(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch():
        step(ones(3))
        step(ones(4))
        with traceonce.watch() as seen:
            step(ones(5))
            step(ones(6))
    assert [len(event.earlier) for event in seen.events] == [2, 0]
    assert only(seen).retraces == 2
    assert only(seen).calls == 2


def test_nothing_of_the_program_is_kept_alive(jax: Any) -> None:
    class Big:
        def __call__(self, x: Any) -> Any:
            return x * 2

    with traceonce.watch():
        big = Big()
        step = jax.jit(big)
        reference = weakref.ref(big)
        array = jax.numpy.ones(3)
        held = weakref.ref(array)
        step(array)
        del big, step, array
        gc.collect()
        assert (reference(), held()) == (None, None)


def test_a_limit_in_the_middle_of_nested_traces_leaves_jax_healthy(jax: Any) -> None:
    inner = jax.jit(lambda x: x * 2)
    outer = jax.jit(lambda x: inner(x) + 1)
    outer(ones(3))
    with traceonce.limit(0):
        for _ in range(2):
            with pytest.raises(TracingLimitReached):
                outer(ones(4))
        assert outer(ones(3)).tolist() == [3, 3, 3]
        assert jax.grad(lambda x: inner(x).sum())(ones(3)).tolist() == [2, 2, 2]
    assert outer(ones(4)).tolist() == [3, 3, 3, 3]


def test_a_refused_function_object_is_refused_again(jax: Any) -> None:
    """JAX has cached the refused trace by then; it is taken back."""
    steps = [jax.jit(lambda x: x + 5) for _ in range(3)]
    with traceonce.limit(1):
        steps[0](ones(3))
        steps[1](ones(3))
        for _ in range(2):
            with pytest.raises(TracingLimitReached):
                steps[2](ones(3))
    assert steps[2](ones(3)).tolist() == [6, 6, 6]


class Collected:
    """A sink that keeps what it is given."""

    def __init__(self, problem: Callable[[], None] = lambda: None) -> None:
        self.entries: list[Any] = []
        self.problem = problem

    def write(self, entry: Any) -> None:
        self.entries.append(entry)
        if isinstance(entry, TraceEvent):
            self.problem()

    def permit(self, event: Any, *, made: bool) -> None:
        return None


def test_an_error_of_ours_is_recorded_and_the_program_goes_on(jax: Any) -> None:
    def fail() -> None:
        raise RuntimeError("ours")

    sink = Collected(fail)
    watching = Jax().watch(sink)
    try:
        assert jax.jit(lambda x: x * 2)(ones(2)).tolist() == [2, 2]
        watching.settle()
    finally:
        watching.stop()
    notices = [entry.text for entry in sink.entries if isinstance(entry, Notice)]
    assert len(notices) == 1
    assert "RuntimeError: ours" in notices[0]
    assert any(isinstance(entry, Calls) for entry in sink.entries)


def test_a_hook_that_somebody_has_wrapped_does_nothing_once_it_is_stopped(jax: Any) -> None:
    """It cannot be taken out then."""
    from jax._src import pjit

    plain = {name: value for name, value in vars(pjit).items() if inspect.isfunction(value)}
    sink = Collected()
    watching = Jax().watch(sink)
    hooked = [name for name, original in plain.items() if getattr(pjit, name) is not original]
    calls: list[str] = []

    def put_around(name: str) -> None:
        ours = getattr(pjit, name)
        setattr(pjit, name, lambda *args, **kwargs: (calls.append(name), ours(*args, **kwargs))[1])

    try:
        for name in hooked:
            put_around(name)
        step = jax.jit(lambda x: x * 2)
        step(ones(2))
        watching.stop()
        told = len(sink.entries)
        calls.clear()
        for width in (2, 3):
            for _ in range(5):
                assert step(ones(width)).tolist() == [2] * width
    finally:
        watching.stop()
        for name in hooked:
            setattr(pjit, name, plain[name])
    assert len(sink.entries) == told > 0
    assert calls.count("_pjit_call_impl_python") == 2


def test_vmap_and_scan_inside_a_jitted_function_are_part_of_it(jax: Any) -> None:
    from jax import lax

    @jax.jit
    def step(x: Any) -> Any:
        total, _ = lax.scan(lambda c, y: (c + jax.vmap(lambda v: v * 2)(y), None), x[0], x)
        return lax.cond(total.sum() > 0, lambda t: t, lambda t: -t, total)

    with traceonce.watch() as seen:
        for _ in range(3):
            step(ones(4, 2))
    assert [event.function.short_name for event in seen.events] == ["step"]
    assert named(seen, "step").traces == 1


def test_results_are_what_they_are_unwatched(jax: Any) -> None:
    def loss(params: Any, x: Any) -> Any:
        return ((x @ params["w"] + params["b"]) ** 2).mean()

    def train() -> Any:
        params = {"w": jax.numpy.ones((3, 2)), "b": jax.numpy.zeros(2)}
        step = jax.jit(lambda p, x: jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p, x)), donate_argnums=0)
        for n in range(20):
            params = step(params, ones(2 + n % 2, 3))
        return jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), params)

    alone = train()
    with traceonce.watch() as seen:
        watched = train()
    assert watched == alone
    assert [d.traces for d in diagnose(seen.recording)] == [2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*os.fork:RuntimeWarning")
def test_a_forked_process_counts_its_own_calls(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    reading, writing = os.pipe()
    with traceonce.watch() as seen:
        for _ in range(3):
            step(ones(3))
        child = os.fork()
        if child == 0:  # nothing of XLA may be run here: its threads are gone
            try:
                watching: Any = seen._hub._watching["jax"]
                watching.settle()
                os.write(writing, str(watching._executions._counts).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    assert os.read(reading, 100) == b"{}"
    assert only(seen).calls == 3
