"""The user's own recordings as agents name them: the last one, a file in the folder, a path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from traceonce.commands.local_recordings import LocalRecordings
from traceonce.errors import UsageError
from traceonce.observe.shelf import remember
from traceonce.serve.refusals import NotFoundError

RECORDED = Path(__file__).parents[1] / "recorded"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with two recordings in it; `wall` is the newer."""
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "recordings"
    folder.mkdir(parents=True)
    for age, name in enumerate(("wall", "healthy")):
        shutil.copyfile(RECORDED / f"{name}.jsonl", folder / f"{name}.jsonl")
        os.utime(folder / f"{name}.jsonl", (1_000_000 - age, 1_000_000 - age))
    return folder


def test_the_last_run(folder: Path, tmp_path: Path) -> None:
    """It is the one that was recorded last, wherever that lies; its name is good for later, too."""
    recordings = LocalRecordings()
    assert recordings.look_up("latest").name == "wall.jsonl"
    elsewhere = tmp_path / "run.jsonl"
    shutil.copyfile(RECORDED / "anew.jsonl", elsewhere)
    remember(elsewhere)
    run = recordings.look_up("latest")
    assert run.name == str(elsewhere)
    assert recordings.look_up(run.name) is run


def test_there_is_none_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How to make one is said."""
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"no recordings yet.*traceonce run"):
        LocalRecordings().look_up("latest")
    with pytest.raises(NotFoundError, match=r"There are none yet.*traceonce run"):
        LocalRecordings().look_up("run")


def test_names_and_paths(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name in the folder, with or without its ending; a path, also one from where the agent works."""
    recordings = LocalRecordings()
    shutil.copyfile(RECORDED / "anew.jsonl", tmp_path / "run.jsonl")
    monkeypatch.chdir(tmp_path)
    assert recordings.look_up("healthy").name == recordings.look_up("healthy.jsonl").name == "healthy.jsonl"
    assert recordings.look_up("run.jsonl").name == recordings.look_up("./run.jsonl").name == str(tmp_path / "run.jsonl")
    with pytest.raises(NotFoundError, match=r"no recording '\.\./run\.jsonl'.* newest there: wall\.jsonl, healthy"):
        recordings.look_up("../run.jsonl")


def test_a_run_that_was_made_again(folder: Path) -> None:
    """What was found in the old file is not taken for what is in the new one."""
    recordings = LocalRecordings()
    before = recordings.look_up("healthy").material.recording
    shutil.copyfile(RECORDED / "fails.jsonl", folder / "healthy.jsonl")
    after = recordings.look_up("healthy").material.recording
    assert (before.command, after.command) == (("healthy.py",), ("fails.py",))


def test_a_run_that_goes_on(folder: Path) -> None:
    """The files of its child processes are read with it, and again when they have grown."""
    recordings = LocalRecordings()
    whole = (folder / "wall.jsonl").read_bytes().splitlines(keepends=True)
    header, half = whole[0], len(whole) // 2
    (folder / "wall.jsonl").write_bytes(b"".join(whole[:half]))
    alone = len(recordings.look_up("wall").material.recording.events)
    child = header.replace(b'"process":"', b'"process":"9', 1)
    assert child != header
    (folder / "wall.jsonl.part-99").write_bytes(child + b"".join(whole[1:9]))
    together = recordings.look_up("wall").material.recording
    assert (len(together.events) > alone, together.processes) == (True, 2)


def test_a_summary_and_a_list(folder: Path) -> None:
    """As `Questions` asks for them."""
    recordings = LocalRecordings()
    page = recordings.page("", 10, 0)
    assert (page.total, [one.id for one in page.recordings]) == (2, ["wall.jsonl", "healthy.jsonl"])
    assert [one.id for one in recordings.page("HEAL", 10, 0).recordings] == ["healthy.jsonl"]
    assert [one.id for one in recordings.page("", 1, 1).recordings] == ["healthy.jsonl"]
    summary = recordings.summary("wall")
    assert (summary.functions, summary.traces, summary.size) == (1, 120, (RECORDED / "wall.jsonl").stat().st_size)
    assert recordings.raw("wall") == (RECORDED / "wall.jsonl").read_bytes()


def test_they_are_only_read(folder: Path) -> None:
    """Nothing here deletes a recording, or makes one."""
    with pytest.raises(UsageError, match="files of the user"):
        LocalRecordings().delete("wall")
    assert (folder / "wall.jsonl").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_plain_file(folder: Path, tmp_path: Path) -> None:
    """A pipe would be waited for, and a device read without end: both are refused."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(UsageError, match="is not a file"):
            LocalRecordings().look_up(str(path))
    (folder / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    with pytest.raises(NotFoundError, match=r"no recording 'gone'"):
        LocalRecordings().look_up("gone")
