"""A recording survives being written, cut short, damaged, merged, and read by another program."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from traceonce.diagnosis import diagnose
from traceonce.errors import RecordingError
from traceonce.facts import (
    SCHEMA,
    Calls,
    CauseCode,
    Compiled,
    End,
    Entry,
    Exit,
    Finding,
    FunctionId,
    Header,
    Inputs,
    Notice,
    Ran,
    Recording,
)
from traceonce.report.base import Material
from traceonce.report.json import render_json
from traceonce.report.text import render_text

REMEDY = re.compile(r"traceonce run |traceonce report |record again|name the recording")


def header(process: str = "1", *, run: str = "run", clock: float = 1000.0, **fields: Any) -> Header:
    return Header(SCHEMA, run, process, clock, **fields)


def encode(entries: Iterable[Entry]) -> bytes:
    return b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)


def small_log() -> list[Entry]:
    """One process, two traces, everything that can be written down."""
    events = Events(process="")
    return [
        header(environment={"python": "3.11.7"}, command=("train.py",), cwd="/work"),
        Notice("tensorflow is watched through a hook"),
        events(tensor("x", 3), call=1, seconds=0.5, exclusive_seconds=0.4),
        Ran(0, 0.25),
        Ran(0, 0.05, steady=True),
        events(tensor("x", 4), call=2, phase="retrace", seconds=0.5),
        Finding("tensorflow", STEP, cause(CauseCode.STALE, "rate")),
        Calls({STEP.key: 7}),
        End(12.0),
        Exit(0, 12.5),
    ]


def test_a_log_is_read_back_whole() -> None:
    recording = Recording.from_bytes(encode(small_log()))
    assert (recording.schema, recording.command, recording.cwd) == (SCHEMA, ("train.py",), "/work")
    assert recording.environment == {"python": "3.11.7"}
    assert (recording.exit_code, recording.seconds, recording.started) == (0, 12.5, 1000.0)
    assert (recording.runs, recording.processes, recording.forks) == (("run",), 1, {})
    assert recording.calls == {"1": {STEP.key: 7}}
    assert recording.notices == (Notice("tensorflow is watched through a hook"),)
    assert [event.signature.leaves for event in recording.events] == [(tensor("x", 3),), (tensor("x", 4),)]
    assert [(e.first_run_seconds, e.steady_run_seconds) for e in recording.events] == [(0.25, 0.05), (None, None)]
    assert [event.process for event in recording.events] == ["1", "1"]
    assert [(f.cause.path, f.process) for f in recording.findings] == [("rate", "1")]


def test_a_file_says_the_same_as_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(encode(small_log()))
    assert Recording.load(file) == Recording.load(os.fspath(file)) == Recording.from_bytes(file.read_bytes())


def test_every_field_of_an_event_survives() -> None:
    event = msgspec.structs.replace(
        Events()(tensor("x", None, 3, name="a"), python("k", "é")),
        kind="trace",
        traced=Events()(tensor("x", None, None)).signature,
        earlier=(Events()(tensor("x", 1)).signature,),
        dead=(4, 5),
        object=2,
        instance=3,
        fingerprint="f",
        raw_reason="because",
        nodes=7,
        bytes=2048,
        thread="Thread-1",
        error="ValueError: no",
        jit_compile=True,
        signed=True,
        reduce_retracing=True,
        parent=0,
    )
    assert Recording.from_bytes(encode([header(), event])).events == (event,)


def test_later_counts_replace_earlier_ones() -> None:
    log: list[Entry] = [
        header(),
        Events()(tensor("x"), call=3),
        Calls({STEP.key: 5, "other": 1}),
        Calls({STEP.key: 9}),
        End(1.0),
    ]
    assert Recording.from_bytes(encode(log)).calls == {"1": {STEP.key: 9, "other": 1}}


def test_a_killed_process_has_the_calls_up_to_its_last_trace() -> None:
    recording = Recording.from_bytes(encode(small_log()[:6]))
    assert recording.calls == {"1": {STEP.key: 2}}
    assert recording.exit_code is None
    assert recording.seconds == pytest.approx(1.5)  # from the header to the end of the last trace
    assert any("ended without closing its recording" in notice.text for notice in recording.notices)


@pytest.mark.parametrize(
    "last",
    [
        Events(FunctionId("schläfrig 漢字", "training/größe.py", 3), process="")(tensor("x", 5), id=2, start=1002.0),
        Exit(0, 12.5),
        Calls({STEP.key: 9}),
        header("2"),
    ],
    ids=["trace", "exit", "calls", "header"],
)
def test_a_last_line_cut_short_loses_that_line_alone(last: Entry) -> None:
    """At every byte, in the middle of a character, too."""
    before = encode(small_log()[:-2])
    whole = before + encode([last])
    kept = Recording.from_bytes(before)
    for cut in range(len(before) + 1, len(whole) - 1):
        recording = Recording.from_bytes(whole[:cut], "run.jsonl")
        assert recording.events == kept.events
        assert (recording.calls, recording.findings) == (kept.calls, kept.findings)
        damage = [notice for notice in recording.notices if notice not in kept.notices]
        assert [(notice.error, "run.jsonl, line 9: cut short" in notice.text) for notice in damage] == [(True, True)]
    complete = Recording.from_bytes(whole[:-1], "run.jsonl")  # only the line's end is missing: nothing is lost
    assert complete == Recording.from_bytes(whole, "run.jsonl")
    assert not any("cut short" in notice.text for notice in complete.notices)


@pytest.mark.parametrize(
    "rubbish", [b"\xff\xfe\x00", b"{", b"not JSON", b'{"entry":"trace"}', b'{"entry":"of tomorrow"}', b"[]"]
)
@pytest.mark.parametrize("number", [2, 3, 5, 9])
def test_a_damaged_line_is_named_and_the_rest_is_read(rubbish: bytes, number: int) -> None:
    log = small_log()
    lines = encode(log).splitlines()
    lines[number - 1] = rubbish
    recording = Recording.from_bytes(b"\n".join(lines) + b"\n", "run.jsonl")
    expected = Recording.from_entries(log[: number - 1] + log[number:])
    damage = [notice for notice in recording.notices if notice not in expected.notices]
    assert len(damage) == 1
    assert damage[0].error
    assert f"run.jsonl, line {number}: damaged and skipped" in damage[0].text
    assert msgspec.structs.replace(recording, notices=expected.notices) == expected


def test_a_child_whose_header_is_damaged_takes_nothing_from_its_parent() -> None:
    """Its events cannot be told apart from the parent's any more; those of the parent must stay what they are."""
    parent, child = Events(process="1"), Events(process="2", start=2000.0)
    lines = encode(
        [
            header(),
            parent(tensor("x", 3)),
            parent(tensor("x", 4)),
            End(1.0),
            header("2"),
            child(tensor("x", 5)),
            End(1.0),
        ]
    ).splitlines()
    lines[4] = b"\x00" * 40
    recording = Recording.from_bytes(b"\n".join(lines), "run.jsonl")
    assert "run.jsonl, line 5" in " ".join(notice.text for notice in recording.notices)
    of_parent = [event for event in recording.events if event.process == "1"]
    assert [event.signature.leaves[0].shape for event in of_parent if event.start < 2000] == [(3,), (4,)]


