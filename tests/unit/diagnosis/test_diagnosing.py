"""From a recording to a diagnosis per function: what is counted, what it cost, and in which order."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, cause, container, none, python, record, signature, tensor, thing
from traceonce.diagnosis import diagnose, diagnose_with_events
from traceonce.diagnosis.diagnose import VALUES, explain_events
from traceonce.errors import TracingLimitReached
from traceonce.facts import (
    CallSite,
    CauseCode,
    Diagnosis,
    Finding,
    FunctionId,
    Recording,
    Signature,
    SiteCount,
    TraceEvent,
    Verdict,
)


def only(recording: Recording) -> Diagnosis:
    (diagnosis,) = diagnose(recording)
    return diagnosis


def retraced(widths: int, **fields: Any) -> list[TraceEvent]:
    """A trace for each width from 1 on, one in each call."""
    event = Events()
    return [event(tensor("x", width), call=width, **fields) for width in range(1, widths + 1)]


def test_counts() -> None:
    event = Events()
    diagnosis = only(
        record(
            event(tensor("x", 1), call=1),
            event(tensor("x", 1), phase="internal"),
            event(tensor("x", 2), call=2),
            event(tensor("x", 3), call=3, phase="failed", error="ValueError: no"),
            event(Signature(), kind="backward", phase="internal"),
            event(tensor("x", 1), kind="compile"),
            event(tensor("x", 2), kind="compile", phase="retrace"),
            calls=40,
        )
    )
    counted = {
        "traces": 2, "retraces": 1, "internal": 1, "failed": 1, "calls": 40, "backwards": 1, "compiles": 2
    }  # fmt: skip
    assert {name: getattr(diagnosis, name) for name in counted} == counted


def test_a_function_with_nothing_but_internal_traces_is_not_told() -> None:
    assert diagnose(record(Events()(tensor("x"), phase="internal"))) == []


def test_several_function_objects_over_one_code_are_one_entry() -> None:
    event = Events()
    events = [event(tensor("x"), object=n, fingerprint="f", call=n) for n in (1, 2, 3)]
    diagnosis = only(record(*events, calls=3))
    assert (diagnosis.function, diagnosis.traces, diagnosis.retraces) == (STEP, 3, 2)


def test_functions_of_one_name_in_two_places_are_two_entries() -> None:
    elsewhere = FunctionId(STEP.name, "eval.py", 22)
    assert len(diagnose(record(Events()(tensor("x")), Events(elsewhere)(tensor("x"))))) == 2


def test_processes_have_their_own_history() -> None:
    here, there = Events(process="1"), Events(process="2", start=1000.5)
    diagnosis = only(record(here(tensor("x", 1)), there(tensor("x", 2)), here(tensor("x", 3)), calls=9))
    assert (diagnosis.traces, diagnosis.retraces) == (3, 1)
    assert [(c.was, c.now) for c in diagnosis.causes] == [("1", "3")]


def test_each_process_is_judged_by_its_own_calls() -> None:
    """A worker that traces in every call is not hidden by one that is called a thousand times."""
    quiet, busy = Events(process="1"), Events(process="2", start=2000.0)
    events = [quiet(tensor("x", 1), call=1), *(busy(tensor("x", n), call=n) for n in range(1, 9))]
    recording = record(*events, calls=8)
    recording = msgspec.structs.replace(recording, calls=recording.calls | {"1": {STEP.key: 1000}})
    diagnosis = only(recording)
    assert (diagnosis.verdict, diagnosis.calls, diagnosis.traces) == (Verdict.RETRACING, 1008, 9)


def test_the_retraces_of_one_process_are_not_held_against_the_calls_of_another() -> None:
    """Early among a thousand calls here, they would be late among the twenty there."""
    here, there = Events(process="1"), Events(process="2", start=2000.0)
    events = [*(here(tensor("x", n), call=n) for n in (1, 12, 17)), there(tensor("x", 1), call=1)]
    recording = msgspec.structs.replace(record(*events), calls={"1": {STEP.key: 1000}, "2": {STEP.key: 20}})
    assert (only(recording).verdict, only(recording).retraces) == (Verdict.BOUNDED, 2)


def test_processes_that_trace_once_each_are_fine_together() -> None:
    events = [Events(process=str(n), start=1000.0 * n)(tensor("x", n), call=1) for n in range(1, 9)]
    diagnosis = only(record(*events, calls=1))
    assert (diagnosis.verdict, diagnosis.traces, diagnosis.retraces, diagnosis.calls) == (Verdict.OK, 8, 0, 8)


def test_a_child_that_was_forked_continues_its_parent() -> None:
    here, there = Events(process="1"), Events(process="2", start=2000.0)
    events = explain_events(record(here(tensor("x", 1)), there(tensor("x", 2)), forks={"2": "1"}))
    assert [item.event.phase for item in events] == ["first", "retrace"]
    assert [item.event.ordinal for item in events] == [1, 2]


# Causes over the whole run


def test_a_cause_is_gathered_by_code_and_place() -> None:
    diagnosis = only(record(*retraced(4), calls=4))
    ((gathered),) = diagnosis.causes
    assert (gathered.code, gathered.path, gathered.count) == (CauseCode.SHAPE, "x.shape[0]", 3)
    assert (gathered.was, gathered.now, gathered.values) == ("1", "2", ("1", "2", "3", "4"))


def test_all_independent_causes_are_listed_the_most_frequent_first() -> None:
    event = Events()
    widths = [12, 9, 12, 15, 20, 9]
    events = [event(tensor("x", 2, w), python("k", n), call=n + 1) for n, w in enumerate(widths)]
    assert [(c.path, c.count) for c in only(record(*events, calls=6)).causes] == [("k", 5), ("x.shape[1]", 3)]


def test_many_values_are_shortened_in_the_middle() -> None:
    (gathered,) = only(record(*retraced(50), calls=50)).causes
    assert gathered.count == 49
    assert gathered.values == (*(str(n) for n in range(1, VALUES)), "…", "50")


def test_a_place_is_finite_only_if_it_always_was() -> None:
    event = Events()
    switching = [event(none("m"), call=1), event(tensor("m"), call=2)]
    assert [c.finite for c in only(record(*switching, calls=2)).causes] == [True]
    for order in itertools.permutations([none("m"), tensor("m"), python("m", 1)]):
        event = Events()
        varying = [event(leaf, call=number) for number, leaf in enumerate(order, 1)]
        (varied,) = only(record(*varying, calls=3)).causes
        assert (varied.path, varied.count) == ("m", 2)
        assert varied.finite == (order[1].kind == "none")  # each was compared with the one before it


def test_a_switch_is_bounded_however_late_it_comes() -> None:
    event = Events()
    events = [event(python("training", True), call=1), event(python("training", False), call=99)]
    assert only(record(*events, calls=100)).verdict is Verdict.BOUNDED


def test_an_unknown_cause_has_words() -> None:
    event = Events()
    diagnosis = only(record(event(tensor("x"), call=1), event(tensor("x"), call=2), calls=2))
    (unknown,) = diagnosis.causes
    assert (unknown.code, unknown.path, diagnosis.retraces) == (CauseCode.UNKNOWN, "train_step", 1)
    assert "retraced anyway" in unknown.now


# New functions: waste, or other models


def looped(models: int, calls_each: int, *, same_graph: bool) -> Diagnosis:
    """`tf.function` applied anew in a loop, each function called a few times with equal arguments."""
    event = Events()
    events = [
        event(tensor("x"), object=n, fingerprint="f" if same_graph else f"f{n}", call=n * calls_each + 1)
        for n in range(models)
    ]
    return only(record(*events, calls=models * calls_each))


def test_the_same_graph_in_a_loop_is_retracing() -> None:
    diagnosis = looped(20, 1, same_graph=True)
    assert (diagnosis.verdict, diagnosis.retraces) == (Verdict.RETRACING, 19)
    assert [(c.code.value, c.count) for c in diagnosis.causes] == [("new_function", 19)]


def test_many_small_models_of_other_graphs_are_not() -> None:
    diagnosis = looped(20, 1, same_graph=False)
    assert (diagnosis.verdict, diagnosis.retraces, diagnosis.causes) == (Verdict.OK, 0, ())
    assert diagnosis.notes == (
        "20 different graphs under this name (other models, or other steps) do not count as retraces.",
    )


def test_many_small_models_of_one_graph_are_not_where_each_is_called_often() -> None:
    assert looped(20, 10, same_graph=True).verdict is Verdict.BOUNDED
    assert looped(20, 9, same_graph=True).verdict is Verdict.RETRACING


# Cost


def test_seconds_are_sums() -> None:
    """Inclusive, exclusive and first runs; of a trace that failed there was no run."""
    event = Events()
    diagnosis = only(
        record(
            event(tensor("x", 1), seconds=2.0, exclusive_seconds=1.5, first_run_seconds=0.5, call=1),
            event(tensor("x", 2), seconds=1.0, exclusive_seconds=0.75, first_run_seconds=0.25, call=2),
            event(tensor("x", 3), seconds=0.5, exclusive_seconds=0.25, phase="failed", call=3, error="no"),
            event(tensor("x", 1), seconds=8.0, exclusive_seconds=8.0, phase="internal"),
            calls=3,
        )
    )
    assert (diagnosis.seconds, diagnosis.exclusive_seconds, diagnosis.first_run_seconds) == (3.5, 2.5, 0.75)


def test_seconds_that_nobody_measured_are_none_lost() -> None:
    diagnosis = only(record(*retraced(3), calls=3))
    assert (diagnosis.seconds, diagnosis.exclusive_seconds, diagnosis.lost_seconds, diagnosis.share) == (0, 0, 0, 0)


def test_lost_is_what_the_retraces_cost_beyond_a_usual_run() -> None:
    """Exclusive tracing + first run − steady run, of the retraces alone: the first trace is no loss."""
    event = Events()
    diagnosis = only(
        record(
            event(tensor("x", 1), call=1, exclusive_seconds=9.0, first_run_seconds=9.0, steady_run_seconds=0.5),
            event(tensor("x", 2), call=2, exclusive_seconds=2.0, first_run_seconds=1.0, steady_run_seconds=0.25),
            calls=2,
            seconds=50.0,
        )
    )
    assert diagnosis.lost_seconds == pytest.approx(2.0 + 1.0 - 0.25)
    assert diagnosis.share == pytest.approx(2.75 / 50.0)


def test_where_a_graph_ran_once_only_what_is_known_to_prepare_it_is_lost() -> None:
    """How long an ordinary run of it takes, no other graph tells: the rest of the first run is unclear."""
    event = Events()
    events = [event(tensor("x", 1), call=1, steady_run_seconds=0.1)]
    events.append(event(tensor("x", 2), call=2, exclusive_seconds=1.0, first_run_seconds=0.5, preparing_seconds=0.2))
    events.append(event(tensor("x", 3), call=3, exclusive_seconds=1.0, first_run_seconds=0.5))
    diagnosis = only(record(*events, calls=3))
    assert diagnosis.lost_seconds == pytest.approx(1.0 + 0.2 + 1.0)
    assert diagnosis.unclear_seconds == pytest.approx(0.3 + 0.5)
    assert "another 800 ms" in diagnosis.notes[-1]


def test_what_prepared_a_graph_is_lost_however_slow_its_second_run_was() -> None:
    event = Events()
    times = {"first_run_seconds": 0.5, "preparing_seconds": 0.2, "steady_run_seconds": 0.4}
    diagnosis = only(record(event(tensor("x", 1), call=1), event(tensor("x", 2), call=2, **times), calls=2))
    assert (diagnosis.lost_seconds, diagnosis.unclear_seconds, diagnosis.notes) == (0.2, 0.0, ())


def test_a_first_run_that_was_quicker_than_usual_gains_nothing() -> None:
    event = Events()
    events = [event(tensor("x", 1), call=1)]
    events.append(event(tensor("x", 2), call=2, exclusive_seconds=1.0, first_run_seconds=0.1, steady_run_seconds=0.5))
    assert only(record(*events, calls=2)).lost_seconds == 1.0


def test_what_a_failed_retrace_took_is_lost_too() -> None:
    event = Events()
    events = [
        event(tensor("x", 1), call=1),
        event(tensor("x", 2), call=2, phase="failed", exclusive_seconds=0.5, error="no"),
    ]
    assert only(record(*events, calls=2)).lost_seconds == 0.5
    first = Events()(tensor("x", 1), call=1, phase="failed", exclusive_seconds=0.5, error="no")
    assert only(record(first, calls=1)).lost_seconds == 0.0


def test_what_a_recompilation_took_is_lost_too() -> None:
    event = Events(kind="compile", jit_compile=True)
    compiles = [event(tensor("x", 1), seconds=4.0), event(tensor("x", 2), seconds=1.5, phase="retrace")]
    assert only(record(Events()(tensor("x", None), call=1, id=9), *compiles, calls=2)).lost_seconds == 1.5


def test_the_share_of_a_run_of_no_length_is_not_known() -> None:
    assert only(record(*retraced(2), calls=2, seconds=0.0)).share is None


def test_bytes_are_a_sum_or_not_known() -> None:
    assert only(record(*retraced(3, bytes=100), calls=3)).bytes == 300
    assert only(record(*retraced(3), calls=3)).bytes is None


# Places


def test_call_sites_are_counted_the_most_frequent_first() -> None:
    event = Events()
    sites = [CallSite("a.py", 1), CallSite("b.py", 2, "keras/trainer.py:9"), CallSite("b.py", 2, "keras/trainer.py:9")]
    events = [event(tensor("x", n), call_site=site, call=n + 1) for n, site in enumerate(sites)]
    assert only(record(*events, calls=3)).call_sites == (
        SiteCount("b.py", 2, 2, "keras/trainer.py:9"),
        SiteCount("a.py", 1, 1, None),
    )


# The events of a diagnosis


def test_a_diagnosis_comes_with_the_traces_and_compilations_that_it_counts() -> None:
    event = Events()
    kept = [event(tensor("x", n), call=n) for n in (1, 2)]
    failed = event(tensor("x", 3), phase="failed", error="ValueError: no", call=3)
    others = [
        event(tensor("x", 4), phase="internal"),
        event(tensor("x", 5), phase="failed", error=f"{TracingLimitReached.__name__}: enough"),
        event(tensor("x", 6), kind="backward"),
    ]
    compiled = event(tensor("x", 1), kind="compile")
    ((diagnosis, events),) = diagnose_with_events(record(*kept, failed, *others, compiled, calls=3))
    assert (diagnosis.traces, diagnosis.failed, diagnosis.compiles) == (2, 1, 1)
    assert [found.id for found in events] == [each.id for each in (*kept, failed, compiled)]
    assert [found.phase for found in events[:2]] == ["first", "retrace"]


# Compilations


def compiled(*widths: tuple[int, ...], calls: int = 10, seconds: float = 100.0, **fields: Any) -> Diagnosis:
    """One trace, and a compilation for each of these shapes."""
    event = Events(kind="compile", jit_compile=True, start=1001.0)
    compiles = [
        event(tensor("x", *shape), phase="retrace" if n else "first", **fields) for n, shape in enumerate(widths)
    ]
    trace = Events()(tensor("x", *[None] * len(widths[0])), call=1, jit_compile=True, id=99)
    return only(record(trace, *compiles, calls=calls, seconds=seconds))


def test_recompilations_are_told_with_their_shapes() -> None:
    diagnosis = compiled((1,), (2,), (3,), (4,), calls=4, seconds=5.0)
    assert (diagnosis.verdict, diagnosis.compiles, diagnosis.traces) == (Verdict.RECOMPILING, 4, 1)
    assert [(c.code.value, c.path, c.count, c.values) for c in diagnosis.causes] == [
        ("compile", "x.shape[0]", 3, ("1", "2", "3", "4"))
    ]


def test_one_recompilation_with_three_new_dimensions_is_one() -> None:
    """Rule 5 asks for three compilations, not for three dimensions."""
    diagnosis = compiled((1, 1, 1), (2, 2, 2))
    assert diagnosis.compiles == 2
    assert diagnosis.verdict is Verdict.BOUNDED


def test_recompilations_that_came_early_do_not_keep_coming() -> None:
    """Rule 5: four shapes in the first seconds of a long run, and none since."""
    assert compiled((1,), (2,), (3,), (4,), calls=100_000, seconds=36_000.0).verdict is Verdict.BOUNDED


def test_a_recompilation_for_the_same_shapes_is_inferred_and_has_words() -> None:
    (found,) = compiled((1,), (1,)).causes
    assert (found.code, found.evidence) == (CauseCode.COMPILE, "inferred")
    assert found.now


# Silent errors, failures, order


def test_findings_belong_to_their_function() -> None:
    finding = Finding("tensorflow", STEP, cause(CauseCode.STALE, "rate", was="0.1", now="0.2"))
    diagnosis = only(record(Events()(tensor("x"), call=1), calls=5, findings=(finding,)))
    assert diagnosis.verdict is Verdict.STALE
    assert [(c.code.value, c.path, c.values) for c in diagnosis.causes] == [("stale", "rate", ("0.1", "0.2"))]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("ValueError: no\nin the graph", "ValueError: no"),
        ("TypeError: iterating over a `tf.Tensor`.", "raised: TypeError: iterating over a `tf.Tensor`."),
        ("", "without a message"),
        (None, "without a message"),
    ],
    ids=repr,
)
def test_a_failure_is_noted_in_a_line(error: str | None, told: str) -> None:
    diagnosis = only(record(Events()(tensor("x"), phase="failed", error=error), calls=1))
    assert (diagnosis.verdict, diagnosis.traces, diagnosis.failed) == (Verdict.FAILED, 0, 1)
    (note,) = diagnosis.notes
    assert note.startswith("1 of 1 traces raised")
    assert told in note
    assert "\n" not in note


def test_calls_that_nobody_counted_are_said() -> None:
    (note,) = only(record(Events()(tensor("x")))).notes
    assert note == "Its calls are not counted: it is called inside other functions, or not at all."


def test_the_worst_comes_first() -> None:
    """What is wrong; what costs time, the costliest first; what may be wrong; then what can be ignored."""

    def function(name: str, *parts: Any, **fields: Any) -> list[TraceEvent]:
        event = Events(FunctionId(name, f"{name}.py", 1))
        return [event(part, call=n + 1, **fields) for n, part in enumerate(parts)]

    widths = [tensor("x", n) for n in range(4)]
    events = [
        *function("fine", widths[0]),
        *function("stale", widths[0]),
        *function("perhaps", widths[0]),
        *function("bounded", python("training", True), python("training", False)),
        *function("cheap", *widths, exclusive_seconds=0.1),
        *function("dear", *widths, exclusive_seconds=5.0),
        *function("broken", widths[0], phase="failed", error="no"),
    ]
    findings = tuple(
        Finding("tensorflow", FunctionId(name, f"{name}.py", 1), cause(CauseCode.STALE, "rate", evidence=evidence))
        for name, evidence in (("stale", "measured"), ("perhaps", "inferred"))
    )
    names = [d.function.name for d in diagnose(record(*events, calls=4, findings=findings))]
    assert names == ["stale", "dear", "cheap", "broken", "perhaps", "bounded", "fine"]


def test_a_change_that_perhaps_no_call_met_decides_nothing() -> None:
    """Seen at the end only: it is told, but the verdict stays."""
    late = cause(CauseCode.STALE, "rate", was="0.1", now="0.2", evidence="inferred", note="not known")
    diagnosis = only(record(Events()(tensor("x"), call=1), calls=5, findings=(Finding("tensorflow", STEP, late),)))
    assert diagnosis.verdict is Verdict.OK
    assert [c.path for c in diagnosis.causes] == ["rate"]


def test_fewer_calls_than_traces_are_no_count() -> None:
    """A function that is called inside others: the few eager calls say nothing."""
    event = Events()
    diagnosis = only(record(*(event(tensor("x", n), call=None) for n in range(3)), calls=1))
    assert diagnosis.calls is None


def test_an_unfinished_recording_has_no_share() -> None:
    event = Events()
    events = [event(tensor("x", n), call=n + 1, exclusive_seconds=1.0) for n in range(3)]
    assert only(record(*events, calls=3, seconds=10.0)).share is not None
    assert only(record(*events, calls=3, seconds=10.0, complete=False)).share is None


def test_an_object_that_died_is_told_by_whoever_is_traced_next() -> None:
    """`dead` comes with the next event of any function."""
    other = Events(FunctionId("other", "other.py", 1))
    step = Events()
    events = (step(thing("c", 1), id=1), other(tensor("x"), id=2, dead=(1,)), step(thing("c", 2), id=3))
    found = {d.function.name: d for d in diagnose(record(*events, calls=2))}
    assert [c.code for c in found[STEP.name].causes] == [CauseCode.COLLECTED]


def test_the_same_model_again_and_its_partial_batch() -> None:
    """Each new function object traces its partial batch again: that is the object's doing, not the shape's."""
    event = Events()
    events = []
    for model in range(4):
        for rows in (32, 4):
            events.append(event(tensor("x", rows), object=model, fingerprint=f"graph {model}", call=len(events) + 1))
    diagnosis = only(record(*events, calls=8))
    assert (diagnosis.retraces, diagnosis.verdict) == (4, Verdict.BOUNDED)


def test_every_known_difference_can_be_diagnosed() -> None:
    """A walk over every two of a handful of requests: each retrace has a cause, and none is empty."""
    requests = [
        signature(tensor("x", 1)),
        signature(tensor("x", 1, 2)),
        signature(tensor("x", 1, dtype="int32")),
        signature(none("x")),
        signature(python("x", 1)),
        signature(container("x", "list", "0"), tensor("x[0]", 1)),
        signature(container("x", "dict", "'a'"), tensor("x['a']", 1)),
        signature(tensor("x", 1), graph="tf.Graph 1"),
        signature(tensor("captured rate")),
    ]
    for was, now in itertools.permutations(requests, 2):
        event = Events()
        diagnosis = only(record(event(was, call=1), event(now, call=2), calls=2))
        assert diagnosis.retraces == 1
        assert diagnosis.causes
        assert all(c.path and c.now for c in diagnosis.causes)
