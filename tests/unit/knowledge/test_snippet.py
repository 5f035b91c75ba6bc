"""Code that a record shows runs as it is: no name is undefined, whatever the trial takes from its module."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.experiment import Experiment

SOURCE = '''
import math
import os

from traceonce.knowledge.experiment import Wrong, cases

symptom = Wrong()

SIZES = [1, 4]
UNUSED = 3
COUNT = len(SIZES)


def double(x):
    return 2 * x


def failure(): ...


def right(): ...


def workaround_flat():
    """Not shown."""
    roots = [math.isqrt(size) for size in SIZES]
    return print(double(sum(roots)), COUNT)


@cases("a", "b")
def workaround_cases(case):
    return print(case * COUNT)


@cases("a", "b")
def workaround_early(case):
    if case == "a":
        return double(1)
    return case


def workaround_global():
    global COUNT
    COUNT = 5
    return COUNT
'''


@pytest.fixture
def trials(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "experiment.py"
    path.write_text(SOURCE, encoding="utf-8")
    return {name: trial.body for name, trial in Experiment.read(path).trials.items()}


@pytest.mark.parametrize(
    ("name", "printed"), [("flat", "6 2\n"), ("cases", "aa\n"), ("early", "2\nb\n"), ("global", "5\n")]
)
def test_it_runs_as_it_is(trials: dict[str, str], name: str, printed: str) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(trials[f"workaround_{name}"], name, "exec"), {})
    assert out.getvalue() == printed


def test_it_holds_what_is_used_and_no_more(trials: dict[str, str]) -> None:
    assert trials["workaround_flat"] == textwrap.dedent(
        """\
        import math

        SIZES = [1, 4]
        COUNT = len(SIZES)

        def double(x):
            return 2 * x

        roots = [math.isqrt(size) for size in SIZES]
        print(double(sum(roots)), COUNT)"""
    )
    assert trials["workaround_cases"].endswith('case = "a"  # or "b"\n\nprint(case * COUNT)')


def test_no_snippet_of_a_record_has_an_undefined_name(tmp_path: Path) -> None:
    for record in Collection():
        for at, claim in record.claims:
            compile(claim.how, record.id, "exec", dont_inherit=True)
            file = tmp_path / f"{record.id.replace('/', '_')}_{at.strip(']').replace('[', '_')}.py"
            file.write_text(claim.how, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821", str(tmp_path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    (tmp_path / "broken.py").write_text("print(undefined)", encoding="utf-8")
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