FOREIGN = {
    "nothing": b"",
    "blanks": b" \n\n ",
    "binary": bytes(range(256)),
    "zeros": b"\x00" * 64,
    "a list": b"[1, 2, 3]",
    "a number": b"42",
    "a text": b'"traceonce"',
    "null": b"null",
    "another schema": b'{"schema": "somebody.else/1", "events": []}',
    "no schema": b'{"events": []}',
    "a later version": b'{"schema": "traceonce.recording/2", "events": []}',
    "a later version, as lines": encode([header()]).replace(b"recording/1", b"recording/2") + encode([End(1.0)]),
    "wrong types": b'{"schema": "traceonce.recording/1", "seconds": "long"}',
    "too deep": b"[" * 100_000,
    "a text in another encoding": b'"caf\xe9"',
    "a document in another encoding": b'{"schema": "traceonce.recording/1", "cwd": "caf\xe9"}',
    "lines without a header": encode([End(1.0), End(2.0)]),
    "a header cut short": encode([header()])[:30],
    "a report cut short": b'{\n "schema": "traceonce.recording/1",\n "environment": {',
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_no_recording_is_refused_with_a_remedy(tmp_path: Path, what: str) -> None:
    file = tmp_path / "model.weights"
    file.write_bytes(FOREIGN[what])
    with pytest.raises(RecordingError) as refused:
        Recording.load(file)
    assert str(file) in str(refused.value)
    assert REMEDY.search(str(refused.value)), str(refused.value)


def test_a_directory_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="is a directory; name the recording file inside it") as refused:
        Recording.load(tmp_path)
    assert str(tmp_path) in str(refused.value)


