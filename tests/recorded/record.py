"""Make the recordings in this folder again, all or those named: ``python tests/recorded/record.py [NAME…]``.

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
NEUTRAL = {"folder": "/home/user/project", "libraries": "/home/user/.venv/lib/python/site-packages", "python": "/usr"}

# What is given to `traceonce`, with the recording's name in the place of the program's.
COMMANDS = {
    "translate": ["run", "--xla", "translate.py"],
    "translate_fixed": ["fix", "translate.py"],
    "wall": ["run", "wall.py"],
    "lengths": ["run", "--xla", "lengths.py"],
    "silently_wrong": ["run", "silently_wrong.py"],
    "fails": ["run", "fails.py"],
    "anew": ["run", "anew.py"],
    "healthy": ["run", "healthy.py"],
    "fit": ["run", "fit.py"],
    "threads": ["run", "threads.py"],
    "limited": ["run", "--max-traces", "3", "limited.py"],
}


def record(name: str) -> None:
    """Run the program as a user would, and keep what was recorded, with neutral paths."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, home = Path(scratch) / "project", Path(scratch) / "home"
        folder.mkdir()
        *options, program = COMMANDS[name]
        shutil.copy(PROGRAMS / program, folder)
        environment = os.environ | {"TRACEONCE_HOME": str(home), "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run([sys.executable, "-m", "traceonce", *options, program], cwd=folder, env=environment, check=False)
        (made,) = (home / "recordings").glob("*.jsonl")
        text = made.read_text(encoding="utf-8")
        text = text.replace(str(folder), NEUTRAL["folder"]).replace(sysconfig.get_path("purelib"), NEUTRAL["libraries"])
        (HERE / f"{name}.jsonl").write_text(text.replace(sys.base_prefix, NEUTRAL["python"]), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or COMMANDS:
        record(name)
