"""The copy of a project that a program is run in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from traceonce.prove import scratch as module
from traceonce.prove.scratch import Scratch, project_root


def make(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    make(
        root,
        {
            "pyproject.toml": "",
            "scripts/train.py": "print(1)",
            "package/model.py": "x = 1",
            "data/words.txt": "hello",
            ".venv/pyvenv.cfg": "",
            ".venv/lib/other.py": "",
            "package/__pycache__/model.pyc": "old",
        },
    )
    return root


def test_the_project_is_the_nearest_folder_that_looks_like_one(project: Path, tmp_path: Path) -> None:
    assert project_root(project / "scripts" / "train.py") == project
    make(tmp_path, {"loose/script.py": ""})
    assert project_root(tmp_path / "loose" / "script.py") == tmp_path / "loose"


def test_a_copy_has_everything_and_is_made_anew(project: Path) -> None:
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({})
        assert (scratch.cwd / "data" / "words.txt").read_text() == "hello"
        assert not (scratch.cwd / "package" / "__pycache__").exists()
        assert (scratch.cwd / ".venv").is_symlink()
        (scratch.cwd / "data" / "words.txt").write_text("changed")
        (scratch.cwd / "checkpoint").write_text("left over")
        before = scratch.cwd
        scratch.renew({})
        assert scratch.cwd == before
        assert (scratch.cwd / "data" / "words.txt").read_text() == "hello"
        assert not (scratch.cwd / "checkpoint").exists()
    assert not before.exists()
    assert (project / "data" / "words.txt").read_text() == "hello"


def test_changed_files_are_in_the_copy_only(project: Path) -> None:
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({"package/model.py": b"x = 2"})
        assert (scratch.cwd / "package" / "model.py").read_text() == "x = 2"
    assert (project / "package" / "model.py").read_text() == "x = 1"


def test_sources_are_named_as_recordings_name_them(project: Path) -> None:
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        assert set(scratch.sources()) == {"scripts/train.py", "package/model.py"}
    with Scratch(project / "scripts" / "train.py", project / "scripts") as scratch:
        assert set(scratch.sources()) == {"train.py", str(project / "package" / "model.py")}
        assert scratch.path_of("train.py") == project / "scripts" / "train.py"


def test_a_working_folder_elsewhere_is_copied_as_well(project: Path, tmp_path: Path) -> None:
    make(tmp_path, {"elsewhere/input.txt": "42"})
    with Scratch(project / "scripts" / "train.py", tmp_path / "elsewhere") as scratch:
        scratch.renew({})
        assert (scratch.cwd / "input.txt").read_text() == "42"
        assert scratch.copy_of(project / "scripts" / "train.py").read_text() == "print(1)"


def test_names_in_what_was_written_down_are_the_users(project: Path) -> None:
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        seen = json.dumps({"file": str(scratch.cwd / "scripts" / "train.py")}).encode()
        assert json.loads(scratch.as_seen_by_user(seen)) == {"file": str(project / "scripts" / "train.py")}


def test_a_large_file_is_linked_and_it_is_said_when_a_program_writes_to_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGE", 3)
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({"scripts/train.py": b"print(2)"})
        assert (scratch.cwd / "data" / "words.txt").is_symlink()
        assert (scratch.cwd / "scripts" / "train.py").read_text() == "print(2)"
        assert scratch.written_through() == []
        (scratch.cwd / "data" / "words.txt").write_text("changed!")
        assert scratch.written_through() == [str(project / "data" / "words.txt")]
    assert (project / "scripts" / "train.py").read_text() == "print(1)"


def test_a_changed_file_in_a_linked_folder_leaves_the_users_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({"package/model.py": b"x = 3"})
        assert (scratch.cwd / "package" / "model.py").read_text() == "x = 3"
        assert not (scratch.cwd / "package").is_symlink()
    assert (project / "package" / "model.py").read_text() == "x = 1"


def test_a_project_that_grows_past_the_limit_keeps_its_copy(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody writes files there while the program is tried."""
    make(project, {"package/deep/inner.py": "y = 1"})
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({})
        monkeypatch.setattr(module, "MOST_FILES", 1)
        scratch.renew({})
        assert (scratch.cwd / "package" / "deep" / "inner.py").read_text() == "y = 1"


def test_a_file_that_was_copied_before_there_were_too_many_stays(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(project, {"notes.txt": "mine"})
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({})
        monkeypatch.setattr(module, "MOST_BYTES", 0)
        scratch.renew({})
        assert (scratch.cwd / "notes.txt").read_text() == "mine"


def test_a_link_inside_the_project_leads_into_the_copy(project: Path, tmp_path: Path) -> None:
    """A program that writes through a link must not reach the user's own files."""
    (project / "latest").symlink_to("data")
    (project / "notes.txt").symlink_to(project / "data" / "words.txt")
    make(tmp_path, {"outside/settings.txt": "mine"})
    (project / "settings.txt").symlink_to(tmp_path / "outside" / "settings.txt")
    with Scratch(project / "scripts" / "train.py", project) as scratch:
        scratch.renew({})
        for name in ("latest/words.txt", "notes.txt", "settings.txt"):
            (scratch.cwd / name).write_text("changed")
    assert (project / "data" / "words.txt").read_text() == "hello"
    assert (tmp_path / "outside" / "settings.txt").read_text() == "mine"
