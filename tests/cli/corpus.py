"""The programs in ``examples/fix``, what is expected of each, and what `traceonce fix` made of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Literal

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


class Program(msgspec.Struct):
    file: str
    settled: bool | Literal["advice", "leave"]
    why: str
    functions: list[Function]
    extra: list[str] = []
    equal: list[str] = []
    oracle: Literal["original", "eager"] = "original"
    random: bool = False
    apart: list[Apart] = []

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
    return msgspec.json.decode((EXAMPLES / "corpus.json").read_bytes(), type=Corpus).programs


class Fixed(msgspec.Struct):
    """What `traceonce fix --write` said of a program, in a folder of its own; the original is beside it."""

    status: int
    said: str
    document: dict[str, Any]
    original: Path
    repaired: Path

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        found = self.document["functions"]
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
    """Runs programs through ``forked_runs.py``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forked_runs.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(
        self, folder: Path, script: str, *, eagerly: bool = False, relaxed: bool = False, watched: bool = True
    ) -> Ran:
        """`relaxed`: with `reduce_retracing=True` at every function; not `watched`: traces are not counted."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._count += 1
            result = self._folder / str(self._count)
            how = {"eagerly": eagerly, "relaxed": relaxed, "watched": watched}
            order = {"folder": str(folder), "script": script, "result": str(result), **how}
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            assert self._process.stdout.readline() == "done\n"
        ran = msgspec.json.decode((result / "result.json").read_bytes(), type=Ran)
        ran.printed = (result / "printed").read_text()
        return ran

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
