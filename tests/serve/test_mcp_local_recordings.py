"""The user's own recordings as agents name them: the last one, a file in the folder, a path."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from traceonce.errors import UsageError
from traceonce.home import remember
from traceonce.serve.digest import open_digest
from traceonce.serve.mcp.local_recordings import LocalRecordings, look_up
from traceonce.serve.request_errors import NotFoundError, OverBudgetError
from traceonce.serve.worker_pools import WorkerPools

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


@pytest.fixture(scope="module")
def pools() -> Iterator[WorkerPools]:
    pools = WorkerPools()
    yield pools
    pools.close()


@pytest.fixture
def recordings(folder: Path, pools: WorkerPools) -> LocalRecordings:
    return LocalRecordings(pools)


def findings(recordings: LocalRecordings, name: str) -> dict[str, Any]:
    """What is told of a run."""

    async def asking() -> dict[str, Any]:
        told: dict[str, Any] = json.loads((await recordings.findings(name, None)).data)
        return told

    return anyio.run(asking)


def test_the_last_run(folder: Path, tmp_path: Path) -> None:
    """It is the one that was recorded last, wherever that lies; its name is good for later, too."""
    assert look_up("latest").name == "wall.jsonl"
    elsewhere = tmp_path / "run.jsonl"
    shutil.copyfile(RECORDED / "anew.jsonl", elsewhere)
    remember(elsewhere)
    run = look_up("latest")
    assert run.name == str(elsewhere)
    assert look_up(run.name) == run


def test_there_is_none_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How to make one is said."""
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"no recordings yet.*traceonce run"):
        look_up("latest")
    with pytest.raises(NotFoundError, match=r"There are none yet.*traceonce run"):
        look_up("run")


def test_names_and_paths(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name in the folder, with or without its ending; a path, also one from where the agent works."""
    shutil.copyfile(RECORDED / "anew.jsonl", tmp_path / "run.jsonl")
    monkeypatch.chdir(tmp_path)
    assert look_up("healthy").name == look_up("healthy.jsonl").name == "healthy.jsonl"
    assert look_up("run.jsonl").name == look_up("./run.jsonl").name == str(tmp_path / "run.jsonl")
    with pytest.raises(NotFoundError, match=r"no recording '\.\./run\.jsonl'.* newest there: wall\.jsonl, healthy"):
        look_up("../run.jsonl")


def test_a_run_that_was_made_again(folder: Path, recordings: LocalRecordings) -> None:
    """What was found in the old file is not taken for what is in the new one."""
    before = findings(recordings, "healthy")
    shutil.copyfile(RECORDED / "fails.jsonl", folder / "healthy.jsonl")
    after = findings(recordings, "healthy")
    assert (before["command"], after["command"]) == (["healthy.py"], ["fails.py"])


def test_a_run_that_goes_on(folder: Path, recordings: LocalRecordings) -> None:
    """The files of its child processes are read with it, and again when they have grown."""

    def processes() -> int:
        return open_digest(anyio.run(recordings._digest, look_up("wall"))).recording.processes

    whole = (folder / "wall.jsonl").read_bytes().splitlines(keepends=True)
    header, half = whole[0], len(whole) // 2
    (folder / "wall.jsonl").write_bytes(b"".join(whole[:half]))
    alone = findings(recordings, "wall")["functions"][0]["traces"]
    assert processes() == 1
    child = header.replace(b'"process":"', b'"process":"9', 1)
    assert child != header
    (folder / "wall.jsonl.part-99").write_bytes(child + b"".join(whole[1:9]))
    assert findings(recordings, "wall")["functions"][0]["traces"] > alone
    assert processes() == 2


def test_a_list(folder: Path, recordings: LocalRecordings) -> None:
    """Under the names by which they are asked for, the newest first; none is read for that."""
    (folder / "nonsense.jsonl").write_text("no recording")
    os.utime(folder / "nonsense.jsonl", (1, 1))

    def names(search: str, limit: int) -> tuple[int, list[str]]:
        page = anyio.run(recordings.list, search, limit)
        return page.total, [line.recording for line in page.recordings]

    assert names("", 10) == (3, ["wall.jsonl", "healthy.jsonl", "nonsense.jsonl"])
    assert names("HEAL", 10) == (1, ["healthy.jsonl"])
    assert names("", 1) == (3, ["wall.jsonl"])
    line = anyio.run(recordings.list, "wall", 1).recordings[0]
    assert (line.written, line.size) == ("1970-01-12T13:46:40+00:00", (RECORDED / "wall.jsonl").stat().st_size)


def loop_in_c(path: str) -> bool:
    """What a worker does instead of reading the file: no exception and no signal handler gets through to it."""
    return None in range(2**63)


def test_a_recording_that_would_be_read_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused with the file, the budget and the remedy, and the next is answered."""
    pools = WorkerPools(most_seconds=1)
    recordings = LocalRecordings(pools)
    with monkeypatch.context() as patch:
        patch.setattr("traceonce.serve.jobs.understand_file", loop_in_c)
        refused = r"wall\.jsonl: reading it exceeds the limit of 1 s of CPU time.*`traceonce report FILE`"
        with pytest.raises(OverBudgetError, match=refused):
            findings(recordings, "wall")
    assert findings(recordings, "healthy")["command"] == ["healthy.py"]
    pools.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_plain_file(folder: Path, tmp_path: Path) -> None:
    """A pipe would be waited for, and a device read without end: both are refused."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(UsageError, match="is not a file"):
            look_up(str(path))
    (folder / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    with pytest.raises(NotFoundError, match=r"no recording 'gone'"):
        look_up("gone")
