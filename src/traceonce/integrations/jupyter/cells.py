"""Cells of a notebook under the names that the user knows them by: ``In[3]`` for a file that was never there."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from traceonce.facts import Recording


def name_cells(recording: Recording, shell: Any) -> Recording:
    """The recording with the cells of this shell named.

    The command of the kernel is nobody's: by the one that stands for it reports know that there is no program to fix.
    """
    written = msgspec.json.encode(msgspec.structs.replace(recording, command=("%%traceonce",)))
    files = {event.function.file for event in recording.events}
    files |= {event.call_site.file for event in recording.events if event.call_site}
    for file in files:
        label = shell.compile.format_code_name(file) if file else None
        if label is not None:
            written = written.replace(msgspec.json.encode(file)[1:-1], label[1].encode())
    return msgspec.json.decode(written, type=Recording)


def running_shell() -> Any:
    """The shell that runs this program, where one does, or None; IPython is not imported to find out."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
