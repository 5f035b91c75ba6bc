"""The trace for Perfetto and chrome://tracing: its rules, its nesting, and what it says of each event.

The files were also opened with Perfetto's own trace processor, which found no error in them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from tests.unit.report.made_reports import HARM, PROGRAMS, harmful, material_of, recorded
from traceonce.causes import families
from traceonce.facts import Breach, CallSite, FunctionId, Limit, Recording
from traceonce.report.chrome import render_chrome
from traceonce.report.chrome.lanes import CLOSE, Slice, sort_into_lanes
from traceonce.report.chrome.slices import FIRST_RUN
from traceonce.report.sentences import describe_place

# The names that chrome://tracing knows.
RESERVED = {
    "thread_state_uninterruptible", "thread_state_iowait", "thread_state_running", "thread_state_runnable",
    "thread_state_sleeping", "thread_state_unknown", "background_memory_dump", "light_memory_dump",
    "detailed_memory_dump", "vsync_highlight_color", "generic_work", "good", "bad", "terrible", "black", "grey",
    "white", "yellow", "olive", "rail_response", "rail_animation", "rail_idle", "rail_load", "startup",
    "heap_dump_stack_frame", "heap_dump_object_type", "heap_dump_child_node_arrow", "cq_build_running",
    "cq_build_passed", "cq_build_failed", "cq_build_abandoned", "cq_build_attempt_runnig", "cq_build_attempt_passed",
    "cq_build_attempt_failed",
}  # fmt: skip
NEEDED = {
    "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
    "M": {"name", "pid", "tid", "args"},
    "C": {"name", "ts", "pid", "tid", "args"},
    "i": {"name", "cat", "ts", "pid", "tid", "s", "args"},
}


def read(recording: Recording) -> list[dict[str, Any]]:
    document = json.loads(render_chrome(material_of(recording, "chrome")))
    lines = document["traceEvents"]
    assert isinstance(lines, list)
    return lines


def of_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["ph"] == kind]


def check_format(lines: list[dict[str, Any]]) -> None:
    """The rules of the format, and that every process and thread has one name."""
    names: dict[tuple[str, int, int], str] = {}
    for line in lines:
        assert NEEDED[line["ph"]] <= line.keys()
        assert all(type(line[key]) is int for key in ("ts", "dur", "pid", "tid") if key in line)
        if line["ph"] == "M" and line["name"].endswith("_name"):
            key = (line["name"], line["pid"], line["tid"])
            assert key not in names
            names[key] = line["args"]["name"]
    for line in of_kind(lines, "X"):
        assert line["dur"] > 0
        assert line["cname"] in RESERVED
        assert ("thread_name", line["pid"], line["tid"]) in names
        assert ("process_name", line["pid"], line["pid"]) in names
    check_nesting(of_kind(lines, "X"))


def check_nesting(slices: list[dict[str, Any]]) -> None:
    """Slices of one thread nest or do not overlap, and come in the order of time, outer ones first."""
    threads: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for piece in slices:
        threads[piece["pid"], piece["tid"]].append((piece["ts"], piece["ts"] + piece["dur"]))
    for pieces in threads.values():
        assert pieces == sorted(pieces, key=lambda piece: (piece[0], -piece[1]))
        open_ends: list[int] = []
        for start, end in pieces:
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], "two slices overlap in part"
            open_ends.append(end)


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_runs_keep_the_rules(name: str) -> None:
    recording = recorded(name)
    lines = read(recording)
    check_format(lines)
    timed = [event for event in recording.events if event.seconds is not None]
    first_runs = [event for event in timed if event.first_run_seconds]
    assert len(of_kind(lines, "X")) == len(timed) + len(first_runs)
    assert sum(piece["cat"] == "first_run" for piece in of_kind(lines, "X")) == len(first_runs)


def test_harmful_names_are_only_names() -> None:
    lines = read(harmful())
    check_format(lines)
    threads = {line["args"]["name"] for line in of_kind(lines, "M") if line["name"] == "thread_name"}
    assert threads == set(HARM)


def test_a_slice_says_what_why_and_where() -> None:
    event = Events(call_site=CallSite("train.py", 47), seconds=0.25, nodes=7, process="4711")
    run = record(event(tensor("x", 2), python("step", 0), call=1), event(tensor("x", 2), python("step", 1), call=2))
    first, second = of_kind(read(run), "X")
    assert (first["name"], first["cname"]) == ("train_step", families.FIRST.chrome)
    assert (second["name"], second["cname"]) == ("train_step (value)", families.VALUE.chrome)
    assert (second["pid"], second["tid"], second["ts"], second["dur"]) == (4711, 4711, 1_000_000, 250_000)
    facts = second["args"]
    assert facts["causes"] == ["step: now 1, before 0 (value, measured)"]
    assert facts["signature"] == {"x": "float32[2]", "step": "1"}
    assert (facts["place"], facts["called_from"], facts["call"], facts["nodes"]) == (
        "train.py:22", "train.py:47", 2, 7,
    )  # fmt: skip


def test_every_colour_has_a_name_that_viewers_know() -> None:
    assert {FIRST_RUN, *(family.chrome for family in (*families.LEGEND, families.INTERNAL))} <= RESERVED


def test_what_nests_is_shown_nested_and_a_first_run_follows_its_trace() -> None:
    """An inner trace in an outer one; then the first run, with the backward graph that was built in it."""
    inner, outer = FunctionId("inner", "train.py", 5), FunctionId("outer", "train.py", 9)
    event = Events(start=1000.0)
    run = record(
        event(tensor("x"), function=outer, start=1000.0, seconds=1.0, first_run_seconds=0.5),
        event(tensor("x"), function=inner, start=1000.2, seconds=0.3, parent=0),
        event(function=outer, start=1001.1, seconds=0.25, kind="backward", phase="internal"),
    )
    lines = read(run)
    check_format(lines)
    shown = [(piece["name"], piece["ts"], piece["dur"], piece["tid"]) for piece in of_kind(lines, "X")]
    tid = shown[0][-1]
    assert shown == [
        ("outer", 0, 1_000_000, tid),
        ("inner", 200_000, 300_000, tid),
        ("first run of outer", 1_000_000, 750_000, tid),
        ("outer: backward graph", 1_100_000, 250_000, tid),
    ]


def test_threads_of_one_name_do_not_overlap() -> None:
    """Two threads may share a name; their traces at the same time go side by side."""
    event = Events(thread="worker", seconds=1.0)
    lines = read(record(event(tensor("x", 1), start=1000.0), event(tensor("x", 2), start=1000.5)))
    check_format(lines)
    assert len({piece["tid"] for piece in of_kind(lines, "X")}) == 2
    names = [line["args"]["name"] for line in of_kind(lines, "M") if line["name"] == "thread_name"]
    assert names == ["worker", "worker (beside it, 1)"]


def test_compilations_have_a_thread_of_their_own() -> None:
    lines = read(recorded("lengths"))
    (compiler,) = [line for line in of_kind(lines, "M") if line["args"].get("name") == "XLA compiler"]
    compiled = [piece for piece in of_kind(lines, "X") if piece["tid"] == compiler["tid"]]
    assert len(compiled) == 8
    assert {piece["cname"] for piece in compiled} == {families.COMPILE.chrome}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_traces_of_each_function_are_counted(name: str) -> None:
    """Up to what the diagnosis says; of functions traced once there is nothing to see."""
    recording = recorded(name)
    last: dict[str, int] = {}
    for line in of_kind(read(recording), "C"):
        assert line["args"]["traces"] in (0, last.get(line["name"], -1) + 1)
        last[line["name"]] = line["args"]["traces"]
    assert last == {
        f"{diagnosis.function.short_name} ({describe_place(diagnosis.function, diagnosis.backend)})": diagnosis.traces
        for diagnosis in material_of(recording, "chrome").diagnoses
        if diagnosis.traces > 1
    }


def test_a_limit_is_marked_where_it_was_reached() -> None:
    lines = read(recorded("limited"))
    (mark,) = of_kind(lines, "i")
    assert (mark["name"], mark["s"], mark["args"]["limit"]) == ("limit reached: train_step", "p", "3 traces")
    assert re.fullmatch(r"\d calls refused", mark["args"]["then"])
    ends = sorted(piece["ts"] + piece["dur"] for piece in of_kind(lines, "X") if piece["cat"].startswith("trace,"))
    assert mark["ts"] == ends[2]


def test_limits_of_a_function_that_was_never_traced_are_left_out() -> None:
    breach = Breach("tensorflow", STEP, Limit(0, of="traces"), 0, 0, (cause(),), process="9")
    assert of_kind(read(Recording(breaches=(breach,))), "i") == []


def test_an_event_that_nobody_timed_is_a_mark() -> None:
    (mark,) = of_kind(read(record(Events()(tensor("x")))), "i")
    assert (mark["name"], mark["ts"], mark["s"]) == ("train_step", 0, "t")


def test_processes_have_numbers_that_no_other_has() -> None:
    """Those of merged runs are no numbers; and a number may be too long for one."""
    names = ["7", "r1:7", "r2:7", "", "after 7", "9" * 5000]
    run = record(*(Events(process=name, seconds=0.1)(tensor("x")) for name in names))
    lines = read(run)
    check_format(lines)
    named = {line["pid"]: line["args"]["name"] for line in of_kind(lines, "M") if line["name"] == "process_name"}
    assert len(named) == len(names)
    assert named[7] == "program (process 7)"


@pytest.mark.parametrize("number", [-1e300, 1e300, 0.0])
def test_numbers_that_no_clock_shows_do_no_harm(number: float) -> None:
    event = Events(seconds=number, first_run_seconds=abs(number))
    check_format(read(record(event(tensor("x", 1), start=number), event(tensor("x", 2), start=5.0))))


pieces = st.tuples(st.integers(0, 20_000), st.integers(1, 20_000))


@settings(deadline=None)
@given(st.lists(pieces, max_size=30))
def test_lanes_never_overlap_and_lose_nothing(given_pieces: list[tuple[int, int]]) -> None:
    """Whatever there is: every slice is on a lane, where it was but for the difference of two clocks."""
    slices = [Slice(start, start + length, str(n), "", "", {}) for n, (start, length) in enumerate(given_pieces)]
    lanes = sort_into_lanes(slices)
    assert sorted(piece.name for lane in lanes for piece in lane) == sorted(piece.name for piece in slices)
    for number, lane in enumerate(lanes):
        check_nesting([{"pid": 1, "tid": number, "ts": piece.start, "dur": piece.end - piece.start} for piece in lane])
        for piece in lane:
            before = slices[int(piece.name)]
            assert 0 <= piece.start - before.start <= CLOSE
            assert 0 <= before.end - piece.end <= CLOSE


def test_two_clocks_that_differ_a_little_make_no_lane() -> None:
    """An inner trace that seems to end after the outer one, and one that seems to begin before the last has ended."""
    slices = [
        Slice(0, 5000, "outer", "", "", {}),
        Slice(1000, 5010, "inner", "", "", {}),
        Slice(4990, 9000, "next", "", "", {}),
    ]
    (lane,) = sort_into_lanes(slices)
    assert [(piece.name, piece.start, piece.end) for piece in lane] == [
        ("outer", 0, 5000), ("inner", 1000, 5000), ("next", 5000, 9000),
    ]  # fmt: skip


def test_the_order_of_events_in_a_recording_does_not_matter_to_counters() -> None:
    """A trace that began first may end last."""
    event = Events(start=1000.0)
    run = record(
        event(tensor("x", 1), start=1000.0, seconds=3.0, thread="a"),
        event(tensor("x", 2), start=1000.5, seconds=0.5, thread="b"),
    )
    times = [(line["ts"], line["args"]["traces"]) for line in of_kind(read(run), "C")]
    assert times == [(0, 0), (1_000_000, 1), (3_000_000, 2)]
    assert all(a <= b for a, b in pairwise(times))
