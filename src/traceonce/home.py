"""Where files of our own lie: under `TRACEONCE_HOME`, or else where the system keeps such things."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """For what must be kept: recordings, outcomes, the server's database."""
    return _folder("XDG_STATE_HOME", "~/.local/state")


def cache_folder() -> Path:
    """For what is big, and can be made again."""
    return _folder("XDG_CACHE_HOME", "~/.cache")


def _folder(variable: str, usual: str) -> Path:
    home = os.environ.get("TRACEONCE_HOME")
    if home:
        return Path(os.path.expanduser(home))  # a shell leaves ~ as it is where it stands in quotes
    return Path(os.path.expanduser(os.environ.get(variable) or usual)) / "traceonce"
