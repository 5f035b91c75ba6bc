"""Writing a file all or nothing: whoever reads it meanwhile, or after a crash, finds the old file or the new one."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data`. A file that is there keeps its mode, a link is followed, a pipe or a device is written through."""
    if os.path.exists(path) and not os.path.isfile(path):
        Path(path).write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        temporary.write_bytes(data)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        if error.filename is not None:
            error.filename, error.filename2 = str(path), None  # the file that was asked for, not that beside it
        raise
