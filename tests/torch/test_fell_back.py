"""The moment a function is compiled no more: told, with what a call costs from then on, and without a trace of us."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import traceonce
from tests.source_lines import line_of
from tests.torch.compiled import only, own_problems, told
from traceonce.causes.cause_text import say_remedy
from traceonce.causes.definition import Happened
from traceonce.facts import Verdict
from traceonce.knowledge.cause_records import records_of
from traceonce.report.sentences import describe_falling_back


@pytest.fixture(autouse=True)
def _few(torch: Any, dynamo: Any) -> Iterator[None]:
    with torch._dynamo.config.patch(recompile_limit=3):
        yield


def named(x: Any, name: str) -> Any:
    return x + len(name)


def run(torch: Any, count: int, function: Any = named, **options: Any) -> Any:
    step = torch.compile(function, backend="eager", **options)
    for number in range(count):
        for _ in range(2):
            step(torch.ones(3), "a" * number)  # the call
    return step


def test_it_is_told_with_its_limit_its_place_and_its_cost(torch: Any) -> None:
    traced = sys.gettrace()
    with traceonce.watch() as seen:
        step = run(torch, 6)
        step(torch.ones(3), "a")
    assert sys.gettrace() is traced
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.retraces) == (3, 2)
    assert told(diagnosis) == [("value", "name", "''", "'a'"), ("fell_back", "named", "compiled", "eager")]
    (finding,) = seen.recording.findings
    fell_back = finding.fell_back
    assert fell_back is not None
    assert fell_back.limit == 3
    assert fell_back.call_site is not None
    assert fell_back.call_site.line == line_of(run, "# the call")
    assert seen.events[-1].start < (fell_back.start or 0.0)
    assert fell_back.compiled_seconds is not None
    assert (fell_back.eager_seconds is not None) == (traced is None)
    assert "name == 'aa'" in (finding.cause.note or "")
    assert (diagnosis.verdict, diagnosis.fell_back) == (Verdict.FELL_BACK, fell_back)


def test_an_eager_call_of_many_functions_is_timed_and_the_tracer_is_gone(torch: Any) -> None:
    def deep(x: Any, name: str) -> Any:
        for _ in range(20):
            x = torch.nn.functional.relu(x) + len(name)
        return x

    with traceonce.watch() as seen:
        run(torch, 5, deep)
    assert not str(getattr(sys.gettrace(), "__module__", None)).startswith("traceonce")
    assert not own_problems(seen.recording)
    assert len(seen.recording.findings) == 1


def test_a_watch_that_ends_before_takes_its_tracer_with_it(torch: Any) -> None:
    before = sys.gettrace()
    with traceonce.watch() as seen:
        step = torch.compile(named, backend="eager")
        for number in range(4):
            step(torch.ones(3), "a" * number)
    assert sys.gettrace() is before
    assert len(seen.recording.findings) == 1


def test_a_watch_that_ends_takes_its_tracer_out_of_other_threads(torch: Any) -> None:
    asked, go_on = threading.Event(), threading.Event()
    tracers: list[Any] = []

    def work() -> None:
        step = torch.compile(named, backend="eager")
        for number in range(4):
            step(torch.ones(3), "a" * number)
        asked.set()
        go_on.wait()
        tracers.append(sys.gettrace())

    thread = threading.Thread(target=work)
    before = threading.gettrace()
    with traceonce.watch():
        thread.start()
        assert asked.wait(60)
    go_on.set()
    thread.join()
    assert tracers == [before]


def test_the_first_calls_are_cold_and_are_not_what_is_told(torch: Any) -> None:
    plain: list[int] = []

    def slow_at_first(x: Any, name: str) -> Any:
        if not torch.compiler.is_compiling():
            plain.append(1)
            time.sleep(0.2 if len(plain) < 3 else 0.0)
        return x + len(name)

    with traceonce.watch() as seen:
        run(torch, 8, slow_at_first)
    (finding,) = seen.recording.findings
    assert finding.fell_back is not None
    if sys.gettrace() is None:
        assert (finding.fell_back.eager_seconds or 1.0) < 0.2


def test_somebody_elses_tracer_is_left_alone(torch: Any) -> None:
    def tracer(frame: Any, event: str, argument: Any) -> None:
        return None

    before = sys.gettrace()
    with traceonce.watch() as seen:
        sys.settrace(tracer)
        try:
            run(torch, 5)
            assert sys.gettrace() is tracer
        finally:
            sys.settrace(before)
    (finding,) = seen.recording.findings
    assert finding.fell_back is not None
    assert finding.fell_back.eager_seconds is None


def test_a_module_that_counts_its_steps(torch: Any) -> None:
    class Net(torch.nn.Module):  # type: ignore[misc]  # PyTorch is untyped here
        def __init__(self) -> None:
            super().__init__()
            self.step = 0

        def forward(self, x: Any) -> Any:
            self.step += 1
            return x * self.step

    net = torch.compile(Net(), backend="eager")
    with traceonce.watch() as seen:
        for _ in range(6):
            net(torch.ones(3))
    diagnosis = only(seen)
    assert told(diagnosis) == [("guard", "self.step", "0", "1"), ("fell_back", "forward", "compiled", "eager")]
    assert diagnosis.causes[0].count == 2


@pytest.mark.parametrize("how", ["fail_on_recompile_limit_hit", "fullgraph"])
def test_where_it_is_to_fail_it_fails_and_that_is_told(torch: Any, how: str) -> None:
    options = {"fullgraph": True} if how == "fullgraph" else {}
    failing = torch._dynamo.config.patch(fail_on_recompile_limit_hit=how != "fullgraph")
    with traceonce.watch() as seen, failing, pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
        run(torch, 6, **options)
    assert not seen.recording.findings
    assert [event.phase for event in seen.events] == ["first", "retrace", "retrace", "failed"]
    assert (seen.events[-1].error or "").startswith("FailOnRecompileLimitHit: ")


def test_each_function_has_its_own(torch: Any) -> None:
    def other(x: Any, name: str) -> Any:
        return x - len(name)

    with traceonce.watch() as seen:
        run(torch, 4)
        run(torch, 2, other)
    fallen = {diagnosis.function.short_name: diagnosis.fell_back is not None for diagnosis in seen.diagnoses}
    assert fallen == {"named": True, "other": False}


def test_after_a_reset_it_is_compiled_again(torch: Any) -> None:
    with traceonce.watch() as seen:
        run(torch, 4)
        torch._dynamo.reset()
        run(torch, 4)
    assert len(seen.recording.findings) == 2
    assert only(seen).traces == 6


def test_the_rest_of_a_function_after_a_graph_break(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(x: Any, name: str) -> Any:
        x = x + 1
        print(end="")
        return x + len(name)

    with traceonce.watch() as seen:
        run(torch, 6, broken)
    (finding,) = seen.recording.findings
    assert finding.function.short_name == "broken"
    assert "after a graph break" in (finding.cause.note or "")
    assert finding.fell_back is not None
    assert finding.fell_back.call_site is not None
    assert finding.fell_back.call_site.line == line_of(run, "# the call")


def returned(x: Any, flag: bool) -> Any:
    return x if flag else x * 2


def test_a_function_that_is_left_alone_for_good_after_one_call(torch: Any) -> None:
    """PyTorch finds nothing to compile in one call, and then compiles no other, nor runs what it has compiled."""
    runs: list[int] = []

    def backend(graph: Any, _: Any) -> Any:
        def run(*arguments: Any) -> Any:
            runs.append(1)
            return graph(*arguments)

        return run

    step = torch.compile(returned, backend=backend)
    with traceonce.watch() as seen:
        for flag in (False, False, True, False, False):
            step(torch.ones(3), flag)
    assert len(runs) == 2
    diagnosis = only(seen)
    assert (diagnosis.verdict, diagnosis.traces) == (Verdict.FELL_BACK, 1)
    assert told(diagnosis) == [("fell_back", "returned", "compiled", "eager")]
    assert diagnosis.fell_back is not None
    assert diagnosis.fell_back.limit is None
    assert "No ops traced" in (diagnosis.causes[0].note or "")
    remedy = say_remedy(Happened(diagnosis.causes[0], "torch", diagnosis.function), "en")
    assert remedy.startswith("move what that call did differently")
    assert records_of(diagnosis) == []
    assert describe_falling_back(diagnosis) == "fell back to plain Python after 1 compilation"


def test_a_function_that_never_was_compiled_has_not_fallen_back(torch: Any) -> None:
    with traceonce.watch() as seen:
        step = torch.compile(returned, backend="eager")
        for flag in (True, False, True):
            step(torch.ones(3), flag)
    assert not seen.recording.findings
