"""OpenTelemetry: one span per trace, with its causes, in a program that has set it up; nothing in one that has not."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import StatusCode
from opentelemetry.util._once import Once

import traceonce

HERE = "tests/tensorflow/test_spans.py"


@pytest.fixture(autouse=True)
def no_provider_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may set its tracer provider once; each test is to be such a process, and leaves none to the others."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())


@pytest.fixture
def configure() -> Callable[..., InMemorySpanExporter]:
    """What a program does that uses OpenTelemetry; gives what it would send."""

    def configure(provider: TracerProvider | None = None) -> InMemorySpanExporter:
        provider = provider or TracerProvider()
        exporter = InMemorySpanExporter()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
        return exporter

    return configure


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def line_of(function: Any) -> int:
    line: int = function.python_function.__code__.co_firstlineno
    return line


def test_a_span_per_trace_with_its_causes(tf: Any, configure: Any) -> None:
    exporter = configure()
    train_step = tf.function(lambda x, k: tf.reduce_sum(x) * k)
    with traceonce.watch() as seen:
        for size, k in ((12, 1.0), (12, 1.0), (9, 2.0)):
            train_step(tf.zeros([3, size]), k)
            line = sys._getframe().f_lineno - 1
    first, again = exporter.get_finished_spans()
    name = "test_a_span_per_trace_with_its_causes.<locals>.<lambda>"
    common = {
        "traceonce.function": name,
        "traceonce.backend": "tensorflow",
        "traceonce.call_site": f"{HERE}:{line}",
        "code.function.name": name,
        "code.file.path": HERE,
        "code.line.number": line_of(train_step),
    }
    assert first.name == again.name == f"trace {name}"
    assert attributes_of(first) == common | {
        "traceonce.phase": "first",
        "traceonce.ordinal": 1,
        "traceonce.call": 1,
        "traceonce.exclusive_seconds": seen.events[0].exclusive_seconds,
        "traceonce.nodes": seen.events[0].nodes,
    }
    assert attributes_of(again) == common | {
        "traceonce.phase": "retrace",
        "traceonce.ordinal": 2,
        "traceonce.call": 3,
        "traceonce.exclusive_seconds": seen.events[1].exclusive_seconds,
        "traceonce.nodes": seen.events[1].nodes,
        "traceonce.causes": ("x.shape[1]: now 9, before 12 (varies)", "k: now 2.0, before 1.0 (a Python float)"),
        "traceonce.cause.code": ("shape", "value"),
        "traceonce.cause.path": ("x.shape[1]", "k"),
        "traceonce.cause.was": ("12", "1.0"),
        "traceonce.cause.now": ("9", "2.0"),
    }
    assert first.status.status_code is again.status.status_code is StatusCode.UNSET


def test_a_span_lasts_as_long_as_its_trace(tf: Any, configure: Any) -> None:
    exporter = configure()
    with traceonce.watch() as seen:
        tf.function(lambda x: x + 1)(tf.constant(1.0))
    (span,), (event,) = exporter.get_finished_spans(), seen.events
    assert span.start_time == pytest.approx(event.start * 1e9, abs=1000)
    assert span.end_time - span.start_time == pytest.approx(event.seconds * 1e9, abs=2000)


def test_a_span_is_below_the_one_that_is_current(tf: Any, configure: Any) -> None:
    exporter = configure()
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch():
        with trace.get_tracer("the program").start_as_current_span("epoch") as epoch:
            step(tf.zeros([3]))
        step(tf.zeros([4]))
        other = threading.Thread(target=step, args=(tf.zeros([5]),))
        other.start()
        other.join()
    inside, _, outside, elsewhere = exporter.get_finished_spans()
    assert inside.parent == epoch.get_span_context()
    assert inside.context.trace_id == epoch.get_span_context().trace_id
    assert outside.parent is elsewhere.parent is None


def test_what_tensorflow_traces_for_itself_has_no_span(tf: Any, configure: Any) -> None:
    """A first call that creates variables: two traces and an initialiser, one of them the user's."""
    exporter = configure()

    class Model:
        v = None

        @tf.function
        def step(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(1.0)
            return tf.reduce_sum(x) * self.v

    model = Model()
    with traceonce.watch() as seen:
        model.step(tf.zeros([3]))
        model.step(tf.zeros([4]))
    assert len(seen.events) == 4
    told = [attributes_of(span) for span in exporter.get_finished_spans()]
    assert [(a["traceonce.phase"], a["traceonce.ordinal"]) for a in told] == [("first", 1), ("retrace", 2)]
    assert told[1]["traceonce.causes"] == ("x.shape[0]: now 4, before 3 (varies)",)


def test_a_trace_that_raised(tf: Any, configure: Any) -> None:
    exporter = configure()

    @tf.function(autograph=False)
    def step(x: Any) -> Any:
        raise ValueError(f"no way: {x.dtype.name}")

    with traceonce.watch() as seen, pytest.raises(ValueError, match="no way: float32"):
        step(tf.constant(1.0))
    (span,) = exporter.get_finished_spans()
    assert attributes_of(span)["traceonce.phase"] == "failed"
    assert attributes_of(span)["error.type"] == "ValueError"
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "ValueError: no way: float32")
    (event,) = span.events
    assert (event.name, event.timestamp) == ("exception", span.end_time)
    assert dict(event.attributes or {}) == {
        "exception.type": "ValueError",
        "exception.message": "no way: float32",
    }
    assert not [notice for notice in seen.recording.notices if notice.error]


