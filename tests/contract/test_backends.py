"""What every backend must do, on each of them: one suite, many frameworks."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from traceonce.api import Watch
from traceonce.errors import TracingLimitReached, TracingLimitWarning
from traceonce.facts import Breach, Limit
from traceonce.frameworks import fake
from traceonce.frameworks.base.backend import Backend, Watching
from traceonce.frameworks.base.registry import BUILT_IN, Known, load_backend
from traceonce.limits.active_limit import OnLimit
from traceonce.limits.program_limits import Limiting, Limits
from traceonce.observe.hub import Hub


class Framework(NamedTuple):
    """A backend, and how to use its framework. What differs between frameworks stands here, and not in the tests."""

    known: Known
    function: Callable[[Any], Any]
    op: Callable[[Any], Any]  # something to do with an array in a traced function
    array: Callable[..., Any]  # an array of a shape
    fresh: Callable[[int], Any]  # the n-th of arrays of which each needs a trace of its own
    how_fresh: Callable[[int], tuple[str, str, str]]  # code, path and `now` of the cause when the n-th comes
    keyed: Callable[[Any], Any]  # like `function`, where a change of the argument k is a new trace
    how_keyed: str  # the code of the cause then
    breakable: Callable[[Callable[[], bool]], Any]  # a function whose trace fails with "mine" as long as that is so
    failure: type[Exception] = ValueError  # with what it fails
    by_code: bool = False  # are graphs kept by code, so that another function object finds them?


def failing_body(function: Callable[[Any], Any], op: Callable[[Any], Any]) -> Callable[[Callable[[], bool]], Any]:
    """For frameworks that run Python while they trace: what Python raises is what the call raises."""

    def breakable(is_broken: Callable[[], bool]) -> Any:
        def body(x: Any) -> Any:
            if is_broken():
                raise ValueError("mine")
            return op(x)

        return function(body)

    return breakable


def with_sizes(known: Known, function: Any, op: Any, array: Any, **more: Any) -> Framework:
    """A framework that traces for every size."""
    return Framework(
        known,
        function,
        op,
        array,
        fresh=array,
        how_fresh=lambda size: ("shape", "x.shape[0]", str(size)),
        breakable=failing_body(function, op),
        **{"keyed": function, "how_keyed": "value"} | more,
    )


def use_fake(request: pytest.FixtureRequest) -> Framework:
    return with_sizes(fake.KNOWN, fake.function, lambda x: x, lambda *shape: fake.Array("float32", shape))


def use_tensorflow(request: pytest.FixtureRequest) -> Framework:
    tf = request.getfixturevalue("tf")
    return with_sizes(KNOWN["tensorflow"], tf.function, tf.identity, lambda *shape: tf.zeros(shape))


def use_jax(request: pytest.FixtureRequest) -> Framework:
    """A number is an input of the graph there; only a static argument is part of the key."""
    jax = request.getfixturevalue("jax")
    keyed = functools.partial(jax.jit, static_argnames=("k",))
    array = jax.numpy.zeros
    return with_sizes(
        KNOWN["jax"],
        jax.jit,
        jax.numpy.negative,
        lambda *shape: array(shape),
        keyed=keyed,
        how_keyed="static_argument",
    )


def use_torch(request: pytest.FixtureRequest) -> Framework:
    """Sizes are left open at their second value, so it is dtypes that are new here; and graphs hang on code."""
    torch = request.getfixturevalue("torch")
    torch._dynamo.reset()
    request.addfinalizer(torch._dynamo.reset)
    names = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "complex64"]
    compiled = functools.partial(torch.compile, backend="eager")

    def breakable(is_broken: Callable[[], bool]) -> Any:
        def backend(graph: Any, inputs: Any) -> Any:
            if is_broken():
                raise ValueError("mine")
            return graph

        return torch.compile(lambda x: torch.clone(x), backend=backend)

    return Framework(
        KNOWN["torch"],
        compiled,
        torch.clone,
        lambda *shape: torch.zeros(shape),
        fresh=lambda number: torch.zeros(3, dtype=getattr(torch, names[number % len(names)])),
        how_fresh=lambda number: ("dtype", "x.dtype", names[number % len(names)]),
        keyed=compiled,
        how_keyed="value",
        breakable=breakable,
        failure=torch._dynamo.exc.BackendCompilerFailed,
        by_code=True,
    )


KNOWN = {known.name: known for known in BUILT_IN}
FRAMEWORKS = {"fake": use_fake, "tensorflow": use_tensorflow, "jax": use_jax, "torch": use_torch}


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Framework:
    return FRAMEWORKS[request.param](request)


def test_every_built_in_backend_is_here() -> None:
    assert set(FRAMEWORKS) == {"fake", *KNOWN}


def watch(framework: Framework) -> Watch:
    return Watch(Hub([framework.known]))


def limited(hub: Hub, limit: Limit, on_limit: OnLimit = "raise") -> Limiting:
    return Limiting(limit, on_limit, Limits(hub))


def test_it_follows_the_protocol(framework: Framework) -> None:
    backend: Backend = load_backend(framework.known)
    assert backend.framework.name == framework.known.name
    assert backend.framework.module == framework.known.module
    assert backend.framework.distributions


def test_hits_are_silent_and_misses_are_events(framework: Framework) -> None:
    op = framework.op
    step = framework.keyed(lambda x, k: [op(x)] * k)
    with watch(framework) as seen:
        for width, k in ((3, 1), (3, 1), (4, 1), (4, 2), (3, 1)):
            step(framework.array(2, width), k)
    (diagnosis,) = seen.diagnoses
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.calls) == (3, 2, 5)
    assert [(c.code.value, c.path, c.was, c.now) for c in diagnosis.causes] == [
        ("shape", "x.shape[1]", "3", "4"),
        (framework.how_keyed, "k", "1", "2"),
    ]
    assert [event.call for event in seen.events] == [1, 3, 4]


def test_an_event_has_its_place_and_its_time(framework: Framework) -> None:
    op = framework.op
    step = framework.function(lambda x: op(x))
    with watch(framework) as seen:
        step(framework.fresh(3))
    (event,) = seen.events
    assert event.call_site is not None
    assert Path(event.call_site.file).name == Path(__file__).name
    assert event.seconds is not None
    assert event.first_run_seconds is not None
    assert event.thread == "MainThread"
    assert event.backend == framework.known.name


def test_a_failed_trace_raises_as_before_and_is_recorded(framework: Framework) -> None:
    step = framework.breakable(lambda: True)
    with watch(framework) as seen, pytest.raises(framework.failure, match="mine"):
        step(framework.fresh(3))
    (event,) = seen.events
    assert event.phase == "failed"
    assert (event.error or "").rpartition(":")[0].startswith(framework.failure.__name__)


def test_a_late_observer_learns_what_was_traced_before(framework: Framework) -> None:
    op = framework.op
    step = framework.function(lambda x: op(x))
    step(framework.fresh(3))
    with watch(framework) as seen:
        step(framework.fresh(4))
    (code, path, was), (_, _, now) = framework.how_fresh(3), framework.how_fresh(4)
    assert [(c.code.value, c.path, c.was, c.now) for c in seen.diagnoses[0].causes] == [(code, path, was, now)]


def test_two_observers_see_the_same_and_one_may_leave_first(framework: Framework) -> None:
    hub = Hub([framework.known])
    op = framework.op
    step = framework.function(lambda x: op(x))
    with Watch(hub) as outer:
        with Watch(hub) as inner:
            step(framework.fresh(3))
        step(framework.fresh(4))
    assert (len(inner.events), len(outer.events)) == (1, 2)


def test_settling_leaves_the_hooks_and_stopping_takes_them_out(framework: Framework) -> None:
    op = framework.op
    step = framework.function(lambda x: op(x))
    written: list[Any] = []

    class Sink:
        def write(self, entry: Any) -> None:
            written.append(entry)

        def permit(self, event: Any, *, made: bool) -> None:
            return None

    watching: Watching = load_backend(framework.known).watch(Sink())
    step(framework.fresh(3))
    watching.settle()
    step(framework.fresh(4))
    watching.stop()
    step(framework.fresh(5))
    assert [type(entry).__name__ for entry in written].count("TraceEvent") == 2
    assert "Calls" in {type(entry).__name__ for entry in written}


def test_the_decorator_with_and_without_parentheses(framework: Framework) -> None:
    import traceonce

    @traceonce.watch
    def plain() -> int:
        return 1

    @traceonce.watch()
    def called() -> int:
        return 2

    assert (plain(), called()) == (1, 2)
    with pytest.raises(TypeError, match="use `with watch"):

        @traceonce.watch()
        async def later() -> None: ...


def test_what_is_not_compiled_is_not_counted(framework: Framework) -> None:
    """Frameworks compile parts of their own for what runs eagerly: no business of the user's."""
    with watch(framework) as seen:
        framework.op(framework.array(2, 3))
    assert seen.diagnoses == []


