"""Where files of our own lie: under `TRACEONCE_HOME`, or else where the system keeps such things."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from traceonce.errors import UsageError


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


def recordings_folder() -> Path:
    return state_folder() / "recordings"


def recordings() -> list[Path]:
    """The recordings in their folder, oldest first; one that vanishes meanwhile (a run tidies up) is left out."""
    ages: list[tuple[float, Path]] = []
    for path in recordings_folder().glob("*.jsonl"):
        try:
            ages.append((path.stat().st_mtime, path))
        except OSError:
            continue
    return [path for _, path in sorted(ages)]


def remember(recording: Path) -> None:
    """Take down where the last recording lies, also when it lies elsewhere; best effort."""
    with contextlib.suppress(OSError):
        recordings_folder().mkdir(parents=True, exist_ok=True)
        _pointer().write_text(str(recording.absolute()), encoding="utf-8", errors="replace")


def latest_recording() -> Path:
    with contextlib.suppress(OSError, ValueError):
        named = Path(_pointer().read_text(encoding="utf-8"))
        if named.is_file():
            return named
    known = recordings()
    if not known:
        raise UsageError(f"{recordings_folder()}: no recordings yet. Make one with: traceonce run SCRIPT")
    return known[-1]


def _pointer() -> Path:
    return state_folder() / "latest"
