"""What holds for the watcher of every framework, on the fake one: the stack, the costs, and errors on both sides."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from traceonce.facts import Notice, TraceEvent
from traceonce.frameworks import fake


class Sink:
    """Keeps what it gets. `permission` is asked first, and may raise or return an error."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.permission: Any = lambda event, made: None

    def write(self, entry: Any) -> None:
        self.entries.append(entry)

    def permit(self, event: TraceEvent, *, made: bool) -> Any:
        return self.permission(event, made)

    @property
    def events(self) -> dict[str, TraceEvent]:
        return {entry.function.short_name: entry for entry in self.entries if isinstance(entry, TraceEvent)}

    @property
    def notices(self) -> list[str]:
        return [entry.text for entry in self.entries if isinstance(entry, Notice)]


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def watcher(sink: Sink) -> Iterator[fake.FakeWatcher]:
    watcher = fake.FakeWatcher(sink)
    yield watcher
    watcher.stop()


@fake.function
def alone(x: Any) -> None: ...


@pytest.fixture(autouse=True)
def nothing_is_traced_yet() -> None:
    alone.traces.clear()


def test_a_trace_inside_another_has_a_parent_and_its_cost_is_its_own(sink: Sink, watcher: fake.FakeWatcher) -> None:
    @fake.function
    def inner(x: Any) -> None: ...

    @fake.function
    def outer(x: Any) -> None:
        inner(x)

    inner.seconds_to_trace, outer.seconds_to_trace = 2.0, 5.0
    outer(1)
    events = sink.events
    assert (events["outer"].parent, events["inner"].parent) == (None, events["outer"].id)
    seconds = {name: event.seconds or 0.0 for name, event in events.items()}
    assert events["inner"].exclusive_seconds == seconds["inner"] >= 2.0
    assert events["outer"].exclusive_seconds == pytest.approx(seconds["outer"] - seconds["inner"], abs=1e-5)


def test_what_is_looked_at_only_is_part_of_the_work_around_it(sink: Sink) -> None:
    class Watcher(fake.FakeWatcher):
        def _read(self, *args: Any, **kwargs: Any) -> fake.FakeMiss:
            miss = super()._read(*args, **kwargs)
            miss.abstract = miss.function.short_name == "look"
            miss.permitted = not miss.abstract
            return miss

        def _made(self, miss: fake.FakeMiss, made: Any) -> BaseException | None:
            return None if miss.abstract else super()._made(miss, made)

    @fake.function
    def inner(x: Any) -> None: ...

    @fake.function
    def look(x: Any) -> None:
        inner(x)

    @fake.function
    def outer(x: Any) -> None:
        look(x)

    inner.seconds_to_trace, look.seconds_to_trace, outer.seconds_to_trace = 2.0, 3.0, 5.0
    watcher = Watcher(sink)
    try:
        outer(1)
    finally:
        watcher.stop()
    events = sink.events
    assert set(events) == {"inner", "outer"}
    assert events["inner"].parent == events["outer"].id
    seconds = {name: event.seconds or 0.0 for name, event in events.items()}
    assert events["outer"].exclusive_seconds == pytest.approx(seconds["outer"] - seconds["inner"], abs=1e-5)


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_of_the_program_goes_on_and_leaves_nothing_behind(
    sink: Sink, watcher: fake.FakeWatcher, kind: type[BaseException]
) -> None:
    @fake.function
    def inner(x: Any) -> None:
        raise kind("mine")

    @fake.function
    def outer(x: Any) -> None:
        inner(x)

    with pytest.raises(kind, match="mine"):
        outer(1)
    alone(1)
    found = {name: (event.phase, event.error, event.parent) for name, event in sink.events.items()}
    assert found == {
        "inner": ("failed", f"{kind.__name__}: mine", sink.events["outer"].id),
        "outer": ("failed", f"{kind.__name__}: mine", None),
        "alone": ("first", None, None),
    }
    assert sink.notices == []


@pytest.mark.parametrize("made", [False, True])
def test_an_interrupt_while_a_limit_is_asked_goes_on_and_leaves_nothing_behind(
    sink: Sink, watcher: fake.FakeWatcher, made: bool
) -> None:
    def interrupt(event: TraceEvent, asked_when_made: bool) -> None:
        if asked_when_made is made:
            raise KeyboardInterrupt

    sink.permission = interrupt
    with pytest.raises(KeyboardInterrupt):
        alone(1)
    assert alone.traces == []
    sink.permission = lambda event, made: None
    alone(2)
    assert (sink.events["alone"].phase, sink.events["alone"].parent) == ("first", None)


def test_an_interrupt_after_a_trace_was_told_does_not_tell_it_again(
    sink: Sink, watcher: fake.FakeWatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Any, *args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fake.FakeWatcher, "_follow", interrupt)
    with pytest.raises(KeyboardInterrupt):
        alone(1)
    assert [entry.phase for entry in sink.entries] == ["first"]


@pytest.mark.parametrize("made", [False, True])
def test_what_is_refused_is_told_only_where_it_was_made(sink: Sink, watcher: fake.FakeWatcher, made: bool) -> None:
    refusal = RuntimeError("enough")
    sink.permission = lambda event, asked_when_made: refusal if asked_when_made is made else None
    with pytest.raises(RuntimeError) as caught:
        alone(1)
    assert caught.value is refusal
    assert alone.traces == []
    assert [event.phase for event in sink.events.values()] == (["failed"] if made else [])


@pytest.mark.parametrize("question", ["_read", "_event", "_follow", "_made", "_leave"])
def test_an_error_of_ours_is_written_down_once_and_the_program_goes_on(
    sink: Sink, watcher: fake.FakeWatcher, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    def fail(self: Any, *args: Any, **kwargs: Any) -> None:
        raise LookupError("ours")

    with monkeypatch.context() as patch:
        patch.setattr(fake.FakeWatcher, question, fail)
        for number in range(3):
            alone(number)
    assert len(alone.traces) == 3
    (notice,) = sink.notices
    assert "traceonce failed (LookupError: ours; in fail:" in notice


@pytest.mark.parametrize("question", ["_event", "_failed"])
def test_an_error_of_ours_does_not_hide_the_programs_own(
    sink: Sink, watcher: fake.FakeWatcher, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    def fail(self: Any, *args: Any, **kwargs: Any) -> None:
        raise LookupError("ours")

    @fake.function
    def wrong(x: Any) -> None:
        raise ValueError("mine")

    with monkeypatch.context() as patch:
        patch.setattr(fake.FakeWatcher, question, fail)
        with pytest.raises(ValueError, match="mine") as caught:
            wrong(1)
    assert caught.value.__context__ is None
    assert len(sink.notices) == 1
    alone(1)
    assert sink.events["alone"].parent is None


def test_threads_do_not_mix(sink: Sink, watcher: fake.FakeWatcher) -> None:
    other = threading.Thread(target=lambda: alone(1), name="the other")

    @fake.function
    def outer(x: Any) -> None:
        other.start()
        other.join(60)

    outer(1)
    found = {name: (event.parent, event.thread) for name, event in sink.events.items()}
    assert found == {"alone": (None, "the other"), "outer": (None, "MainThread")}


def test_a_hook_that_somebody_has_wrapped_tells_nothing_after_the_end(sink: Sink) -> None:
    before = fake.Function._trace
    watcher = fake.FakeWatcher(sink)
    ours = fake.Function._trace
    try:
        fake.Function._trace = lambda *args: ours(*args)  # type: ignore[method-assign]  # what another tool would do
        watcher.stop()
        alone(1)
    finally:
        fake.Function._trace = before  # type: ignore[method-assign]  # taken out again
    assert len(alone.traces) == 1
    assert sink.entries == []


def test_no_hook_stays_where_not_all_can_be_placed(sink: Sink) -> None:
    before = fake.Function._trace

    class Watcher(fake.FakeWatcher):
        def _place(self) -> None:
            super()._place()
            assert fake.Function._trace is not before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Watcher(sink)
    assert fake.Function._trace is before
