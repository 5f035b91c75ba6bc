"""The programs in ``examples/fix``, what is expected of each, and what `traceonce fix` made of them."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

EXAMPLES = Path(__file__).parents[2] / "examples" / "fix"
TRACEONCE = str(Path(sys.executable).with_name("traceonce"))
TOO_LONG = 600  # seconds: a hang ends as a failure


class Cause(msgspec.Struct):
    code: str
    path: str


class Repair(msgspec.Struct):
    recipes: list[str]
    after: int


class Function(msgspec.Struct):
    name: str
    verdict: str
    calls: int | None
    before: int
    after: int
    causes: list[Cause]
    repairs: list[Repair]
    file: str | None = None
    refused: list[list[str]] = []

    @property
    def short(self) -> str:
        return self.name.rpartition("<locals>.")[2]


class Apart(msgspec.Struct):
    line: str
    why: Literal["tracing", "time", "count"]


Framework: TypeAlias = Literal["tensorflow", "jax", "torch"]


class Program(msgspec.Struct):
    """`needs` are the packages that it imports beside its framework: a program around a public library."""

    file: str
    settled: bool | Literal["partly", "advice", "nothing", "leave"]
    why: str
    functions: list[Function]
    extra: list[str] = []
    equal: list[str] = []
    oracle: Literal["original", "eager"] = "original"
    random: bool = False
    apart: list[Apart] = []
    framework: Framework = "tensorflow"
    needs: list[str] = []

    @property
    def missing(self) -> list[str]:
        """What it needs and is not installed here."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]

    def lines(self, printed: str) -> list[str]:
        """What it printed, without what may differ."""
        return [line for line in printed.splitlines() if not any(re.search(apart.line, line) for apart in self.apart)]

    def copy_to(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for name in (self.file, *self.extra):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(EXAMPLES / name, folder / name)


class Corpus(msgspec.Struct):
    schema: str
    measured: dict[str, str]
    programs: list[Program]


def load() -> list[Program]:
    """All of them, also those around a library that is not installed here (`missing`)."""
    return msgspec.json.decode((EXAMPLES / "corpus.json").read_bytes(), type=Corpus).programs


# One of so many programs; those of JAX start in a third of the others' time.
SHARES: dict[Framework, int] = {"tensorflow": 4, "jax": 3, "torch": 4}


def fair_share(programs: Sequence[Program]) -> list[Program]:
    """Some of every framework, and of what is expected of each; none that needs a library."""
    groups: dict[tuple[Framework, str], list[Program]] = {}
    for program in programs:
        if not program.needs:
            groups.setdefault((program.framework, str(program.settled)), []).append(program)
    return [program for (framework, _), group in groups.items() for program in group[:: SHARES[framework]]]


class Fixed(msgspec.Struct):
    """What `traceonce fix --write` said of a program, in a folder of its own; the original is beside it."""

    status: int
    said: str
    document: dict[str, Any]
    original: Path
    repaired: Path

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        """By the last part of their names; of one name the one with most traces."""
        found = sorted(self.document["functions"], key=lambda function: function["traces"])
        return {function["name"].rpartition("<locals>.")[2]: function for function in found}


def fix(program: Program, folder: Path) -> Fixed:
    original, repaired = folder / "original", folder / "repaired"
    program.copy_to(original)
    program.copy_to(repaired)
    done = subprocess.run(
        [TRACEONCE, "fix", "--write", "--json", str(folder / "fix.json"), program.file],
        cwd=repaired,
        capture_output=True,
        timeout=TOO_LONG,
    )
    said = done.stderr.decode()
    document = json.loads((folder / "fix.json").read_text()) if (folder / "fix.json").exists() else {"functions": []}
    return Fixed(done.returncode, said, document, original, repaired)


class Ran(msgspec.Struct):
    status: int
    raised: str
    traces: dict[str, int]
    seconds: float
    printed: str = ""


class Runs:
    """Runs programs through ``forked_runs.py``, in a process for each framework."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._lock = threading.Lock()
        self._processes: dict[Framework, subprocess.Popen[str]] = {}

    def run(
        self, folder: Path, program: Program, *, eagerly: bool = False, relaxed: bool = False, watched: bool = True
    ) -> Ran:
        """`relaxed`: as `forked_runs.py` relaxes every function; not `watched`: traces are not counted."""
        with self._lock:
            process = self._process(program.framework)
            assert process.stdin is not None
            assert process.stdout is not None
            self._count += 1
            result = self._folder / str(self._count)
            how = {"eagerly": eagerly, "relaxed": relaxed, "watched": watched}
            order = {"folder": str(folder), "script": program.file, "result": str(result), **how}
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
        ran = msgspec.json.decode((result / "result.json").read_bytes(), type=Ran)
        ran.printed = (result / "printed").read_text()
        return ran

    def _process(self, framework: Framework) -> subprocess.Popen[str]:
        if framework not in self._processes:
            self._processes[framework] = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("forked_runs.py")), framework],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._processes[framework]

    def close(self) -> None:
        for process in self._processes.values():
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            process.stdout.close()
            process.wait()
