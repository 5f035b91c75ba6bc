"""The result of a repair: a diff that applies where it is said to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.unit.prove.test_scratch import make
from traceonce.fix.project.files import Snapshot
from traceonce.prove.judgement import Observed
from traceonce.prove.repair_result import RepairResult
from traceonce.prove.run_differences import Variation
from traceonce.prove.search_result import SearchResult
from traceonce.prove.stage_client import Run


@pytest.mark.parametrize(
    ("changed", "folder"),
    [({"scripts/run.py"}, "scripts"), ({"core/ops.py"}, ""), ({"scripts/run.py", "core/ops.py"}, "")],
)
def test_the_diff_applies_in_the_folder_that_is_named(
    changed: set[str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run from a folder of its own, a script may use files beside that: git and patch refuse names with ``..``."""
    make(tmp_path, {"scripts/run.py": "one\n", "core/ops.py": "one\n"})
    monkeypatch.chdir(tmp_path / "scripts")
    names = {path: "run.py" if path == "scripts/run.py" else str(tmp_path / path) for path in changed}
    seen = Observed(Run.nothing(), {})
    files = dict.fromkeys(names.values(), b"two\n")
    snapshot = Snapshot({name: tmp_path / path for path, name in names.items()})
    result = RepairResult(SearchResult(seen, Variation(), (), files, seen), snapshot, [])
    assert result.folder == tmp_path / folder
    assert ".." not in result.diff
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    subprocess.run(["git", "apply", "-"], input=result.patch, cwd=result.folder, check=True, env=environment)
    assert {path for path in ("scripts/run.py", "core/ops.py") if (tmp_path / path).read_text() == "two\n"} == changed