def test_a_missing_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such recording") as refused:
        Recording.load(tmp_path / "gone.jsonl")
    assert str(tmp_path / "gone.jsonl") in str(refused.value)
    assert REMEDY.search(str(refused.value))


def test_the_version_of_another_recording_is_named() -> None:
    with pytest.raises(RecordingError, match=r"'traceonce.recording/2'.*reads 'traceonce.recording/1'"):
        Recording.from_bytes(FOREIGN["a later version"])


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.fixed_dictionaries(
    {"schema": st.sampled_from([SCHEMA, SCHEMA, "traceonce.recording/2"])},
    optional={field: JSON_VALUES for field in Recording.__struct_fields__ if field != "schema"},
).map(msgspec.json.encode)


@st.composite
def damaged_logs(draw: st.DrawFn) -> bytes:
    """A good log with a few bytes taken out, put in, or changed."""
    data = encode(small_log())
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(start + draw(st.integers(0, 40)), len(data))
        data = data[:start] + draw(st.binary(max_size=6)) + data[end:]
    return data


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(st.one_of(st.binary(max_size=200), DOCUMENTS, JSON_VALUES.map(msgspec.json.encode), damaged_logs()))
@example(b'"\xff"')
@example(b'{"schema": "traceonce.recording/1", "cwd": "\xc3"}')
@example(b"1" * 5000)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        recording = Recording.from_bytes(data)
    except RecordingError as error:
        message = str(error)
    else:
        message = f"recording: {recording.schema}"
    assert message.startswith("recording: ")  # it was refused by its name, or read


@settings(derandomize=True, deadline=None, max_examples=500)
@given(damaged_logs())
def test_what_could_be_read_can_be_told(data: bytes) -> None:
    try:
        recording = Recording.from_bytes(data)
    except RecordingError:
        return
    diagnoses = diagnose(recording)
    assert render_text(Material(recording, diagnoses)).startswith("traceonce  ")
    assert Recording.from_bytes(render_json(Material(recording, diagnoses)).encode()) == recording


@pytest.mark.parametrize("forked_from", [None, "1"])
def test_the_report_as_a_document_is_a_recording(forked_from: str | None) -> None:
    child = Events(process="", start=2000.0)(tensor("x", 9), call=1)
    recording = Recording.from_bytes(encode([*small_log(), header("2", forked_from=forked_from), child, End(1.0)]))
    diagnoses = diagnose(recording)
    again = Recording.from_bytes(render_json(Material(recording, diagnoses)).encode(), "report.json")
    assert again == recording
    assert diagnose(again) == diagnoses
    assert render_text(Material(again, diagnose(again))) == render_text(Material(recording, diagnoses))


def test_the_processes_of_one_run_are_beside_each_other() -> None:
    """Calls add up, the time does not: the processes ran at the same time."""
    parent, child = Events(process=""), Events(process="", start=1000.5)
    recording = Recording.merge(
        [
            Recording.from_entries([header("1"), parent(tensor("x", 3)), Calls({STEP.key: 4}), End(10.0)]),
            Recording.from_entries([header("2"), child(tensor("x", 3)), Calls({STEP.key: 5, "b": 1}), End(7.0)]),
        ]
    )
    assert [event.process for event in recording.events] == ["1", "2"]
    assert recording.calls == {"1": {STEP.key: 4}, "2": {STEP.key: 5, "b": 1}}
    assert [diagnosis.calls for diagnosis in diagnose(recording)] == [9]
    assert (recording.seconds, recording.processes, recording.runs) == (10.0, 2, ("run",))


