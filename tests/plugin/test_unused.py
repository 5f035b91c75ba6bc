"""Where nobody asks for us we are not there; and the test that says so can fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import pytest
status = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]])
names = {"msgspec", "tensorflow", "numpy", "rich", "click"}
print("LOADED", *sorted(name for name in sys.modules if name in names or name.startswith("traceonce.")))
sys.exit(status)
"""
PLUGIN = ["traceonce.integrations", "traceonce.integrations.pytest_plugin", "traceonce.version"]


def loaded_by(folder: Path, source: str, *options: str) -> list[str]:
    """What of ours, and of what we need, a pytest run in a fresh interpreter has imported."""
    (folder / "test_small.py").write_text(source)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "TRACEONCE"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("LOADED")]
    return line.split()[1:]


def test_nothing_is_imported(tmp_path: Path) -> None:
    assert loaded_by(tmp_path, "def test_it(): pass\n") == PLUGIN


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("import pytest\n@pytest.mark.max_traces(1)\ndef test_it(): pass\n", []),
        ("def test_it(traces): pass\n", []),
        ("def test_it(): pass\n", ["--traceonce"]),
        ("import traceonce.api\ndef test_it(): pass\n", []),
    ],
)
def test_this_test_can_fail(tmp_path: Path, source: str, options: list[str]) -> None:
    loaded = loaded_by(tmp_path, source, *options)
    assert {"traceonce.api", "msgspec"} <= set(loaded)
    assert "tensorflow" not in loaded


def test_a_limit_from_the_environment_brings_no_warning(tmp_path: Path) -> None:
    """It imports us before pytest does, which pytest warns of where it would have rewritten a module's asserts."""
    (tmp_path / "test_empty.py").write_text("def test_empty():\n    pass\n")
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:asyncio", "-p", "no:cacheprovider", "."]
    environment = {**os.environ, "TRACEONCE_LIMIT": "10"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout
