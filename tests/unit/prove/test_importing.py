"""Which frameworks a program will import is read off its files; several replays of one run are joined."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.facts import FunctionId
from traceonce.facts.replay import ReplayResult, Returned
from traceonce.observe.launch import Target
from traceonce.prove.framework_imports import foresee_frameworks
from traceonce.prove.observed_run import join_replays


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "train.py": "import numpy\nfrom model.layers import dense\n",
        "model/__init__.py": "",
        "model/layers.py": "from . import deep\n\n\ndef dense():\n    import jax.numpy as jnp\n",
        "model/deep.py": "import model.layers\n",
        "plain.py": "import json\n",
        "broken.py": "import jax\ndef (:\n",
        "unrelated.py": "import tensorflow\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("script", "train.py", ["jax", "jax.numpy"]),
        ("script", "plain.py", []),
        ("script", "broken.py", []),
        ("script", "missing.py", []),
        ("module", "model.layers", ["jax", "jax.numpy"]),
        ("code", "import tensorflow as tf, jax", ["tensorflow", "jax", "jax.numpy"]),
        ("code", "from train import x", ["jax", "jax.numpy"]),
        ("code", "import keras", ["tensorflow"]),
    ],
)
def test_what_the_files_of_a_program_import_is_foreseen(
    kind: str, name: str, expected: list[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert foresee_frameworks(Target(kind, name, ()), project) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("-q", "checks"), ["jax", "jax.numpy"]),
        (("checks/test_layers.py::test_dense",), ["jax", "jax.numpy"]),
        (("-q",), ["tensorflow", "jax", "jax.numpy"]),
    ],
)
def test_a_module_from_elsewhere_runs_the_files_of_the_project(
    arguments: tuple[str, ...], expected: list[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "checks").mkdir()
    (project / "checks" / "test_layers.py").write_text("from model.layers import dense\n")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert foresee_frameworks(Target("module", "pytest", arguments), project) == expected


def test_what_is_not_installed_is_not_loaded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert foresee_frameworks(Target("script", "train.py", ()), project) == []


def test_replays_of_several_frameworks_are_one() -> None:
    one = ReplayResult(returned=(Returned(FunctionId("f")),), seconds=1.0, drawn=True, problems=("a",))
    other = ReplayResult(returned=(Returned(FunctionId("g")),), seconds=2.0, problems=("b",))
    joined = join_replays([one, other])
    assert [each.function.name for each in joined.returned] == ["f", "g"]
    assert (joined.seconds, joined.drawn, joined.problems) == (2.0, True, ("a", "b"))
    assert join_replays([]) == ReplayResult()
