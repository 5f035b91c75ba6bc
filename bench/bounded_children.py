"""A measurement in a process of its own: started by the parent, answered with one line of JSON; and its memory."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


def measure_in_child(script: str, *arguments: object) -> dict[str, Any]:
    """Run `script` (the module's `__file__`) with these arguments; the last line that it prints is the answer."""
    name = " ".join(map(str, arguments))
    print(f"  {time.strftime('%H:%M:%S')} {name} …", file=sys.stderr, flush=True)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def answer(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def settled_mib() -> float:
    """Resident memory once all that can be freed is freed and given back."""
    for _ in range(3):  # what a finaliser lets go of is found in the next round
        gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return _from_status("VmRSS") or int(_ask_ps()) / 1024


def peak_mib() -> float:
    """The most resident memory that this process ever had."""
    # ru_maxrss would do, were it not that on Linux a process starts with the peak of the one that started it.
    return _from_status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _from_status(field: str) -> float | None:
    if not STATUS.exists():
        return None
    found = re.search(rf"^{field}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else None


def _ask_ps() -> str:
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
