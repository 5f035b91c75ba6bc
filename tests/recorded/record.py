"""Make the recordings in this folder and those of the tutorial again: ``python tests/recorded/record.py [NAME…]``.

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
STEPS = {"before": ["run train.py"], "fixed": ["fix train.py"], "after": ["fix --write train.py", "run train.py"]}


def record(name: str) -> None:
    """Run the program of a test."""
    program = PROGRAMS / COMMANDS[name][0].split()[-1]
    keep(program, program.name, COMMANDS[name], HERE / f"{name}.jsonl")


def record_tutorial(framework: str, step: str) -> None:
    """Run the program of a tutorial, which is called train.py there."""
    program = TUTORIAL / f"train_{framework}.py"
    keep(program, "train.py", STEPS[step], TUTORIAL / "recorded" / f"{framework}_{step}.jsonl")


def keep(program: Path, called: str, commands: list[str], made_file: Path) -> None:
    """Run a program as a user would, and keep what was recorded, with neutral paths."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, home = Path(scratch) / "project", Path(scratch) / "home"
        folder.mkdir()
        environment = os.environ | {"TRACEONCE_HOME": str(home), "TF_CPP_MIN_LOG_LEVEL": "3"}
        shutil.copy(program, folder / called)
        for command in commands:
            subprocess.run(
                [sys.executable, "-m", "traceonce", *command.split()], cwd=folder, env=environment, check=False
            )
        made = max((home / "recordings").glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
        text = made.read_text(encoding="utf-8")
        for found, neutral in (
            (str(folder), FOLDER),
            (sysconfig.get_path("purelib"), LIBRARIES),
            (sys.base_prefix, PYTHON),
        ):
            text = text.replace(found, neutral)
        made_file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    tutorials = {f"{framework}_{step}": (framework, step) for framework in FRAMEWORKS for step in STEPS}
    for name in sys.argv[1:] or [*COMMANDS, *tutorials]:
        if name in tutorials:
            record_tutorial(*tutorials[name])
        else:
            record(name)
