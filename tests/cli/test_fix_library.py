"""`traceonce fix --library`: an installed library is repaired in a copy, and what is installed stays as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.shells import Shell

SMOOTHING = '''\
"""Smooth a curve."""

import jax


def smooth(values):
    def average(window):
        return (window[1:] + window[:-1]) / 2

    return jax.jit(average)(values)
'''
PROGRAM = """\
import jax, jax.numpy as jnp
import curvekit

scale = jax.jit(lambda x, by: x * by, static_argnames="by")
for start in range(4):
    print(curvekit.smooth(scale(jnp.arange(4.0), by=float(start))))
"""
PATCHED = """\
import patched_kit, runpy
runpy.run_path("use.py")
from curvekit import smoothing
print("traces:", smoothing.traced_average._cache_size())
"""


@pytest.fixture
def library(shell: Shell, tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages"
    for name, text in {
        "curvekit/__init__.py": "from curvekit.smoothing import smooth\n",
        "curvekit/smoothing.py": SMOOTHING,
        "curve_kit-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: curve-kit\nVersion: 1.2\n",
        "curve_kit-1.2.dist-info/top_level.txt": "curvekit\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    shell.environment["PYTHONPATH"] = str(folder)
    return folder


def test_a_library_is_repaired_in_a_copy(shell: Shell, library: Path) -> None:
    """The patch applies to its source, and the module that applies it at import has that effect."""
    shell.write("use.py", PROGRAM)
    before = {path: path.read_bytes() for path in library.rglob("*.*") if path.is_file()}
    found = shell.traceonce(
        "fix", "--library", "curvekit", "--patch", "c.patch", "--patch-module", "patched_kit.py", "use.py"
    )
    assert found.status == 0, found.errors
    assert "4 traces → 1, same outputs on 4 calls" in found.errors
    assert "jax.jit at curvekit/smoothing.py:10" in found.errors
    assert "the diff is for curve-kit 1.2" in found.errors
    assert "part of the program, not of curvekit" in found.errors, "what is left is not told"
    assert found.out == b""
    assert {path: path.read_bytes() for path in library.rglob("*.*") if path in before} == before
    assert (shell.cwd / "use.py").read_text() == PROGRAM

    assert "traces: 1\n" in shell.python("-c", PATCHED).text
    subprocess.run(["git", "apply", "-p1", shell.cwd / "c.patch"], cwd=library, check=True)
    assert "traced_average = jax.jit(average)" in (library / "curvekit" / "smoothing.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--library", "no_such_kit"], ["--library no_such_kit", "no such package is installed"]),
        (["--library", "curvekit", "--write"], ["--write", "never changed", "--patch FILE"]),
        (["--patch-module", "patched.py"], ["--patch-module", "--library"]),
        (["--library", "curvekit", "--patch-module", "curvekit.py"], ["--patch-module curvekit.py"]),
        (["--library", "curvekit", "--patch", "no/such.patch"], ["--patch no/such.patch", "folder"]),
        (["--library", "curvekit"], ["--library curvekit", "does not import it"]),
    ],
)
def test_what_cannot_be_asked_for(shell: Shell, library: Path, arguments: list[str], expected: list[str]) -> None:
    shell.write("plain.py", "print(1)")
    found = shell.traceonce("fix", *arguments, "plain.py")
    assert found.status == 2, found.errors
    assert "Traceback" not in found.errors
    assert all(word in found.errors for word in expected), found.errors
