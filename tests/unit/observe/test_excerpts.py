"""The source that a recording keeps: as it was at the run, no more than is shown, and nothing of a library."""

from __future__ import annotations

import linecache
import os
from pathlib import Path

import msgspec
from click.testing import CliRunner

from tests.unit.handmade import Events, record, tensor
from traceonce.commands.report import command as report
from traceonce.facts import CallSite, Excerpt, FunctionId, Recording
from traceonce.observe.excerpts import ALL_LINES, CALL_LINES, FUNCTION_LINES, excerpts_of, with_excerpts
from traceonce.report.base import Material
from traceonce.report.json import render_json

PROGRAM = """\
import tensorflow as tf

def other():
    pass

@tf.function(
    reduce_retracing=True,
)
def step(
    x,
):
    return x

    # a comment at its end

for n in range(4):
    step(tf.ones([n]))
"""
STEP = FunctionId("step", "train.py", 6)
AFTER = 2e9  # a run that began when the files were there


def recorded(folder: Path, function: FunctionId = STEP, line: int = 17, **fields: object) -> Recording:
    (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
    site = CallSite("train.py", line)
    events = Events(function, call_site=site)
    made = record(events(tensor("x", 1)), events(tensor("x", 2)))
    return msgspec.structs.replace(made, cwd=str(folder), started=AFTER, **fields)


def test_the_function_with_its_decorators_and_the_lines_around_the_call(tmp_path: Path) -> None:
    """The block that Python would take for the function, and a few lines on each side of the call."""
    lines = PROGRAM.splitlines()
    function, call = excerpts_of(recorded(tmp_path))
    assert (function.start, function.lines[0], function.lines[-1]) == (6, "@tf.function(", "    # a comment at its end")
    assert call == Excerpt("train.py", 17 - CALL_LINES, tuple(lines[13:17]))
    assert call.holds("train.py", 17)
    assert not call.holds("train.py", 4)
    assert not call.holds("other.py", 17)


def test_a_file_that_has_changed_since_is_not_shown(tmp_path: Path) -> None:
    """Lines that the program did not run would mislead."""
    recording = recorded(tmp_path)
    os.utime(tmp_path / "train.py", (AFTER + 1, AFTER + 1))
    assert list(excerpts_of(recording)) == []


def test_libraries_and_files_that_are_gone_have_none(tmp_path: Path) -> None:
    """A library's own function, a call in a library, and a file that cannot be read."""
    library = FunctionId("fit", "site-packages/keras/trainer.py", 3, library=True)
    assert [excerpt.file for excerpt in excerpts_of(recorded(tmp_path, library))] == ["train.py"]
    recording = recorded(tmp_path)
    (tmp_path / "train.py").unlink()
    assert list(excerpts_of(recording)) == []


def test_a_cell_of_a_notebook_is_read_from_where_python_keeps_it(tmp_path: Path) -> None:
    """There is no file: the lines are those that tracebacks show."""
    name = "<cell 7>"
    source = ["@tf.function\n", "def cell(x):\n", "    return x\n", "cell(1)\n"]
    linecache.cache[name] = (sum(map(len, source)), None, source, name)
    try:
        events = Events(FunctionId("cell", name, 1), call_site=CallSite(name, 4))
        found = list(excerpts_of(msgspec.structs.replace(record(events(tensor("x", 1))), cwd=str(tmp_path))))
    finally:
        del linecache.cache[name]
    assert found[0] == Excerpt(name, 1, ("@tf.function", "def cell(x):", "    return x"))


def test_sizes_are_bounded(tmp_path: Path) -> None:
    """A function of thousands of lines is cut, and so is the whole."""
    body = "".join(f"    x = x + {n}\n" for n in range(3000))
    recording = recorded(tmp_path)
    (tmp_path / "train.py").write_text(f"def step(x):\n{body}", encoding="utf-8")
    many = [Events(FunctionId(f"f{n}", "train.py", n))(tensor("x", 1)) for n in range(1, 3000, 20)]
    found = list(excerpts_of(msgspec.structs.replace(recording, events=tuple(many))))
    assert max(len(excerpt.lines) for excerpt in found) <= FUNCTION_LINES
    assert sum(len(excerpt.lines) for excerpt in found) <= ALL_LINES


def test_of_many_calls_those_that_had_the_most_traces_made(tmp_path: Path) -> None:
    """They are the ones that a report names first."""
    (tmp_path / "train.py").write_text("\n" * 100, encoding="utf-8")
    event = Events(STEP)
    lines = [10, 20, 30, 40, 50, 40, 50, 50]
    events = [event(tensor("x", n), call_site=CallSite("train.py", line)) for n, line in enumerate(lines)]
    found = excerpts_of(msgspec.structs.replace(record(*events), cwd=str(tmp_path), started=AFTER))
    assert [excerpt.start + CALL_LINES for excerpt in found if len(excerpt.lines) == 2 * CALL_LINES + 1] == [50, 40, 10]


def test_a_report_opens_no_source(tmp_path: Path) -> None:
    """What a recording names may be a file of another machine, or one whose lines were not to be kept."""
    recording = recorded(tmp_path)
    assert list(excerpts_of(recording))
    brought = tmp_path / "brought.json"
    brought.write_text(render_json(Material(recording, [])), encoding="utf-8")
    shown = CliRunner().invoke(report, [str(brought), "--format", "json"])
    assert Recording.from_bytes(shown.stdout_bytes).excerpts == ()


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    """A recording from another machine keeps what it brought along."""
    own = (Excerpt("train.py", 1, ("brought along",)),)
    assert with_excerpts(recorded(tmp_path, excerpts=own)).excerpts == own
    document = render_json(Material(recorded(tmp_path, excerpts=own), []))
    assert Recording.from_bytes(document.encode()).excerpts == own
