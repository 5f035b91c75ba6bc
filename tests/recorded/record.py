"""Make the recordings here, of the tutorial and of sessions again: ``python tests/recorded/record.py [NAME…]``.

Each program runs in a folder of its own. What a recording says of the machine is replaced: where that folder and the
libraries are. Nothing else is touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
FOLDER, LIBRARIES, PYTHON = "/home/user/project", "/home/user/.venv/lib/python/site-packages", "/usr"

TUTORIAL = HERE.parents[1] / "examples" / "tutorial"
FRAMEWORKS = ("tensorflow", "jax", "torch")

# What is given to `traceonce`, one after the other, in a folder with the program; the last recording is kept.
COMMANDS = {
    "translate": ["run --xla translate.py"],
    "translate_fixed": ["fix translate.py"],
    "translate_after": ["fix --write translate.py", "run --xla translate.py"],
    "wall": ["run wall.py"],
    "lengths": ["run --xla lengths.py"],
    "silently_wrong": ["run silently_wrong.py"],
    "fails": ["run fails.py"],
    "anew": ["run anew.py"],
    "healthy": ["run healthy.py"],
    "fit": ["run fit.py"],
    "threads": ["run threads.py"],
    "limited": ["run --max-traces 3 limited.py"],
}
# What pages show shortened, as a terminal had it: the program, its name there, the command.
SESSIONS = {
    "signal_power": ("examples/fix/signal_power.py", "signal_power.py", "fix signal_power.py"),
    "numbered_labels": ("examples/fix/numbered_labels.py", "numbered_labels.py", "fix numbered_labels.py"),
    "ramp": ("examples/tutorial/sessions/ramp.py", "ramp.py", "fix ramp.py"),
    "two_sizes": ("examples/tutorial/sessions/two_sizes.py", "train.py", "fix train.py"),
    "variable_length": (
        "examples/train_variable_length.py",
        "examples/train_variable_length.py",
        "run examples/train_variable_length.py",
    ),
}
STEPS = {"before": ["run train.py"], "fixed": ["fix train.py"], "after": ["fix --write train.py", "run train.py"]}


def record(name: str) -> None:
    """Run the program of a test."""
    program = PROGRAMS / COMMANDS[name][0].split()[-1]
    keep(program, program.name, COMMANDS[name], HERE / f"{name}.jsonl")


def record_tutorial(framework: str, step: str) -> None:
    """Run the program of a tutorial, which is called train.py there."""
    program = TUTORIAL / f"train_{framework}.py"
    keep(program, "train.py", STEPS[step], TUTORIAL / "recorded" / f"{framework}_{step}.jsonl")


def record_session(name: str) -> None:
    """Keep what a terminal shows, too."""
    program, called, command = SESSIONS[name]
    made = TUTORIAL / "sessions" / f"{name}.jsonl"
    said = keep(HERE.parents[1] / program, called, [command], made)
    made.with_suffix(".txt").write_text(f"$ traceonce {command}\n{said}", encoding="utf-8")


def keep(program: Path, called: str, commands: list[str], made_file: Path) -> str:
    """Run a program as a user would, and keep what was recorded, with neutral paths; what the last command said."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, home = Path(scratch) / "project", Path(scratch) / "home"
        folder.mkdir()
        environment = os.environ | {"TRACEONCE_HOME": str(home), "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONUNBUFFERED": "1"}
        (folder / called).parent.mkdir(exist_ok=True)
        shutil.copy(program, folder / called)
        for command in commands:
            done = subprocess.run(
                [sys.executable, "-m", "traceonce", *command.split()],
                cwd=folder,
                env=environment,
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        made = max((home / "recordings").glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
        made_file.write_text(_neutral(made.read_text(encoding="utf-8"), scratch), encoding="utf-8")
        return _neutral(done.stdout, scratch)


def _neutral(text: str, scratch: str) -> str:
    for found, neutral in (
        (str(Path(scratch) / "project"), FOLDER),
        (str(Path(scratch) / "home"), "/home/user/.local/state/traceonce"),
        (sysconfig.get_path("purelib"), LIBRARIES),
        (sys.base_prefix, PYTHON),
    ):
        text = text.replace(found, neutral)
    return text


if __name__ == "__main__":
    tutorials = {f"{framework}_{step}": (framework, step) for framework in FRAMEWORKS for step in STEPS}
    for name in sys.argv[1:] or [*COMMANDS, *tutorials, *SESSIONS]:
        if name in tutorials:
            record_tutorial(*tutorials[name])
        elif name in SESSIONS:
            record_session(name)
        else:
            record(name)
