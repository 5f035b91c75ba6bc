"""Importing traceonce imports no framework, and nothing heavy; and the test that says so can fail."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import traceonce

HEAVY = ("tensorflow", "keras", "jax", "torch", "numpy", "rich")


def heavy_modules_after(statement: str, *folders: Path) -> list[str]:
    """Which of the heavy packages a fresh interpreter has loaded after it ran `statement`; `folders` come first."""
    program = (
        f"import sys\n{statement}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}} & {set(HEAVY)!r}))"
    )
    paths = [*map(str, folders), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    environment.pop("TRACEONCE_RUN", None)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def stub(folder: Path, name: str) -> Path:
    """A package that is heavy by name alone."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("")
    return folder


@pytest.mark.parametrize(
    "statement",
    [
        "import traceonce",
        "import traceonce.commands.main",
        "import traceonce; traceonce.watch",
        "import traceonce; traceonce.Recording, traceonce.diagnose",
        "import traceonce; traceonce.keras, traceonce.log_retraces",
        "from traceonce.frameworks.base.registry import known_backends; known_backends()",
        "from traceonce.observe.hub import hub",
    ],
)
def test_nothing_heavy_is_imported(statement: str) -> None:
    assert heavy_modules_after(statement) == []


@pytest.mark.parametrize("name", HEAVY)
def test_this_test_can_fail(tmp_path: Path, name: str) -> None:
    """The same check on a program that does import one of them, directly and by way of another module."""
    folder = stub(tmp_path, name)
    (folder / "innocent.py").write_text(f"import {name}\n")
    assert heavy_modules_after(f"import traceonce, {name}", folder) == [name]
    assert heavy_modules_after("import traceonce.commands.main, innocent", folder) == [name]


def test_a_framework_that_is_only_installed_is_not_imported(tmp_path: Path) -> None:
    """Not even a broken one, which would raise."""
    folder = stub(tmp_path, "tensorflow")
    (folder / "tensorflow" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    assert heavy_modules_after("import traceonce.commands.main; traceonce.watch", folder) == []


def imported_names(path: str, *, type_checking: bool) -> set[str]:
    """The names that a module imports from others of ours: at its top, or for the type checker only."""
    tree = ast.parse(Path(path).read_text())
    blocks = [node for node in tree.body if isinstance(node, ast.If)] if type_checking else [tree]
    return {
        alias.asname or alias.name
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("traceonce.")
        for alias in node.names
    }


def test_all_is_complete() -> None:
    """What a type checker sees, what is loaded when asked for, and what is declared are the same names."""
    seen = imported_names(traceonce.__file__, type_checking=True)
    assert seen | {"__version__"} == set(traceonce.__all__)
    assert set(traceonce._HOMES) == seen


def test_every_public_name_resolves() -> None:
    for name in traceonce.__all__:
        assert getattr(traceonce, name) is not None
        assert name in dir(traceonce)
    for name, home in traceonce._HOMES.items():
        assert getattr(importlib.import_module(home), name) is getattr(traceonce, name)


@pytest.mark.parametrize("room", ["traceonce.facts", "traceonce.diagnosis"])
def test_the_rooms_declare_all_that_they_offer(room: str) -> None:
    module = importlib.import_module(room)
    assert module.__file__ is not None
    assert imported_names(module.__file__, type_checking=False) == set(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match="module 'traceonce' has no attribute 'wach'"):
        traceonce.wach  # noqa: B018  # the typo is the point


def test_star_import_brings_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from traceonce import *", names)
    assert set(traceonce.__all__) <= set(names)


def test_the_version_is_that_of_the_distribution() -> None:
    assert importlib.metadata.version("traceonce") == traceonce.__version__
