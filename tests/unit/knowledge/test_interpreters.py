"""Which interpreter runs which framework's trials, without running any."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from traceonce.commands.knowledge.verify import command as verify
from traceonce.errors import RecordError, UsageError
from traceonce.knowledge.evidence import framework_name, requirement_of
from traceonce.trials import interpreters as module
from traceonce.trials.interpreters import Interpreter, describe_missing, framework_required, interpreters

ALL = ["tensorflow", "jax", "torch"]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "python_with", lambda requirement, say: f"/{requirement}/python")


def test_each_version_goes_to_its_framework(made: None) -> None:
    against = "jax==0.6.2,jax==0.10.2,tensorflow_cpu==2.21.0"
    assert list(interpreters(against, ALL)) == [
        Interpreter("jax", "/jax==0.6.2/python"),
        Interpreter("jax", "/jax==0.10.2/python"),
        Interpreter("tensorflow", "/tensorflow_cpu==2.21.0/python"),
    ]


def test_records_that_were_named_need_a_version_each(made: None) -> None:
    with pytest.raises(UsageError, match="names no version of PyTorch"):
        list(interpreters("jax==0.6.2", ["jax", "torch"], named=True))
    with pytest.raises(UsageError, match=r"'numpy==2\.0': no records for this framework; known: jax, "):
        framework_required("numpy==2.0", ALL)
    assert framework_required("tensorflow-rocm==2.14", ["tensorflow"]) == "tensorflow"


def test_without_versions_what_is_installed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"jax": None, "tensorflow": ("tensorflow", "2.21.0")}
    monkeypatch.setattr(module, "installed_version", lambda backend: here[backend.framework.name])
    assert list(interpreters(None, ["jax", "tensorflow"])) == [
        Interpreter("jax", None),
        Interpreter("tensorflow", sys.executable),
    ]
    with pytest.raises(RecordError, match="there is no backend for 'nowhere'"):
        list(interpreters(None, ["nowhere"]))
    assert "JAX is not installed here" in describe_missing("jax")
    assert "pip install 'traceonce[torch]'" in describe_missing("torch")


def test_frameworks_as_people_write_them() -> None:
    assert [framework_name(name) for name in (*ALL, "mlx")] == ["TensorFlow", "JAX", "PyTorch", "mlx"]
    assert requirement_of("PyTorch 2.13.0") == "torch==2.13.0"
    assert requirement_of("TensorFlow  2.6.0") == "tensorflow==2.6.0"


EXPERIMENT = """
from traceonce.knowledge.experiment import Logs

symptom = Logs(text="x")

def failure():
    return 1
"""


def test_records_whose_framework_is_not_installed_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for domain in ("jax", "torch"):
        record = {"id": f"{domain}/mine", "signature": "x", "domain": domain, "experiment": f"{domain}/mine.py"}
        for path, text in (("records", json.dumps(record)), ("experiments", EXPERIMENT)):
            (tmp_path / path / domain).mkdir(parents=True)
            (tmp_path / path / domain / f"mine.{'json' if path == 'records' else 'py'}").write_text(text)
    monkeypatch.setattr(module, "installed_version", lambda backend: None)
    done = CliRunner().invoke(verify, ["--base", str(tmp_path), "--check"])
    assert done.exit_code == 2
    assert [line.split(":")[1].split()[0] for line in done.stderr.splitlines()] == ["JAX", "PyTorch"]
    assert done.stdout == ""