def test_the_toy_check_traces_twice(framework: Framework) -> None:
    backend = load_backend(framework.known)
    with watch(framework) as seen:
        backend.check()
    assert len(seen.events) == 2


@pytest.mark.parametrize("most", [0, 2])
def test_a_limit_of_retraces_holds(framework: Framework, most: int) -> None:
    op = framework.op
    step = framework.function(lambda x: op(x))
    with limited(Hub([framework.known]), Limit(most)):
        for width in range(1, most + 2):
            step(framework.fresh(width))
        for _ in range(2):
            with pytest.raises(TracingLimitReached, match=f"has been retraced {most} times.*tracing limit") as caught:
                step(framework.fresh(7))
        for width in range(1, most + 2):  # earlier traces still serve
            step(framework.fresh(width))
    breach = caught.value.breach
    assert (breach.backend, breach.retraces, breach.traces) == (framework.known.name, most, most + 1)
    assert [(c.code.value, c.path, c.now) for c in breach.causes] == [framework.how_fresh(7)]
    assert breach.call_site is not None
    assert Path(breach.call_site.file).name == Path(__file__).name
    step(framework.fresh(7))


def test_a_limit_of_traces_holds(framework: Framework) -> None:
    op = framework.op
    step = framework.function(lambda x: op(x))
    with limited(Hub([framework.known]), Limit(1, "traces", warmup=2)):
        for width in (1, 1, 2):
            step(framework.fresh(width))
        with pytest.raises(TracingLimitReached, match="1 trace after a warm-up of 2 calls; this call would exceed it"):
            step(framework.fresh(3))