def test_sections_of_one_file_are_processes() -> None:
    log: list[Entry] = [header("1"), Events(process="")(tensor("x", 3)), Calls({STEP.key: 4}), End(10.0)]
    log += [header("2"), Events(process="")(tensor("x", 4)), Calls({STEP.key: 5}), End(7.0), Exit(1, 11.0)]
    recording = Recording.from_bytes(encode(log))
    assert [(event.id, event.process) for event in recording.events] == [(0, "1"), (0, "2")]
    assert recording.calls == {"1": {STEP.key: 4}, "2": {STEP.key: 5}}
    assert (recording.seconds, recording.exit_code) == (11.0, 1)
    assert recording.processes == 2


GRAPH = "__inference_train_step_7"


def compiled(ordinal: int) -> Compiled:
    return Compiled("tensorflow", GRAPH, ordinal, 0.5, 1010.0 + ordinal)


def test_a_compilation_is_for_the_shapes_that_were_new_then() -> None:
    """The log of the compiler names the graph; the n-th compilation is for the n-th combination of shapes."""
    trace = Events(process="")(tensor("x", None), python("k", 1), graph=GRAPH)
    log: list[Entry] = [
        header(),
        trace,
        Inputs(0, ((3,),)),
        Inputs(0, ((4,),)),
        End(9.0),
        compiled(1),
        compiled(2),
        compiled(3),
    ]
    events = Recording.from_bytes(encode(log)).events
    assert [(event.kind, event.phase) for event in events[1:]] == [
        ("compile", "first"),
        ("compile", "retrace"),
        ("compile", "retrace"),
    ]
    assert [event.signature.leaves[0].shape for event in events[1:]] == [(3,), (4,), (4,)]
    assert [event.signature.leaves[1] for event in events] == [python("k", 1)] * 4
    assert [(event.parent, event.seconds, event.start) for event in events[1:2]] == [(0, 0.5, 1010.5)]
    assert len({event.id for event in events}) == 4


def test_a_compilation_of_an_unknown_graph_is_left_out() -> None:
    recording = Recording.from_entries([header(), Events()(tensor("x"), graph="another"), End(1.0), compiled(1)])
    assert [event.kind for event in recording.events] == ["trace"]


def test_a_compilation_happened_in_one_process_alone() -> None:
    """Two workers give their graphs the same names."""
    log: list[Entry] = []
    for process in ("1", "2"):
        log += [header(process), Events(process="")(tensor("x"), graph=GRAPH), End(9.0)]
    recording = Recording.from_entries([*log, compiled(1)])
    assert sum(event.kind == "compile" for event in recording.events) == 1


def test_two_runs_follow_each_other() -> None:
    """A process number that both runs had is two processes; calls and seconds add up."""
    runs = [
        Recording.from_entries(
            [
                header("1", run=run, clock=clock),
                Events(process="", start=clock)(tensor("x", 3)),
                Finding("tensorflow", STEP, cause(CauseCode.STALE)),
                Calls({STEP.key: 4}),
                End(10.0),
                Exit(code, 12.0),
            ]
        )
        for run, clock, code in (("a", 1000.0, 0), ("b", 2000.0, 3))
    ]
    both = Recording.merge(runs)
    assert [event.process for event in both.events] == ["r1:1", "r2:1"]
    assert [finding.process for finding in both.findings] == ["r1:1", "r2:1"]
    assert both.calls == {"r1:1": {STEP.key: 4}, "r2:1": {STEP.key: 4}}
    assert (both.seconds, both.started, both.exit_code, both.runs) == (24.0, 1000.0, 3, ("a", "b"))
    (diagnosis,) = diagnose(both)
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.calls) == (2, 0, 8)


def test_one_recording_is_merged_to_itself() -> None:
    recording = Recording.from_bytes(encode(small_log()))
    assert Recording.merge([recording]) is recording