@pytest.mark.parametrize("variable", [None, "sdk_tracer_provider"])
def test_without_a_provider_nothing_happens(tf: Any, monkeypatch: pytest.MonkeyPatch, variable: str | None) -> None:
    """Nor is one set up by us, not even the one that the environment names: the program could not set its own then."""
    if variable:
        monkeypatch.setenv("OTEL_PYTHON_TRACER_PROVIDER", variable)
    with traceonce.watch() as seen:
        tf.function(lambda x: x + 1)(tf.constant(1.0))
    assert len(seen.events) == 1
    assert not [notice for notice in seen.recording.notices if notice.error]
    assert trace._TRACER_PROVIDER is None


def test_a_provider_that_does_nothing(tf: Any) -> None:
    trace.set_tracer_provider(trace.NoOpTracerProvider())
    with traceonce.watch() as seen:
        tf.function(lambda x: x + 1)(tf.constant(1.0))
    assert not [notice for notice in seen.recording.notices if notice.error]


def test_spans_that_are_not_sampled(tf: Any, configure: Any) -> None:
    exporter = configure(TracerProvider(sampler=ALWAYS_OFF))
    with traceonce.watch() as seen:
        tf.function(lambda x: x + 1)(tf.constant(1.0))
    assert exporter.get_finished_spans() == ()
    assert not [notice for notice in seen.recording.notices if notice.error]


def test_a_provider_that_comes_later_knows_what_came_before(tf: Any, configure: Any) -> None:
    step = tf.function(lambda x, k: tf.reduce_sum(x) * k)
    with traceonce.watch():
        step(tf.zeros([3]), 1.0)
        step(tf.zeros([3]), 2.0)
        exporter = configure()
        step(tf.zeros([4]), 2.0)
    (span,) = exporter.get_finished_spans()
    told = attributes_of(span)
    assert (told["traceonce.ordinal"], told["traceonce.causes"]) == (3, ("x.shape[0]: now 4, before 3 (varies)",))


def test_traces_from_before_the_watch_are_known(tf: Any, configure: Any) -> None:
    exporter = configure()
    step = tf.function(lambda x: tf.reduce_sum(x))
    step(tf.zeros([3]))
    assert exporter.get_finished_spans() == ()
    with traceonce.watch():
        step(tf.zeros([4]))
    (span,) = exporter.get_finished_spans()
    assert attributes_of(span)["traceonce.causes"] == ("x.shape[0]: now 4, before 3 (varies)",)


def test_a_processor_that_raises_does_not_reach_the_program(tf: Any, configure: Any) -> None:
    class Broken(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            raise OSError("the collector is gone")

    provider = TracerProvider()
    provider.add_span_processor(Broken())
    configure(provider)
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        assert [float(step(tf.ones([size]))) for size in (1, 2, 3)] == [1.0, 2.0, 3.0]
    problems = [notice.text for notice in seen.recording.notices if notice.error]
    assert problems == [
        "reporting traces to OpenTelemetry failed (OSError: the collector is gone); the program was not affected"
    ]


def test_a_program_that_imports_it_after_the_first_trace(tmp_path: Path) -> None:
    """The hub notices the import by itself."""
    script = tmp_path / "program.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, traceonce
            import tensorflow as tf

            step = tf.function(lambda x: tf.reduce_sum(x))
            with traceonce.watch():
                step(tf.zeros([3]))
                assert "opentelemetry.trace" not in sys.modules
                from opentelemetry import trace
                from opentelemetry.sdk.trace import TracerProvider
                from opentelemetry.sdk.trace.export import SimpleSpanProcessor
                from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

                exporter = InMemorySpanExporter()
                trace.set_tracer_provider(TracerProvider())
                trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
                step(tf.zeros([4]))
            for span in exporter.get_finished_spans():
                print(span.name, span.attributes["traceonce.phase"], *span.attributes["traceonce.causes"])
            """
        )
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "trace <lambda> retrace x.shape[0]: now 4, before 3 (varies)\n"
