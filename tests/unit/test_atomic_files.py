"""Files that are replaced whole or not at all. What `fix --write` and `knowledge import` rely on is tested there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from traceonce.atomic_files import atomic_write, atomic_write_all


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_mode_that_any_new_file_has(tmp_path: Path) -> None:
    atomic_write(tmp_path / "new", b"data")
    (tmp_path / "usual").touch()
    assert (tmp_path / "new").read_bytes() == b"data"
    assert mode(tmp_path / "new") == mode(tmp_path / "usual")
    assert names(tmp_path) == ["new", "usual"]


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(0o640)
    atomic_write(tmp_path / "file", b"data")
    assert mode(tmp_path / "file") == 0o640


def test_a_private_file_is_private_all_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(0o600)
    seen: list[int] = []
    sync = os.fsync

    def look(handle: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        sync(handle)

    monkeypatch.setattr(os, "fsync", look)
    atomic_write(tmp_path / "file", b"data")
    assert seen == [0o600]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    atomic_write(tmp_path / "link", b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"old"


FULL = """
import resource, signal, sys
from pathlib import Path
from traceonce.atomic_files import atomic_write
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    atomic_write(Path(sys.argv[1]), b"x" * 1000)
except OSError as error:
    print(error.filename)
"""


def test_a_full_disk_leaves_the_old_content_and_nothing_beside_it(tmp_path: Path) -> None:
    """No file may grow beyond 100 bytes: for the process that writes, the disk is full."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    child = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, check=True, timeout=60)
    assert child.stdout.strip() == str(path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_the_last_check_stops_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def refuse() -> None:
        assert (tmp_path / "a").read_bytes() == b"old"
        raise ValueError("changed")

    with pytest.raises(ValueError, match="changed"):
        atomic_write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"}, last_check=refuse)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_what_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(FileExistsError) as raised:
        atomic_write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"}, replace=False)
    assert raised.value.filename == str(tmp_path / "b")
    assert names(tmp_path) == ["b"]
    assert (tmp_path / "b").read_bytes() == b"old"