def test_files_of_children_are_read_with_an_unfinished_recording(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(encode([header("1"), Events(process="")(tensor("x", 3))]))
    (tmp_path / "run.jsonl.part-77").write_bytes(encode([header("77"), Events(process="")(tensor("x", 4)), End(1.0)]))
    for name in ("run.jsonl.part-old", "run.jsonl.78", "other.jsonl.part-78"):
        (tmp_path / name).write_bytes(encode([header("78"), Events(process="")(tensor("x", 5)), End(1.0)]))
    (tmp_path / "run.jsonl.part-79").write_bytes(encode([header("79", run="yesterday"), End(1.0)]))
    assert [event.process for event in Recording.load(file).events] == ["1", "77"]


@pytest.mark.parametrize("left", [b"", b'{"entry":"head', b"\x00\x00"], ids=["nothing", "half a header", "zeros"])
def test_a_child_that_was_killed_at_once_does_not_cost_the_recording(tmp_path: Path, left: bytes) -> None:
    """It opened its file and wrote no whole line: say so, and read the rest."""
    file = tmp_path / "run.jsonl"
    file.write_bytes(encode(small_log()))
    (tmp_path / "run.jsonl.part-77").write_bytes(left)
    recording = Recording.load(file)
    assert recording.events == Recording.from_bytes(file.read_bytes()).events
    assert any("run.jsonl.part-77" in notice.text for notice in recording.notices)


def log_with_child(forked_from: str | None = None) -> Recording:
    """The parent traced x[3]; the child traces x[4]."""
    log: list[Entry] = [header("1"), Events(process="")(tensor("x", 3), object=1), End(10.0)]
    log += [header("2", forked_from=forked_from), Events(process="", start=2000.0)(tensor("x", 4), object=1), End(10.0)]
    return Recording.from_entries(log)


def test_a_forked_child_inherits_what_its_parent_traced() -> None:
    recording = log_with_child(forked_from="1")
    assert recording.forks == {"2": "1"}
    (diagnosis,) = diagnose(recording)
    assert (diagnosis.traces, diagnosis.retraces) == (2, 1)
    assert [(c.code.value, c.path, c.was, c.now) for c in diagnosis.causes] == [("shape", "x.shape[0]", "3", "4")]


def test_a_spawned_child_starts_from_nothing() -> None:
    (diagnosis,) = diagnose(log_with_child())
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.causes) == (2, 0, ())


def test_a_forked_child_does_not_inherit_what_came_after_the_fork() -> None:
    log: list[Entry] = [header("1"), Events(process="", start=3000.0)(tensor("x", 3), object=1), End(10.0)]
    log += [header("2", forked_from="1"), Events(process="", start=2000.0)(tensor("x", 4), object=1), End(10.0)]
    (diagnosis,) = diagnose(Recording.from_entries(log))
    assert (diagnosis.retraces, diagnosis.causes) == (0, ())


def test_a_forked_child_inherits_nothing_from_others() -> None:
    log: list[Entry] = [header("1"), End(10.0), header("3"), Events(process="")(tensor("x", 3), object=1), End(10.0)]
    log += [header("2", forked_from="1"), Events(process="", start=2000.0)(tensor("x", 4), object=1), End(10.0)]
    (diagnosis,) = diagnose(Recording.from_entries(log))
    assert (diagnosis.traces, diagnosis.retraces) == (2, 0)


def test_the_child_of_a_forked_child_inherits_from_both() -> None:
    log: list[Entry] = [header("1"), Events(process="")(tensor("x", 3), object=1), End(10.0)]
    log += [header("2", forked_from="1"), Notice("a child that traces nothing"), End(10.0)]
    log += [header("3", forked_from="2"), Events(process="", start=2000.0)(tensor("x", 4), object=1), End(10.0)]
    (diagnosis,) = diagnose(Recording.from_entries(log))
    assert (diagnosis.traces, diagnosis.retraces) == (2, 1)
    assert [(c.code.value, c.was, c.now) for c in diagnosis.causes] == [("shape", "3", "4")]


def test_forks_of_two_runs_are_kept_apart() -> None:
    one = log_with_child(forked_from="1")
    both = Recording.merge([one, msgspec.structs.replace(one, runs=("another",))])
    assert both.forks == {"r1:2": "r1:1", "r2:2": "r2:1"}
    (diagnosis,) = diagnose(both)
    assert (diagnosis.traces, diagnosis.retraces) == (4, 2)


def test_a_recording_without_a_run_is_empty() -> None:
    assert diagnose(record()) == []
    assert diagnose(Recording()) == []
