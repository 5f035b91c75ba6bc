"""Whose line is it? Told by where a file lies, and not by words in its path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from traceonce.frameworks.base.places import OURS, Places

SITE = "/home/me/torch/fx/.venv/lib/python3.11/site-packages"  # an environment in a folder of an unlucky name
TORCH = f"{SITE}/torch/__init__.py"


@pytest.fixture
def places() -> Places:
    return Places((TORCH,))


@pytest.mark.parametrize(
    "file",
    [
        "/home/me/traceonce/train.py",
        "/home/me/traceonce/src/traceonce_experiments/train.py",
        "/home/me/a b/traceonce/examples/train.py",
        "/home/me/torch/train.py",
        "/home/me/torch/fx/train.py",
    ],
)
def test_a_users_file(places: Places, file: str) -> None:
    assert places.is_user(file)
    assert not places.is_framework(file)
    assert not places.is_in_framework(file, "fx")


def test_a_file_that_was_found_upwards_has_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with ``sys.path.append(os.path.join(os.path.dirname(__file__), ".."))``, in many a script."""
    (tmp_path / "scripts").mkdir()
    monkeypatch.chdir(tmp_path / "scripts")
    places = Places((TORCH,))
    assert places.shorten(f"{tmp_path}/scripts/../core/ops.py") == f"{tmp_path}/core/ops.py"
    assert places.shorten(f"{tmp_path}/scripts/../scripts/run.py") == "run.py"
    assert places.shorten(f"{tmp_path}/scripts/run.py") == "run.py"


def test_ours(places: Places) -> None:
    assert places.is_framework(f"{OURS[0]}explain/history.py")
    assert not places.is_user(f"{OURS[0]}explain/history.py")
    assert all(Path(folder).name == "traceonce" and (Path(folder) / "__init__.py").is_file() for folder in OURS)


def test_a_room_of_the_framework(places: Places) -> None:
    assert places.is_in_framework(f"{SITE}/torch/fx/graph.py", "_dynamo", "fx")
    assert not places.is_in_framework(f"{SITE}/torch/fx/graph.py", "_dynamo")
    assert not places.is_in_framework(f"{SITE}/torch/fxed/graph.py", "fx")


def test_another_library_in_that_environment(places: Places) -> None:
    """Its path has the name of a room of the framework in it, and it is no machinery of the framework's."""
    library = f"{SITE}/gpytorch/models.py"
    assert not places.is_in_framework(library, "fx")
    assert not places.is_user(library)
    assert not places.is_framework(library)
    assert sys.prefix not in SITE
