"""A recording that was saved is the same when it is loaded, and never lies there half written."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import msgspec
import pytest

from tests.unit.handmade import Events, record, tensor
from traceonce import atomic_files
from traceonce.atomic_files import write_named
from traceonce.errors import RecordingError
from traceonce.facts import Recording

RECORDED = sorted((Path(__file__).parents[2] / "recorded").glob("*.jsonl"))


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_what_was_saved_is_loaded_the_same(file: Path, tmp_path: Path) -> None:
    recording = Recording.load(file)
    saved = tmp_path / "again.json"
    recording.save(saved)
    assert Recording.load(saved) == recording
    assert [left.name for left in tmp_path.iterdir()] == ["again.json"]


def test_a_recording_with_nothing_in_it_is_saved_too(tmp_path: Path) -> None:
    """Its schema is a default, and must be written all the same."""
    Recording().save(str(tmp_path / "empty.json"))
    assert Recording.load(tmp_path / "empty.json") == Recording()


def test_a_name_that_is_no_text_is_written_as_near_as_can_be(tmp_path: Path) -> None:
    Recording(cwd="/home/user/caf\udce9").save(tmp_path / "run.json")
    assert Recording.load(tmp_path / "run.json").cwd == "/home/user/caf?"


def test_a_disk_that_is_full_leaves_the_file_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "run.json"
    Recording(command=("before.py",)).save(file)

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic_files.os, "fsync", full)
    with pytest.raises(RecordingError, match=r"run\.json: cannot be written: No space left on device\."):
        Recording(command=("after.py",)).save(file)
    monkeypatch.undo()
    assert Recording.load(file).command == ("before.py",)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(("place", "why"), [(".", "Is a directory"), ("nowhere/run.json", "No such file")])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str, why: str) -> None:
    with pytest.raises(RecordingError, match=f"{why}.*"):
        Recording().save(tmp_path / place)


def test_the_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_named(tmp_path / "nowhere" / "report.html", b"")
    assert caught.value.filename == str(tmp_path / "nowhere" / "report.html")


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    file, link = tmp_path / "run.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_named(link, b"new")
    assert (file.read_bytes(), link.is_symlink(), stat.S_IMODE(file.stat().st_mode)) == (b"new", True, 0o640)


def test_a_recording_says_in_a_line_what_it_holds() -> None:
    events = Events()
    recording = record(events(tensor("x", 3), call=1), events(tensor("x", 4), call=2, phase="retrace"))
    shown = repr(msgspec.structs.replace(recording, seconds=2.5))
    assert shown == "<traceonce.Recording: 1 function, 2 events, 2.5 s>"
