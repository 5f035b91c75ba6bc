"""A process that has no business without its parent ends with it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

_SET_PARENT_DEATH_SIGNAL = 1


def prepare_to_end_with_parent() -> Callable[[], object]:
    """What a child calls to be killed when its parent ends, however that happens: on Linux, which offers it.

    It is made before the fork, since there is nothing that may be imported after it.
    """
    if not sys.platform.startswith("linux"):
        return lambda: None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return lambda: libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
