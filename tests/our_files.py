"""Which files are ours? Those of the package; not all that lie in a folder of its name, as a clone does."""

from __future__ import annotations

import os
from pathlib import Path

import traceonce

PACKAGE = str(Path(traceonce.__file__).parent) + os.sep


def is_ours(file: object) -> bool:
    return str(file).startswith(PACKAGE)
