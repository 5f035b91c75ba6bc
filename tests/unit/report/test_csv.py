"""The table of events: every reader of RFC 4180 gets back what was recorded, and no cell is a formula."""

from __future__ import annotations

import csv
import io
import re

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, python, record, tensor
from tests.unit.report.made_reports import HARM, PROGRAMS, harmful, material_of, recorded
from traceonce.diagnosis import explain_events
from traceonce.facts import CallSite, Recording
from traceonce.facts.printable import in_line
from traceonce.report.csv import render_csv

FORMULA = re.compile(r"[\s]*[=+\-@＝＋－＠]|[\t\r\n]")


def read(recording: Recording) -> list[dict[str, str]]:
    text = render_csv(material_of(recording, "csv"))
    assert text.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_a_row_says_all_that_is_known_of_an_event() -> None:
    """To the letter, once."""
    site = CallSite("train.py", 47, "/venv/lib/python3.11/site-packages/keras/trainer.py:120")
    event = Events(call_site=site, seconds=0.25, first_run_seconds=0.125, nodes=7, bytes=4096, thread="loader")
    run = record(event(python("step", 0), call=1), event(python("step", 1), call=2), calls=2, started=999.5)
    first, second = read(run)
    assert (first["phase"], first["ordinal"]) == ("first", "1")
    assert first["causes"] == first["explained"] == first["error"] == ""
    assert second == {
        "id": "1",
        "function": "train_step",
        "file": "train.py",
        "line": "22",
        "kind": "trace",
        "phase": "retrace",
        "ordinal": "2",
        "call": "2",
        "start": "1.5",
        "seconds": "0.25",
        "first_run_seconds": "0.125",
        "nodes": "7",
        "bytes": "4096",
        "call_file": "train.py",
        "call_line": "47",
        "call_via": "keras/trainer.py:120",
        "thread": "loader",
        "process": "1",
        "causes": "value",
        "explained": "step: now 1, before 0 (a Python int)",
        "error": "",
        "backend": "tensorflow",
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_event_of_a_real_run_is_a_row(name: str) -> None:
    recording = recorded(name)
    rows = read(recording)
    assert [(row["process"], int(row["id"])) for row in rows] == [(e.process, e.id) for e in recording.events]
    for row, event in zip(rows, recording.events, strict=True):
        assert row["function"] == event.function.name
        assert float(row["start"]) == pytest.approx(event.start - recording.started, abs=1e-6)
        assert row["seconds"] == ("" if event.seconds is None else str(event.seconds))


def test_no_text_is_taken_for_a_formula_and_none_is_lost() -> None:
    rows = read(harmful())
    assert len(rows) == 9 * len(HARM)
    for row in rows:
        assert not [cell for cell in row.values() if FORMULA.match(cell)]
    names = {row["function"].removeprefix("'") for row in rows}
    assert names == set(map(in_line, HARM))


@pytest.mark.parametrize("sign", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "＝1"])
def test_what_begins_like_a_formula_gets_an_apostrophe(sign: str) -> None:
    function = msgspec.structs.replace(STEP, name=sign)
    (row,) = read(record(Events(function)(tensor("x"))))
    assert row["function"] == f"'{sign}"


@pytest.mark.parametrize(("name", "shown"), [("\t=1", "\\t=1"), ("\r\n=1", "\\r\\n=1"), ("\u200b=1", "\\u200b=1")])
def test_a_text_is_one_line_and_can_be_seen(name: str, shown: str) -> None:
    """What would be cut off, and leave a formula, is there to be seen."""
    (row,) = read(record(Events(msgspec.structs.replace(STEP, name=name))(tensor("x"))))
    assert row["function"] == shown


def test_numbers_stay_numbers() -> None:
    """Memory can shrink: a negative number is no formula."""
    (row,) = read(record(Events(bytes=-4096)(tensor("x"))))
    assert row["bytes"] == "-4096"


def test_a_run_without_events_has_its_header() -> None:
    assert render_csv(material_of(Recording(), "csv")).startswith(
        "id,function,file,line,kind,phase,ordinal,call,start,"
    )


def test_runs_that_were_merged_follow_each_other() -> None:
    """Days between two runs are not shown as time."""
    runs = [record(Events(start=start, seconds=2.0)(tensor("x")), started=start - 1) for start in (1000.0, 900_000.0)]
    merged = Recording.merge(msgspec.structs.replace(run, runs=(str(n),)) for n, run in enumerate(runs))
    assert [float(row["start"]) for row in read(merged)] == [1.0, 3.0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_phases_and_numbers_are_those_of_the_explanation(name: str) -> None:
    """A function made anew is a retrace, and the second trace of one that creates variables is TensorFlow's own."""
    recording = recorded(name)
    explained = [item.event for item in explain_events(recording)]
    for row, event in zip(read(recording), explained, strict=True):
        counted = event.kind == "trace" and event.phase != "internal"
        assert (row["phase"], row["ordinal"]) == (event.phase, str(event.ordinal) if counted else "")
