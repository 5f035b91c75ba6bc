"""traceonce that is reached by a link, as in environments of `knowledge verify` and of some build tools."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import traceonce

PROGRAM = """
import tensorflow as tf
import traceonce

@tf.function
def train_step(step):
    return step

with traceonce.watch() as seen:
    for step in range(3):
        train_step(step)
(site,) = seen["train_step"].call_sites
print(traceonce.__file__, site.file, site.line)
"""


def test_its_own_lines_are_never_the_users(tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "traceonce").symlink_to(Path(traceonce.__file__).parent)
    (tmp_path / "train.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "linked"), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    linked = tmp_path / "linked" / "traceonce" / "__init__.py"
    assert done.stdout == f"{linked} train.py 11\n"
