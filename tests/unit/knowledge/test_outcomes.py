"""The user's own outcomes: kept in a file of their own, by several processes at once, and never lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from traceonce.errors import RecordError
from traceonce.knowledge.outcomes import SCHEMA, Outcomes


@pytest.fixture
def outcomes(tmp_path: Path) -> Outcomes:
    return Outcomes(tmp_path / "home" / "outcomes.sqlite3")


def test_reading_makes_no_file(outcomes: Outcomes) -> None:
    assert outcomes.all() == []
    assert not outcomes.path.parent.exists()


def test_what_was_noted_is_found(outcomes: Outcomes) -> None:
    noted = outcomes.note("a/b", 2, "Pad.", worked=True, note="é ' 中", version="TensorFlow 2.21.0")
    outcomes.note("a/c", 1, "Cast.", worked=False)
    assert outcomes.all("a/b") == [noted]
    assert [(one.record, one.worked, one.note) for one in outcomes.all()] == [
        ("a/b", True, "é ' 中"),
        ("a/c", False, ""),
    ]
    assert noted.worked is True


def test_forgetting(outcomes: Outcomes) -> None:
    first, second = (outcomes.note("a/b", 1, "Pad.", worked=True) for _ in range(2))
    outcomes.forget(second.number)
    assert outcomes.all() == [first]
    assert outcomes.note("a/b", 1, "Pad.", worked=True).number == 3  # a number is not used again
    with pytest.raises(RecordError, match="no outcome 2"):
        outcomes.forget(second.number)


def test_forgetting_where_nothing_was_noted(outcomes: Outcomes) -> None:
    with pytest.raises(RecordError, match="no outcome 1"):
        outcomes.forget(1)
    assert not outcomes.path.exists()


def test_several_processes_note_at_once(outcomes: Outcomes) -> None:
    """They start together on a file that is not there yet; every outcome arrives."""
    code = (
        "import sys; from pathlib import Path; from traceonce.knowledge.outcomes import Outcomes\n"
        "outcomes = Outcomes(Path(sys.argv[1])); input()\n"
        "for n in range(10): outcomes.note('a/b', n, sys.argv[2], worked=True)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(outcomes.path), name], stdin=subprocess.PIPE, text=True)
        for name in "abcd"
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        process.communicate(timeout=240)
    assert [process.returncode for process in started] == [0] * 4
    assert sorted((one.action, one.workaround) for one in outcomes.all()) == [(n, i) for n in "abcd" for i in range(10)]


def test_the_file_says_what_it_is(outcomes: Outcomes) -> None:
    outcomes.note("a/b", 1, "Pad.", worked=True)
    with closing(sqlite3.connect(outcomes.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("content", [b"some text that is no database\n" * 30, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file_is_left_alone(outcomes: Outcomes, content: bytes) -> None:
    outcomes.path.parent.mkdir()
    outcomes.path.write_bytes(content)
    with pytest.raises(RecordError, match=r"outcomes\.sqlite3: (is damaged|cannot be used)"):
        outcomes.note("a/b", 1, "Pad.", worked=True)
    with pytest.raises(RecordError, match=r"outcomes\.sqlite3: (is damaged|cannot be used)"):
        outcomes.all()
    assert outcomes.path.read_bytes() == content
    assert [path.name for path in outcomes.path.parent.iterdir()] == ["outcomes.sqlite3"]


def test_a_file_that_is_damaged_later_keeps_what_is_left(outcomes: Outcomes) -> None:
    for _ in range(200):
        outcomes.note("a/b", 1, "Pad." * 50, worked=True)
    damaged = outcomes.path.read_bytes()[:9000]
    outcomes.path.write_bytes(damaged)
    with pytest.raises(RecordError, match="is damaged"):
        outcomes.all()
    with pytest.raises(RecordError, match="is damaged"):
        outcomes.note("a/b", 1, "Pad.", worked=True)
    assert outcomes.path.read_bytes() == damaged


def test_a_file_of_a_later_version_is_left_alone(outcomes: Outcomes) -> None:
    outcomes.note("a/b", 1, "Pad.", worked=True)
    with closing(sqlite3.connect(outcomes.path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    with pytest.raises(RecordError, match="later traceonce"):
        outcomes.note("a/b", 1, "Pad.", worked=True)


def test_another_programs_file_is_left_alone(outcomes: Outcomes) -> None:
    outcomes.path.parent.mkdir()
    with closing(sqlite3.connect(outcomes.path)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    content = outcomes.path.read_bytes()
    with pytest.raises(RecordError, match="without outcomes"):
        outcomes.note("a/b", 1, "Pad.", worked=True)
    assert outcomes.path.read_bytes() == content


def test_a_folder_in_its_place(outcomes: Outcomes) -> None:
    outcomes.path.mkdir(parents=True)
    with pytest.raises(RecordError, match="cannot be used"):
        outcomes.note("a/b", 1, "Pad.", worked=True)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(RecordError, match="cannot be used"):
        Outcomes(tmp_path / "home" / "outcomes.sqlite3").note("a/b", 1, "Pad.", worked=True)