def test_a_limit_holds_in_many_threads(framework: Framework) -> None:
    op = framework.op
    step = framework.function(lambda x: op(x))
    step(framework.fresh(1))
    start = threading.Barrier(8)

    def call(width: int) -> bool:
        start.wait(60)
        try:
            step(framework.fresh(width))
        except TracingLimitReached:
            return False
        return True

    with limited(Hub([framework.known]), Limit(3)), ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(2, 10))) == 3


def test_the_same_graph_under_another_function_object_counts(framework: Framework) -> None:
    op = framework.op
    steps = [framework.function(lambda x: op(x)) for _ in range(3)]
    if framework.by_code:  # the others find the graph of the first, as they would without us
        with limited(Hub([framework.known]), Limit(0)):
            for step in steps:
                step(framework.fresh(1))
        return
    with limited(Hub([framework.known]), Limit(1)):
        for step in steps[:2]:
            step(framework.fresh(1))
        with pytest.raises(TracingLimitReached) as caught:
            steps[2](framework.fresh(1))
        steps[1](framework.fresh(1))
    assert [cause.code.value for cause in caught.value.breach.causes] == ["new_function"]


def test_a_failed_trace_is_given_back(framework: Framework) -> None:
    broken = True
    step = framework.breakable(lambda: broken)
    with limited(Hub([framework.known]), Limit(1, "traces")):
        for width in (1, 2, 3):
            with pytest.raises(framework.failure, match="mine"):
                step(framework.fresh(width))
        broken = False
        step(framework.fresh(1))


def test_a_trace_refused_by_one_limit_is_given_back_to_the_other(framework: Framework) -> None:
    hub = Hub([framework.known])
    op = framework.op
    step = framework.function(lambda x: op(x))
    with limited(hub, Limit(1)):
        step(framework.fresh(1))
        with limited(hub, Limit(0)):  # of limits that do not know of each other, both hold
            for _ in range(3):
                with pytest.raises(TracingLimitReached, match="limit      0 retraces"):
                    step(framework.fresh(2))
        step(framework.fresh(2))
        with pytest.raises(TracingLimitReached, match="limit      1 retrace;"):
            step(framework.fresh(3))


@pytest.mark.parametrize("mode", ["warn", "call back"])
def test_a_limit_can_warn_and_call_back(framework: Framework, mode: str) -> None:
    got: list[Breach] = []
    op = framework.op
    step = framework.function(lambda x: op(x))
    with limited(Hub([framework.known]), Limit(0), "warn" if mode == "warn" else got.append):
        step(framework.fresh(1))
        if mode == "warn":
            with pytest.warns(TracingLimitWarning, match="has been retraced 0 times"):
                step(framework.fresh(2))
        step(framework.fresh(3))
    assert [(breach.retraces, breach.refused) for breach in got] == ([(0, False)] if mode == "call back" else [])


def test_a_watch_records_a_breach(framework: Framework) -> None:
    hub = Hub([framework.known])
    op = framework.op
    step = framework.function(lambda x: op(x))
    with Watch(hub) as seen, limited(hub, Limit(0)):
        step(framework.fresh(1))
        with pytest.raises(TracingLimitReached):
            step(framework.fresh(2))
    (breach,) = seen.recording.breaches
    assert (breach.retraces, breach.refused, len(seen.events)) == (0, True, 1)
