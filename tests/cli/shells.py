"""Run the command line as a user does: in processes of its own, through both entry points, with a home of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

CONSOLE_SCRIPT = (str(Path(sys.executable).with_name("traceonce")),)
MODULE = (sys.executable, "-m", "traceonce")
TOO_LONG = 240  # seconds: a hang ends as a failure; no test depends on how long anything takes

# Of the surroundings, what would change how a process behaves or where it writes.
_UNWANTED = ("TRACEONCE_", "PYTHON", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "TTY_", "XDG_STATE_HOME")


class Outcome(NamedTuple):
    """How a process ended (negative: by that signal) and what it wrote."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def errors(self) -> str:
        return self.err.decode()


class Shell:
    """A working folder, a home for recordings beside it, and one of the two entry points."""

    def __init__(self, folder: Path, entry: Sequence[str] = CONSOLE_SCRIPT) -> None:
        self.cwd = folder / "work"
        self.home = folder / "home"
        self.entry = list(entry)
        self.interpreter = _interpreter_of(self.entry[0])
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(_UNWANTED)}
        self.environment["TRACEONCE_HOME"] = str(self.home)
        self.cwd.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def traceonce(self, *arguments: str | bytes, **options: Any) -> Outcome:
        return self.execute([*self.entry, *arguments], **options)

    def run(self, *arguments: str | bytes, **options: Any) -> Outcome:
        """`traceonce run --quiet …`: what is left is what the program did."""
        return self.traceonce("run", "--quiet", *arguments, **options)

    def python(self, *arguments: str | bytes, **options: Any) -> Outcome:
        return self.execute([self.interpreter, *arguments], **options)

    def execute(self, command: Sequence[str | bytes], stdin: bytes = b"", **options: Any) -> Outcome:
        options.setdefault("cwd", self.cwd)
        options.setdefault("timeout", TOO_LONG)
        options["env"] = self.environment | options.pop("env", {})
        done: subprocess.CompletedProcess[bytes]
        done = subprocess.run(command, input=stdin, capture_output=True, **options)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a command without waiting for it; unbuffered, so that `readline` and `communicate` go together."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("preexec_fn", restore_interrupts)
        options["env"] = self.environment | options.pop("env", {})
        return subprocess.Popen(arguments, cwd=self.cwd, bufsize=0, **options)

    def files(self, *, home: bool = True) -> dict[str, bytes | None]:
        """Everything in the working folder and in the `home` of recordings; None for a folder or a special file."""
        tops = (self.cwd, self.home) if home else (self.cwd,)
        found = [path for top in tops for path in [top, *top.rglob("*")] if path.exists()]
        return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(found)}


def _interpreter_of(program: str) -> str:
    """The interpreter itself, or the one that a console script names: it may be called `python3`, not `python`."""
    with Path(program).open("rb") as file:
        first = file.readline()
    named = first[2:].decode().strip() if first.startswith(b"#!") else ""
    return named if Path(named).name.startswith("python") else sys.executable


class Recorded(NamedTuple):
    """A program that was run once for many tests."""

    shell: Shell
    outcome: Outcome
    file: Path


def restore_interrupts() -> None:
    """Tests in the background were started with SIGINT ignored, under nohup with SIGHUP too, and that is inherited."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def read_until(process: subprocess.Popen[bytes], marker: bytes) -> list[bytes]:
    """The lines up to and with the one that begins with the marker."""
    assert process.stdout is not None
    lines: list[bytes] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith(marker):
            return lines
    rest = process.communicate(timeout=TOO_LONG)
    raise AssertionError(f"no line begins with {marker!r}: {lines!r}, and then {rest!r}")


def functions_of(report: str | bytes) -> dict[str, Any]:
    """The functions of a JSON report, by name."""
    functions = json.loads(report)["functions"]
    named = {function["name"]: function for function in functions}
    assert len(named) == len(functions)
    return named
