"""What is lost, what is costly, and that neither decides a verdict."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.handmade import Events, python, record, tensor
from traceonce.diagnosis import diagnose
from traceonce.diagnosis.costs import find_costly
from traceonce.facts import CallSite, Diagnosis, FunctionId, Reason, Recording, TraceEvent, Verdict
from traceonce.facts.attention import sort_by_attention

RECORDED = Path(__file__).parents[2] / "recorded"
DURATIONS = ("seconds", "exclusive_seconds", "first_run_seconds", "steady_run_seconds", "preparing_seconds")


def slower(recording: Recording, times: float) -> Recording:
    """The same run on a machine that is slower by this."""

    def stretch(event: TraceEvent) -> TraceEvent:
        known = {name: getattr(event, name) for name in DURATIONS}
        longer = {name: value * times for name, value in known.items() if value is not None}
        return msgspec.structs.replace(event, **longer)

    return msgspec.structs.replace(
        recording, seconds=recording.seconds * times, events=tuple(map(stretch, recording.events))
    )


def judgements(recording: Recording) -> dict[str, tuple[object, ...]]:
    return {d.function.key: (d.verdict, d.growth, d.reason, d.causes) for d in diagnose(recording)}


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*.jsonl")), ids=lambda file: file.stem)
@pytest.mark.parametrize("times", [0.1, 10.0, 1000.0])
def test_a_verdict_is_the_same_on_every_machine(file: Path, times: float) -> None:
    recording = Recording.load(file)
    assert judgements(slower(recording, times)) == judgements(recording)


@given(st.lists(st.tuples(st.integers(1, 6), st.booleans(), st.floats(0, 100)), max_size=40), st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_so_it_is_of_any_run(sizes: list[tuple[int, bool, float]], more: int) -> None:
    event = Events()
    events = [
        event(tensor("x", size), python("flag", flag), call=call, exclusive_seconds=took, first_run_seconds=took)
        for call, (size, flag, took) in enumerate(sizes, 1)
    ]
    recording = record(*events, calls=len(events) + more, seconds=50.0)
    expected = judgements(recording)
    assert judgements(slower(recording, 0.1)) == expected == judgements(slower(recording, 10.0))


def test_costly_are_as_many_as_it_takes() -> None:
    assert find_costly([1.0, 9.0, 3.0], 100.0) == [1]  # 13 s lost; the others 4 s, and 5 s are allowed
    assert find_costly([2.0, 9.0, 3.1], 100.0) == [1, 2]


def test_a_second_costs_nothing_however_short_the_run() -> None:
    assert find_costly([0.5, 0.5], 1.5) == []
    assert find_costly([0.5, 0.6], 1.5) == [1]


def test_many_small_losses_are_named_until_the_rest_is_small() -> None:
    costly = find_costly([3.0] * 10, 100.0)
    assert len(costly) == 9


def test_nothing_lost_is_never_costly() -> None:
    assert find_costly([0.0, 0.0], 0.0) == []
    assert find_costly([], 10.0) == []


def paid_off(name: str, seconds: float) -> list[TraceEvent]:
    """A warm-up for three shapes."""
    event = Events(FunctionId(name, "train.py", 1), start=1000.0 + hash(name) % 100)
    return [event(tensor("x", n), call=n, exclusive_seconds=seconds) for n in (1, 2, 3)]


def test_what_is_left_out_has_a_price() -> None:
    """Ten calls to a trace, and a quarter of the run: bounded, and named with its causes."""
    (diagnosis,) = diagnose(record(*paid_off("f", 8.5), calls=1000, seconds=68.0))
    assert (diagnosis.verdict, diagnosis.costly, diagnosis.share) == (Verdict.BOUNDED, True, 0.25)
    recording = record(*paid_off("f", 8.5), calls=1000, seconds=68.0)
    assert sort_by_attention(recording, [diagnosis]).costly == [diagnosis]


def test_what_cannot_be_told_from_an_ordinary_run_is_named_at_that_price() -> None:
    """Graphs that ran once, for half of the run: nobody knows what of it prepared them."""
    event = Events()
    events = [event(tensor("x", n), call=n, first_run_seconds=10.0) for n in (1, 2, 3)]
    (diagnosis,) = diagnose(record(*events, calls=3, seconds=40.0))
    assert (diagnosis.lost_seconds, diagnosis.unclear_seconds, diagnosis.costly) == (0.0, 20.0, True)
    assert "another 20.0 s" in diagnosis.notes[-1]


def test_the_same_code_over_other_sizes_has_a_price_and_is_no_alarm() -> None:
    """Twelve models that took three fifths of the run, each called once: with what they close over, at their price."""
    event = Events(wiring="w")
    events = [
        event(tensor("x"), object=n, fingerprint=str(n), captured={"weights": f"float32[4, {n}]"}, call=n, seconds=10.0)
        for n in range(1, 13)
    ]
    timed = [msgspec.structs.replace(each, exclusive_seconds=10.0) for each in events]
    (diagnosis,) = diagnose(record(*timed, calls=12, seconds=200.0))
    assert (diagnosis.verdict, diagnosis.reason) == (Verdict.BOUNDED, Reason.OTHER_SIZES)
    assert (diagnosis.retraces, diagnosis.lost_seconds, diagnosis.costly) == (11, 110.0, True)
    assert [(c.code.value, c.path, c.count) for c in diagnosis.causes] == [
        ("new_function", "train_step", 11),
        ("captured", "weights", 11),
    ]
    cheap = record(*events, calls=12 * 50, seconds=200.0)
    assert [d.costly for d in diagnose(cheap)] == [False]


def test_over_other_sizes_and_in_a_loop_over_each_the_loop_is_the_alarm() -> None:
    """The same size again is the same graph again, whatever sizes came before."""
    event = Events(wiring="w")
    events = [
        event(tensor("x"), object=n, fingerprint=str(n % 2), captured={"w": f"float32[4, {n % 2}]"}, call=n + 1)
        for n in range(10)
    ]
    (diagnosis,) = diagnose(record(*events, calls=10))
    assert (diagnosis.verdict, diagnosis.reason, diagnosis.retraces) == (Verdict.RETRACING, Reason.NEW_OBJECTS, 9)


@given(
    st.lists(st.floats(0, 50), max_size=12),
    st.floats(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_no_report_is_silent_about_more_than_a_twentieth_of_the_run(lost: list[float], seconds: float) -> None:
    events = [event for index, each in enumerate(lost) for event in paid_off(f"f{index}", each)]
    recording = record(*events, calls=1000, seconds=seconds)
    attention = sort_by_attention(recording, diagnose(recording))
    assert sum(d.lost_seconds + d.unclear_seconds for d in attention.quiet) <= max(1.0, 0.05 * seconds) + 1e-4


def test_what_a_library_traces_inside_of_another_function_for_one_line_costs_that_one() -> None:
    """Keras traces a step inside of its loop over steps: for the user that is one `model.fit`."""
    made = CallSite("train.py", 7, "keras/trainer.py:233")
    outer = Events(FunctionId("multi_step", "keras/trainer.py", 1, library=True), made_at=made)
    inner = Events(FunctionId("one_step", "keras/trainer.py", 9, library=True), made_at=made)
    loops = [outer(tensor("x", n), call=n, exclusive_seconds=1.0) for n in (1, 2, 3)]
    steps = [
        inner(tensor("x", n), id=100 + n, parent=loop.id, exclusive_seconds=4.0) for n, loop in enumerate(loops, 1)
    ]
    elsewhere = [msgspec.structs.replace(step, made_at=CallSite("train.py", 8)) for step in steps]
    together, apart = (record(*loops, *each, calls=1000, seconds=100.0) for each in (steps, elsewhere))
    assert {d.function.name: (d.lost_seconds, d.share) for d in diagnose(together)} == {
        "multi_step": (10.0, 0.1),
        "one_step": (0.0, 0.0),
    }
    assert {d.function.name: d.lost_seconds for d in diagnose(apart)} == {"multi_step": 2.0, "one_step": 8.0}


def test_every_function_is_in_one_place() -> None:
    recording = Recording.load(RECORDED / "translate.jsonl")
    diagnoses = diagnose(recording)
    attention = sort_by_attention(recording, diagnoses)
    everywhere: list[Diagnosis] = [*attention.named, *attention.quiet]
    assert sorted(d.function.key for d in everywhere) == sorted(d.function.key for d in diagnoses)


def test_an_accident_is_no_alarm() -> None:
    event = Events()
    events = [event(tensor("x", 3, dtype=dtype), call=n) for n, dtype in enumerate(("float32", "int32"), 1)]
    recording = record(*events, calls=1000)
    (diagnosis,) = diagnose(recording)
    attention = sort_by_attention(recording, [diagnosis])
    assert diagnosis.verdict is Verdict.AVOIDABLE
    assert (attention.alarms, attention.avoidable, attention.quiet) == ([], [diagnosis], [])
