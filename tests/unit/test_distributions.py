"""The wheel and the sdist that would be published, and the wheel in an empty environment of each Python that is here.

`pip` asks the configured registry for the build backend and for the dependencies. Without one these tests are skipped
and say so: a machine that is offline does not fail them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOO_LONG = 300.0
UNREACHABLE = (
    "No matching distribution",
    "Could not find a version",
    "ConnectionError",
    "Temporary failure",
    "timed out",
)
PYTHONS = [f"python3.{minor}" for minor in range(10, 15)]


def ran(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a command said, without what this process would tell it about Python."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRACEONCE"))}
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=TOO_LONG
    )


def asked_registry(*command: str | Path) -> None:
    """Run what needs a registry, or skip the test where there is none."""
    done = ran(*command)
    said = done.stdout + done.stderr
    if done.returncode and any(each in said for each in UNREACHABLE):
        pytest.skip(f"no registry with what it needs: {said.strip().splitlines()[-1][:200]}")
    assert done.returncode == 0, said


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("dist")
    asked_registry(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return sorted(folder.iterdir())


def test_both_are_fit_to_be_uploaded(distributions: list[Path]) -> None:
    assert [path.suffix for path in distributions] == [".whl", ".gz"]
    checked = ran(sys.executable, "-m", "twine", "check", "--strict", *distributions)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("PASSED") == 2


@pytest.mark.parametrize("name", PYTHONS)
def test_the_wheel_works_in_an_empty_environment(distributions: list[Path], name: str, tmp_path: Path) -> None:
    """With its core dependencies alone: no framework, no server."""
    python = shutil.which(name)
    if python is None or ran(python, "-c", "import venv, ensurepip").returncode:
        pytest.skip(f"{name} is not on PATH, or cannot make environments")
    empty = tmp_path / "empty"
    assert ran(python, "-m", "venv", empty).returncode == 0
    asked_registry(empty / "bin" / "python", "-m", "pip", "install", "--quiet", distributions[0])
    traceonce = empty / "bin" / "traceonce"
    shown = ran(traceonce, "--help", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Start here:\n  run " in shown.stdout
    checked = ran(traceonce, "doctor", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.splitlines()[-1].startswith("Not ready: no framework is installed in this environment.")
    explained = ran(traceonce, "explain", "weak_type", cwd=tmp_path)
    assert (explained.returncode, explained.stderr) == (0, "")
    assert explained.stdout.startswith("weak_type")
