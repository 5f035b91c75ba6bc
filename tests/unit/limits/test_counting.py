"""Counting against a limit, on events made by hand: exact in whatever order requests come, succeed and fail."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.handmade import STEP, Events, none, python, signature, tensor
from traceonce.facts import Breach, FunctionId, Limit, TraceEvent
from traceonce.limits.trace_counts import Count

OTHER = FunctionId("evaluate", "train.py", 40)


class Tracer:
    """A framework that asks for leave: `trace` is a whole trace, the other methods are its steps."""

    def __init__(self, limit: Limit, **fields: Any) -> None:
        self.count = Count(limit)
        self.events = Events(**{"object": 1, **fields})

    def ask(self, *parts: Any, refuse: bool = True, **fields: Any) -> tuple[TraceEvent, Breach | None]:
        event = self.events(*parts, **fields)
        return event, self.count.consider(event, made=False, refuse=refuse)

    def make(
        self, event: TraceEvent, fingerprint: str = "graph", refuse: bool = True
    ) -> tuple[TraceEvent, Breach | None]:
        made = msgspec.structs.replace(event, fingerprint=fingerprint)
        return made, self.count.consider(made, made=True, refuse=refuse)

    def end(self, event: TraceEvent) -> None:
        self.count.end(event)

    def fail(self, event: TraceEvent) -> None:
        self.count.end(msgspec.structs.replace(event, phase="failed", error="ValueError"))

    def trace(self, *parts: Any, fingerprint: str = "graph", refuse: bool = True, **fields: Any) -> Breach | None:
        event, breach = self.ask(*parts, refuse=refuse, **fields)
        if breach is not None and refuse:
            return breach
        made, later = self.make(event, fingerprint, refuse)
        if later is not None and refuse:
            self.fail(made)
            return later
        self.end(made)
        return breach or later


def sizes(start: int = 1) -> Iterator[Any]:
    """Tensors of shapes never seen before."""
    while True:
        yield tensor("x", start)
        start += 1


@pytest.mark.parametrize("most", [0, 1, 5])
def test_retraces_are_counted_to_the_limit(most: int) -> None:
    tracer, x = Tracer(Limit(most)), sizes()
    assert [tracer.trace(next(x)) for _ in range(most + 1)] == [None] * (most + 1)
    for _ in range(2):
        breach = tracer.trace(next(x))
        assert breach is not None
        assert (breach.retraces, breach.traces, breach.function, breach.limit) == (most, most + 1, STEP, Limit(most))


@pytest.mark.parametrize("most", [0, 1, 5])
def test_traces_are_counted_from_the_first(most: int) -> None:
    tracer, x = Tracer(Limit(most, "traces")), sizes()
    assert [tracer.trace(next(x)) for _ in range(most)] == [None] * most
    breach = tracer.trace(next(x))
    assert breach is not None
    assert (breach.traces, breach.retraces) == (most, max(most - 1, 0))


def test_a_breach_names_the_causes_and_the_place() -> None:
    from traceonce.facts import CallSite

    tracer = Tracer(Limit(0), call_site=CallSite("train.py", 47))
    tracer.trace(tensor("x", 12), python("k", 0))
    breach = tracer.trace(tensor("x", 9), python("k", 1))
    assert breach is not None
    assert [(c.code.value, c.path, c.was, c.now) for c in breach.causes] == [
        ("shape", "x.shape[0]", "12", "9"),
        ("value", "k", "0", "1"),
    ]
    assert breach.call_site == CallSite("train.py", 47)


def test_each_function_has_its_own_count() -> None:
    tracer, x = Tracer(Limit(1)), sizes()
    for function in (STEP, OTHER):
        assert tracer.trace(next(x), function=function) is None
        assert tracer.trace(next(x), function=function) is None
    assert tracer.trace(next(x), function=STEP) is not None
    assert tracer.trace(next(x), function=OTHER) is not None


def test_what_is_internal_passes_and_does_not_count() -> None:
    tracer, x = Tracer(Limit(1, "traces")), sizes()
    for _ in range(3):
        assert tracer.trace(next(x), phase="internal") is None
    assert tracer.trace(next(x)) is None
    assert tracer.trace(next(x), phase="internal") is None
    assert tracer.trace(next(x)) is not None


def test_the_second_trace_of_a_function_that_creates_variables_is_internal() -> None:
    tracer = Tracer(Limit(1, "traces"))
    assert tracer.trace(signature(tensor("x", 1))) is None
    assert tracer.trace(signature(tensor("x", 1), scope="variables exist")) is None
    assert tracer.trace(signature(tensor("x", 2), scope="variables exist")) is not None


def test_what_was_traced_before_the_limit_came_is_compared_with_but_not_counted() -> None:
    tracer = Tracer(Limit(1))
    earlier = tuple(signature(tensor("x", size)) for size in (1, 2, 3))
    assert tracer.trace(tensor("x", 4), earlier=earlier) is None
    breach = tracer.trace(tensor("x", 5), earlier=earlier)
    assert breach is not None
    assert breach.retraces == 1


def test_a_failed_trace_gives_its_place_back() -> None:
    tracer, x = Tracer(Limit(1, "traces")), sizes()
    for made_before in (False, True):
        event, breach = tracer.ask(next(x))
        assert breach is None
        if made_before:
            event, breach = tracer.make(event)
            assert breach is None
        tracer.fail(event)
    assert tracer.trace(next(x)) is None


def test_a_trace_that_is_withdrawn_gives_its_place_back() -> None:
    tracer, x = Tracer(Limit(1)), sizes()
    tracer.trace(next(x))
    event, breach = tracer.ask(next(x))
    assert breach is None
    assert tracer.ask(next(x))[1] is not None
    tracer.count.withdraw(event)
    tracer.count.withdraw(event)
    assert tracer.trace(next(x)) is None


def test_a_trace_under_way_cannot_be_had_by_another() -> None:
    tracer, x = Tracer(Limit(1)), sizes()
    tracer.trace(next(x))
    event, breach = tracer.ask(next(x))
    assert breach is None
    second = tracer.ask(next(x))[1]
    assert second is not None
    assert second.retraces == 1  # counted as if it were there already
    tracer.end(tracer.make(event)[0])
    assert tracer.trace(next(x)) is not None


# Several function objects over the same code


def test_another_object_with_the_same_graph_is_refused_when_it_is_made() -> None:
    tracer = Tracer(Limit(0))
    tracer.trace(tensor("x", 1))
    event, breach = tracer.ask(tensor("x", 1), object=2)
    assert breach is None
    breach = tracer.make(event)[1]
    assert breach is not None
    assert [(c.code.value, c.was, c.now) for c in breach.causes] == [
        ("new_function", "function object 1", "function object 2")
    ]


def test_what_was_refused_when_it_was_made_is_refused_at_once_when_it_is_asked_for_again() -> None:
    tracer = Tracer(Limit(0))
    tracer.trace(tensor("x", 1))
    assert tracer.trace(tensor("x", 1), object=2) is not None
    assert tracer.ask(tensor("x", 1), object=2)[1] is not None
    for other, size in ((3, 1), (2, 2)):  # of another object, or for other arguments, nothing is known
        event, breach = tracer.ask(tensor("x", size), object=other)
        assert breach is None
        assert tracer.make(event, "another graph")[1] is None
        tracer.fail(event)


@pytest.mark.parametrize(("limit", "together"), [(Limit(1), True), (Limit(2, "traces"), False)])
def test_a_method_is_counted_for_each_object_where_traces_are_counted(limit: Limit, together: bool) -> None:
    tracer = Tracer(limit)
    for number in (1, 2):
        tracer.trace(tensor("x", 1), object=number, instance=number, fingerprint=f"graph {number}")
        assert tracer.trace(tensor("x", 2), object=number, instance=number) is None or (together and number == 2)
        assert tracer.trace(tensor("x", 3), object=number, instance=number) is not None


def test_another_object_with_another_graph_is_another_model() -> None:
    tracer = Tracer(Limit(1, "traces"))
    for number in range(1, 6):
        assert tracer.trace(tensor("x", 1), object=number, fingerprint=f"graph {number}") is None
    assert tracer.trace(tensor("x", 1), object=9, fingerprint="graph 3") is not None
    assert tracer.trace(tensor("x", 2), object=3, fingerprint="graph 3") is not None


@pytest.mark.parametrize("limit", [Limit(0), Limit(1, "traces")])
def test_the_same_graph_over_arrays_of_other_sizes_does_not_count(limit: Limit) -> None:
    """The report counts and costs it; a search over models must not be refused."""
    tracer = Tracer(limit)
    for number in range(1, 6):
        assert tracer.trace(tensor("x", 1), object=number, fingerprint=f"graph {number}", wiring="wired") is None
    assert tracer.trace(tensor("x", 1), object=9, fingerprint="graph 3", wiring="wired") is not None


@pytest.mark.parametrize("limit", [Limit(0), Limit(1, "traces")])
def test_of_those_that_are_made_at_once_the_first_to_be_done_is_the_first(limit: Limit) -> None:
    tracer = Tracer(limit)
    asked = [tracer.ask(tensor("x", 1), object=number) for number in range(8)]
    assert [breach for _, breach in asked] == [None] * 8
    made = [tracer.make(event) for event, _ in reversed(asked)]
    assert made[0][1] is None
    assert all(breach is not None and (breach.retraces, breach.traces) == (0, 1) for _, breach in made[1:])
    tracer.end(made[0][0])


def test_a_graph_that_is_made_but_not_kept_yet_is_known_to_the_others() -> None:
    tracer = Tracer(Limit(1))
    tracer.trace(tensor("x", 1))
    event, breach = tracer.ask(tensor("x", 2))
    assert breach is None
    assert tracer.make(event, "a second graph")[1] is None
    event, breach = tracer.ask(tensor("x", 1), object=2)
    assert breach is None
    assert tracer.make(event, "a second graph")[1] is not None


def test_a_trace_that_was_under_way_when_the_limit_came_is_not_its_business() -> None:
    tracer = Tracer(Limit(0, "traces"))
    event, breach = tracer.make(tracer.events(tensor("x", 1)))
    assert breach is None
    tracer.end(event)
    assert tracer.count.totals() == {STEP.key: 0}


def test_but_it_is_known_from_then_on() -> None:
    tracer = Tracer(Limit(0))
    tracer.end(tracer.make(tracer.events(tensor("x", 1)))[0])
    breach = tracer.ask(tensor("x", 2))[1]
    assert breach is not None
    assert (breach.retraces, breach.traces) == (0, 0)


def test_what_another_limit_let_through_is_not_remembered() -> None:
    """Of a function that a limit does not cover, nothing piles up."""
    tracer = Tracer(Limit(0))
    tracer.count.end(tracer.events(tensor("x", 1)), covered=False)
    assert tracer.trace(tensor("x", 2)) is None


def test_a_backend_that_sees_outcomes_alone_is_asked_when_they_are_there() -> None:
    tracer = Tracer(Limit(0))
    first, breach = tracer.make(tracer.events(tensor("x", 1), object=1, raw_reason="a callback"))
    assert breach is None
    assert tracer.make(tracer.events(tensor("x", 1), object=2, raw_reason="a callback"))[1] is not None
    tracer.end(first)


def test_a_trace_that_has_created_variables_is_kept_and_told_of() -> None:
    """Taken back, it would leave an object whose calls return None."""
    tracer = Tracer(Limit(0))
    tracer.trace(tensor("x", 1))
    event, breach = tracer.ask(tensor("x", 1), object=2, creates_variables=True)
    assert breach is None
    event, breach = tracer.make(event)
    assert breach is not None
    tracer.end(event)
    assert tracer.ask(tensor("x", 2), object=2)[1] is not None
    assert tracer.count.totals() == {STEP.key: 1}


def test_of_those_that_are_made_at_once_other_graphs_are_other_models() -> None:
    tracer = Tracer(Limit(1, "traces"))
    asked = [tracer.ask(tensor("x", 1), object=number)[0] for number in range(4)]
    made = [tracer.make(event, f"graph {event.object}") for event in asked]
    assert [breach for _, breach in made] == [None] * 4
    for event, _ in made:
        tracer.end(event)
    assert tracer.trace(tensor("x", 2), object=0) is not None


@pytest.mark.parametrize("graph", ["the same at any depth", "at depth {}"])
def test_a_function_that_calls_itself_is_traced_again(graph: str) -> None:
    """The inner trace ends first, but the outer one was asked for first."""
    tracer = Tracer(Limit(3, "traces"))
    calls = [tracer.ask(python("n", n)) for n in (3, 2, 1, 0)]
    assert [breach is None for _, breach in calls] == [True, True, True, False]
    refused = calls[3][1]
    assert refused is not None
    assert (refused.traces, refused.retraces) == (3, 2)
    assert [(c.path, c.was, c.now) for c in refused.causes] == [("n", "1", "0")]
    for number, (event, _) in enumerate(reversed(calls[:3])):
        made, breach = tracer.make(event, graph.format(number))
        assert breach is None
        tracer.end(made)
    refused = tracer.ask(python("n", 9))[1]
    assert refused is not None
    assert (refused.traces, refused.retraces) == (3, 2)


# Warm-up


def test_calls_in_the_warm_up_are_free() -> None:
    tracer, x = Tracer(Limit(0, "traces", warmup=3)), sizes()
    assert [tracer.trace(next(x), call=call) for call in (1, 2, 3)] == [None] * 3
    assert tracer.trace(next(x), call=4) is not None


def test_where_nobody_counts_calls_each_trace_is_one() -> None:
    tracer, x = Tracer(Limit(0, "traces", warmup=3)), sizes()
    assert [tracer.trace(next(x)) for _ in range(3)] == [None] * 3
    assert tracer.trace(next(x)) is not None


def test_calls_that_other_threads_have_under_way_are_calls_too() -> None:
    """TensorFlow counts a call when it is over, so that each of these is the first."""
    tracer, x = Tracer(Limit(0, warmup=2)), sizes()
    assert [tracer.ask(next(x), call=1)[1] is None for _ in range(4)] == [True, True, False, False]


def test_the_warm_up_does_not_come_again() -> None:
    """A forked process numbers its calls anew; without a warm-up the numbers mean nothing at all."""
    tracer, x = Tracer(Limit(0, "traces", warmup=5)), sizes()
    tracer.trace(next(x), call=5)
    assert tracer.trace(next(x), call=6) is not None
    assert tracer.trace(next(x), call=1) is not None
    plain = Tracer(Limit(0))
    plain.trace(next(x), call=1)
    assert plain.trace(next(x), call=-19) is not None


# Where a limit does not refuse


def test_what_is_not_refused_is_told_once_and_counted() -> None:
    tracer, x = Tracer(Limit(0, "traces")), sizes()
    told = [tracer.trace(next(x), refuse=False) for _ in range(3)]
    assert [(b.traces, b.retraces) for b in told if b is not None] == [(0, 0), (1, 0), (2, 1)]
    event, breach = tracer.ask(none("x"), object=2, refuse=False)
    assert breach is None
    made, breach = tracer.make(event, refuse=False)
    assert breach is not None
    assert breach.traces == 3
    assert tracer.make(made, refuse=False)[1] is None


# Threads and processes


def test_threads_get_exactly_as_many_as_there_are() -> None:
    """Function objects of two graphs and several shapes each, in eight threads: two first traces and ten retraces."""
    tracer = Tracer(Limit(10))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    start = threading.Barrier(8)

    def work(number: int) -> list[Breach | None]:
        start.wait(60)
        return [
            tracer.trace(tensor("x", size), object=number, fingerprint=f"graph {number % 2}", id=1000 * number + size)
            for size in range(20)
        ]

    try:
        with ThreadPoolExecutor(8) as pool:
            outcomes = [outcome for thread in pool.map(work, range(8)) for outcome in thread]
    finally:
        sys.setswitchinterval(interval)
    assert outcomes.count(None) == 12
    assert {breach.retraces for breach in outcomes if breach is not None} == {10}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 does not like a fork where there are threads
def test_a_forked_process_holds_what_its_own_thread_held() -> None:
    tracer, x = Tracer(Limit(2)), sizes()
    tracer.trace(next(x))
    tracer.ask(next(x))  # goes on in the child
    with ThreadPoolExecutor(1) as pool:
        pool.submit(tracer.ask, next(x)).result()  # never ends there
    assert tracer.ask(next(x))[1] is not None
    holding, go_on = threading.Event(), threading.Event()

    def hold_the_lock() -> None:
        with tracer.count._lock:
            holding.set()
            go_on.wait(60)

    thread = threading.Thread(target=hold_the_lock)
    thread.start()
    holding.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is ended, and the test fails
        free = 0
        while tracer.ask(next(x))[1] is None:
            free += 1
        os._exit(free)
    go_on.set()
    thread.join(60)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


# Any order


class Asked(msgspec.Struct):
    """A trace under way."""

    event: TraceEvent
    made: bool = False


class Interleavings(RuleBasedStateMachine):
    """Requests of several functions and function objects, made, kept, failed and withdrawn in any order.

    What must be true of any order is worked out anew from the traces that were kept: never more than the limit. And
    where nothing is under way, a refusal means that there was no room.
    """

    @initialize(most=st.integers(0, 3), of=st.sampled_from(["retraces", "traces"]))
    def begin(self, most: int, of: Any) -> None:
        self.tracer = Tracer(Limit(most, of))
        self.sizes = sizes()
        self.under_way: list[Asked] = []
        self.done: list[TraceEvent] = []  # in the order in which they were made
        self.exact = True

    @rule(function=st.sampled_from([STEP, OTHER]), owner=st.integers(1, 4))
    def ask(self, function: FunctionId, owner: int) -> None:
        if any((a.event.function, a.event.object) == (function, owner) for a in self.under_way):
            return  # an object is traced by one thread at a time
        busy = any(a.event.function == function for a in self.under_way)
        event, breach = self.tracer.ask(next(self.sizes), function=function, object=owner)
        if breach is None:
            self.under_way.append(Asked(event))
        else:
            self.check_refusal(breach, busy)

    @precondition(lambda self: any(not asked.made for asked in self.under_way))
    @rule(data=st.data(), graph=st.sampled_from(["f", "g"]))
    def make(self, data: st.DataObject, graph: str) -> None:
        asked = data.draw(st.sampled_from([asked for asked in self.under_way if not asked.made]))
        busy = any(a is not asked and a.event.function == asked.event.function for a in self.under_way)
        asked.event, breach = self.tracer.make(asked.event, graph)
        asked.made = True
        if breach is None:
            self.done.append(asked.event)
        else:
            self.tracer.fail(asked.event)
            self.under_way.remove(asked)
            self.check_refusal(breach, busy)

    @precondition(lambda self: any(asked.made for asked in self.under_way))
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        asked = data.draw(st.sampled_from([asked for asked in self.under_way if asked.made]))
        self.tracer.end(asked.event)
        self.under_way.remove(asked)

    @precondition(lambda self: self.under_way)
    @rule(data=st.data(), how=st.sampled_from(["fail", "withdraw"]))
    def give_back(self, data: st.DataObject, how: str) -> None:
        asked = data.draw(st.sampled_from(self.under_way))
        if how == "fail":
            self.tracer.fail(asked.event)
        else:
            self.tracer.count.withdraw(asked.event)
        self.under_way.remove(asked)
        if asked.made:
            self.done.remove(asked.event)
            self.exact = False  # others may have been refused, or counted, because of it

    def check_refusal(self, breach: Breach, busy: bool) -> None:
        limit = breach.limit
        if self.exact and not busy:
            retraces, any_at_all = self.kept(breach.function)
            assert retraces + (limit.of == "traces" and any_at_all) == limit.most
            assert breach.retraces == retraces

    def kept(self, function: FunctionId) -> tuple[int, bool]:
        """How many of the traces that are there are retraces, and is there any?"""
        objects: set[int | None] = set()
        graphs: set[str | None] = set()
        retraces = 0
        for event in self.done:
            if event.function == function:
                retraces += event.object in objects or event.fingerprint in graphs
                objects.add(event.object)
                graphs.add(event.fingerprint)
        return retraces, bool(objects)

    @invariant()
    def there_are_never_more_than_the_limit(self) -> None:
        limit = self.tracer.count.limit
        for function in (STEP, OTHER):
            retraces, any_at_all = self.kept(function)
            assert retraces + (limit.of == "traces" and any_at_all) <= limit.most


Interleavings.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestInterleavings = Interleavings.TestCase
