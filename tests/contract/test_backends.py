"""What every backend must do, on each of them: one suite, many frameworks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from traceonce.api import Watch
from traceonce.backends import fake
from traceonce.backends.base import Backend, Watching
from traceonce.backends.discovery import BUILT_IN, Known, load_backend
from traceonce.errors import TracingLimitReached, TracingLimitWarning
from traceonce.facts import Breach, Limit
from traceonce.guard.guarding import OnLimit
from traceonce.guard.limits import Limiting, Limits
from traceonce.observe.hub import Hub


class Framework(NamedTuple):
    """A backend, and how to use its framework: trace a function, make an array of a shape."""

    known: Known
    function: Callable[[Any], Any]
    array: Callable[..., Any]


@pytest.fixture(params=["fake", "tensorflow"])
def framework(request: pytest.FixtureRequest) -> Framework:
    if request.param == "fake":
        return Framework(fake.KNOWN, fake.function, lambda *shape: fake.Array("float32", shape))
    tensorflow = request.getfixturevalue("tf")
    return Framework(BUILT_IN[0], tensorflow.function, lambda *shape: tensorflow.zeros(shape))


def watch(framework: Framework) -> Watch:
    return Watch(Hub([framework.known]))


def limited(hub: Hub, limit: Limit, on_limit: OnLimit = "raise") -> Limiting:
    return Limiting(limit, on_limit, Limits(hub))


def test_it_follows_the_protocol(framework: Framework) -> None:
    backend: Backend = load_backend(framework.known)
    assert backend.name == framework.known.name
    assert backend.module == framework.known.module
    assert backend.distributions


def test_hits_are_silent_and_misses_are_events(framework: Framework) -> None:
    step = framework.function(lambda x, k: x)
    with watch(framework) as seen:
        for width, k in ((3, 1), (3, 1), (4, 1), (4, 2), (3, 1)):
            step(framework.array(2, width), k)
    (diagnosis,) = seen.diagnoses
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.calls) == (3, 2, 5)
    assert [(c.code.value, c.path, c.was, c.now) for c in diagnosis.causes] == [
        ("shape", "x.shape[1]", "3", "4"),
        ("value", "k", "1", "2"),
    ]
    assert [event.call for event in seen.events] == [1, 3, 4]


def test_an_event_has_its_place_and_its_time(framework: Framework) -> None:
    step = framework.function(lambda x: x)
    with watch(framework) as seen:
        step(framework.array(3))
    (event,) = seen.events
    assert event.call_site is not None
    assert Path(event.call_site.file).name == Path(__file__).name
    assert event.seconds is not None
    assert event.first_run_seconds is not None
    assert event.thread == "MainThread"
    assert event.backend == framework.known.name


def test_a_failed_trace_raises_as_before_and_is_recorded(framework: Framework) -> None:
    def broken(x: Any) -> Any:
        raise ValueError("mine")

    step = framework.function(broken)
    with watch(framework) as seen, pytest.raises(ValueError, match="mine"):
        step(framework.array(3))
    (event,) = seen.events
    assert event.phase == "failed"
    assert (event.error or "").startswith("ValueError")


def test_a_late_observer_learns_what_was_traced_before(framework: Framework) -> None:
    step = framework.function(lambda x: x)
    step(framework.array(3))
    with watch(framework) as seen:
        step(framework.array(4))
    assert [(c.code.value, c.was, c.now) for c in seen.diagnoses[0].causes] == [("shape", "3", "4")]


def test_two_observers_see_the_same_and_one_may_leave_first(framework: Framework) -> None:
    hub = Hub([framework.known])
    step = framework.function(lambda x: x)
    with Watch(hub) as outer:
        with Watch(hub) as inner:
            step(framework.array(3))
        step(framework.array(4))
    assert (len(inner.events), len(outer.events)) == (1, 2)


def test_settling_leaves_the_hooks_and_stopping_takes_them_out(framework: Framework) -> None:
    step = framework.function(lambda x: x)
    written: list[Any] = []

    class Sink:
        def write(self, entry: Any) -> None:
            written.append(entry)

        def permit(self, event: Any, *, made: bool) -> None:
            return None

    watching: Watching = load_backend(framework.known).watch(Sink())
    step(framework.array(3))
    watching.settle()
    step(framework.array(4))
    watching.stop()
    step(framework.array(5))
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


def test_the_toy_check_traces_twice(framework: Framework) -> None:
    backend = load_backend(framework.known)
    with watch(framework) as seen:
        backend.check()
    assert len(seen.events) == 2


@pytest.mark.parametrize("most", [0, 2])
def test_a_limit_of_retraces_holds(framework: Framework, most: int) -> None:
    step = framework.function(lambda x: x)
    with limited(Hub([framework.known]), Limit(most)):
        for width in range(1, most + 2):
            step(framework.array(width))
        for _ in range(2):
            with pytest.raises(TracingLimitReached, match=f"has been retraced {most} times.*tracing limit") as caught:
                step(framework.array(99))
        for width in range(1, most + 2):  # earlier traces still serve
            step(framework.array(width))
    breach = caught.value.breach
    assert (breach.backend, breach.retraces, breach.traces) == (framework.known.name, most, most + 1)
    assert [(c.code.value, c.path, c.now) for c in breach.causes] == [("shape", "x.shape[0]", "99")]
    assert breach.call_site is not None
    assert Path(breach.call_site.file).name == Path(__file__).name
    step(framework.array(99))


def test_a_limit_of_traces_holds(framework: Framework) -> None:
    step = framework.function(lambda x: x)
    with limited(Hub([framework.known]), Limit(1, "traces", warmup=2)):
        for width in (1, 1, 2):
            step(framework.array(width))
        with pytest.raises(TracingLimitReached, match="1 trace after a warm-up of 2 calls; this call needs one more"):
            step(framework.array(3))


def test_a_limit_holds_in_many_threads(framework: Framework) -> None:
    step = framework.function(lambda x: x)
    step(framework.array(1))
    start = threading.Barrier(8)

    def call(width: int) -> bool:
        start.wait(60)
        try:
            step(framework.array(width))
        except TracingLimitReached:
            return False
        return True

    with limited(Hub([framework.known]), Limit(3)), ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(2, 10))) == 3


def test_the_same_graph_under_another_function_object_counts(framework: Framework) -> None:
    steps = [framework.function(lambda x: x) for _ in range(3)]
    with limited(Hub([framework.known]), Limit(1)):
        for step in steps[:2]:
            step(framework.array(1))
        with pytest.raises(TracingLimitReached) as caught:
            steps[2](framework.array(1))
        steps[1](framework.array(1))
    assert [cause.code.value for cause in caught.value.breach.causes] == ["new_function"]


def test_a_failed_trace_is_given_back(framework: Framework) -> None:
    broken = True

    def body(x: Any) -> Any:
        if broken:
            raise ValueError("mine")
        return x

    step = framework.function(body)
    with limited(Hub([framework.known]), Limit(1, "traces")):
        for width in (1, 2, 3):
            with pytest.raises(ValueError, match="mine"):
                step(framework.array(width))
        broken = False
        step(framework.array(1))


def test_a_trace_refused_by_one_limit_is_given_back_to_the_other(framework: Framework) -> None:
    hub = Hub([framework.known])
    step = framework.function(lambda x: x)
    with limited(hub, Limit(1)):
        step(framework.array(1))
        with limited(hub, Limit(0)):  # of limits that do not know of each other, both hold
            for _ in range(3):
                with pytest.raises(TracingLimitReached, match="limit      0 retraces"):
                    step(framework.array(2))
        step(framework.array(2))
        with pytest.raises(TracingLimitReached, match="limit      1 retrace;"):
            step(framework.array(3))


def test_a_limit_can_warn_and_call_back(framework: Framework) -> None:
    got: list[Breach] = []
    for on_limit in ("warn", got.append):
        step = framework.function(lambda x: x)
        with limited(Hub([framework.known]), Limit(0), on_limit):  # type: ignore[arg-type]  # mypy widens the tuple
            step(framework.array(1))
            if on_limit == "warn":
                with pytest.warns(TracingLimitWarning, match="has been retraced 0 times"):
                    step(framework.array(2))
            step(framework.array(3))
    assert [(breach.retraces, breach.refused) for breach in got] == [(0, False)]


def test_a_watch_records_a_breach(framework: Framework) -> None:
    hub = Hub([framework.known])
    step = framework.function(lambda x: x)
    with Watch(hub) as seen, limited(hub, Limit(0)):
        step(framework.array(1))
        with pytest.raises(TracingLimitReached):
            step(framework.array(2))
    (breach,) = seen.recording.breaches
    assert (breach.retraces, breach.refused, len(seen.events)) == (0, True, 1)
