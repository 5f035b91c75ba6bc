"""Writing: all files or none, only what was read, only what is still as it was read."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from traceonce.errors import UsageError
from traceonce.fix.project.files import Snapshot


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_bytes(b"a = 1\r\n")
    (tmp_path / "b.py").write_bytes(b"b = 1\n")
    (tmp_path / "c.py").write_bytes(b"c = 1\n")
    return tmp_path


def snapshot(project: Path) -> Snapshot:
    return Snapshot({name: project / name for name in ("a.py", "b.py", "c.py")})


CHANGED = {"a.py": b"a = 2\r\n", "b.py": b"b = 2\n", "c.py": b"c = 2\n"}


def contents(project: Path) -> dict[str, bytes]:
    """Everything in the folder, so that a file left behind shows."""
    return {path.name: path.read_bytes() for path in project.iterdir() if path.is_file()}


def test_all_files_are_written(project: Path) -> None:
    """Byte for byte, and nothing else is left in the folder."""
    before = snapshot(project)
    assert before.contents["a.py"] == b"a = 1\r\n"
    before.write(CHANGED)
    assert contents(project) == CHANGED


def test_the_mode_stays(project: Path) -> None:
    """A script stays executable."""
    (project / "a.py").chmod(0o751)
    snapshot(project).write({"a.py": b"new"})
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o751


def test_a_link_stays_a_link(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What it leads to is written, also in another folder."""
    target = tmp_path_factory.mktemp("elsewhere") / "real.py"
    target.write_bytes(b"old")
    (project / "b.py").unlink()
    (project / "b.py").symlink_to(target)
    snapshot(project).write({"b.py": b"new"})
    assert (project / "b.py").is_symlink()
    assert target.read_bytes() == b"new"
    assert os.listdir(target.parent) == ["real.py"]


@pytest.mark.parametrize("how", ["changed", "removed"])
def test_a_file_that_is_not_as_it_was_stops_all(project: Path, how: str) -> None:
    """The message names it and says what to do; the others stay as they are."""
    taken = snapshot(project)
    if how == "changed":
        (project / "c.py").write_bytes(b"c = 9\n")
    else:
        (project / "c.py").unlink()
    before = contents(project)
    with pytest.raises(UsageError, match=r"^c.py: .*run `traceonce fix` again"):
        taken.write(CHANGED)
    assert contents(project) == before


def test_a_file_that_was_not_read_is_not_written(project: Path) -> None:
    """It is no part of the project."""
    with pytest.raises(UsageError, match=r"^other.py: lies outside the project"):
        snapshot(project).write({**CHANGED, "other.py": b"x"})
    assert contents(project) == {"a.py": b"a = 1\r\n", "b.py": b"b = 1\n", "c.py": b"c = 1\n"}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """The message names it."""
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(UsageError, match=r"^folder.py: cannot be read"):
        Snapshot({"folder.py": tmp_path / "folder.py"})


def test_a_temporary_file_that_is_gone_by_now(tmp_path: Path) -> None:
    """Other programs may write into the same folder, and take away what they wrote."""
    (tmp_path / "a.py").write_text("a = 1")
    project = Snapshot({name: tmp_path / name for name in ("a.py", "gone.py")})
    assert project.contents == {"a.py": b"a = 1"}
    with pytest.raises(UsageError, match=r"^gone.py: lies outside the project"):
        project.write({"gone.py": b"b = 1"})


AS_ANOTHER_USER = """
import os, sys
sys.path[:0] = {path!r}
from pathlib import Path
from traceonce.errors import UsageError
from traceonce.fix.project.files import Snapshot
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
project = Path({project!r})
taken = Snapshot({{name: project / name for name in ("a.py", "b.py")}})
try:
    taken.write({{"a.py": b"new", "b.py": b"new"}})
except UsageError as error:
    print(error)
"""


@pytest.mark.parametrize("locked", ["b.py", "."], ids=["the file", "its folder"])
def test_a_file_that_cannot_be_written_stops_all(tmp_path: Path, locked: str) -> None:
    """Read-only files and folders, as a user who is not the administrator meets them."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("a.py", "b.py"):
        (project / name).write_bytes(b"old")
        (project / name).chmod(0o666)
    for folder in (project, *project.parents):
        if "pytest-of-" in str(folder):
            folder.chmod(0o777)
    (project / locked).chmod(0o444 if locked == "b.py" else 0o555)
    code = AS_ANOTHER_USER.format(path=sys.path, project=str(project))
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    (project / locked).chmod(0o777)
    assert "cannot be written" in child.stdout, child.stderr
    assert child.stdout.startswith("b.py" if locked == "b.py" else "a.py")
    assert contents(project) == {"a.py": b"old", "b.py": b"old"}


def test_a_failure_between_two_files_takes_the_first_back(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second rename fails (a full or vanished disk): no file is changed, and nothing is left behind."""
    taken = snapshot(project)
    before = contents(project)
    rename = os.replace

    def fail_for_b(source: Path, target: Path) -> None:
        if Path(target).name == "b.py" and b"2" in Path(source).read_bytes():
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "replace", fail_for_b)
    with pytest.raises(UsageError, match=r"b.py: cannot be written: Input/output error. Nothing was changed"):
        taken.write(CHANGED)
    assert contents(project) == before


def test_an_interrupt_leaves_everything_as_it_was(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also right after a file took its place."""
    taken = snapshot(project)
    before = contents(project)
    rename = os.replace

    def interrupt_after_b(source: Path, target: Path) -> None:
        new = b"2" in Path(source).read_bytes()
        rename(source, target)
        if Path(target).name == "b.py" and new:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt_after_b)
    with pytest.raises(KeyboardInterrupt):
        taken.write(CHANGED)
    assert contents(project) == before
