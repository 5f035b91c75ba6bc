"""What a recorder writes down beside the entries that it is given."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.handmade import Events, tensor
from traceonce.facts import FunctionId, Recording
from traceonce.observe.recorder import FileRecorder, MemoryRecorder


class Version(str):
    """As PyTorch has one."""


def test_the_versions_of_libraries_whose_functions_were_traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report for those who maintain one needs it; what was imported and not traced is no part of the run."""
    library = ModuleType("curvekit")
    library.__dict__["__version__"] = Version("1.2")
    monkeypatch.setitem(sys.modules, "curvekit", library)
    traced = FunctionId("smooth", "/venv/lib/python3.11/site-packages/curvekit/smoothing.py", 3, library=True)
    memory, file = MemoryRecorder(), FileRecorder(str(tmp_path / "run.jsonl"), "a run", main=True)
    for recorder in (memory, file):
        recorder.write(Events(traced)(tensor("x", 3)))
        recorder.close()
    for recording in (memory.recording(), Recording.from_bytes((tmp_path / "run.jsonl").read_bytes())):
        assert recording.environment["curvekit"] == "1.2"
        assert "pytest" not in recording.environment
