"""Is the `fit` that a callback belongs to still running? Keras tells a callback of its end only if it ends well.

After an error, or when the user has interrupted it, `on_train_end` is not called. Two things show the end all the same:

1. The list of callbacks, which `fit` makes for itself, is gone.
2. Where an error keeps that list alive (a notebook keeps the last traceback), the frame of `fit` is no longer on the
   stack of its thread.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import NamedTuple

DEPTH = 16  # frames looked at, from a callback's method up to `fit`; there are three, unless the user adds some


class Fitting(NamedTuple):
    """A `fit` by its thread and its frame. The frame is known by its address, since whoever keeps a frame keeps all
    that is in it; no other frame has that address as long as the list of callbacks lives.
    """

    thread: int
    frame: int | None

    def is_under_way(self) -> bool:
        """True also where there is no `fit`: a loop of the user's own, which calls its callbacks itself."""
        if self.frame is None:
            return True
        frame = sys._current_frames().get(self.thread)
        while frame is not None:
            if id(frame) == self.frame:
                return True
            frame = frame.f_back
        return False


def find_fit(callback: object) -> tuple[object, Fitting]:
    """The `fit` that calls `on_train_begin` right now, and what lives as long as it: its list of callbacks."""
    thread = threading.get_ident()
    callbacks = None
    frame: FrameType | None = sys._getframe(1)
    for _ in range(DEPTH):
        if frame is None:
            break
        name = frame.f_code.co_name
        if callbacks is None and name == "on_train_begin":
            callbacks = _list_with(callback, frame)
        elif callbacks is not None and name == "fit":
            return callbacks, Fitting(thread, id(frame))
        frame = frame.f_back
    return callbacks or callback, Fitting(thread, None)


def _list_with(callback: object, frame: FrameType) -> object | None:
    """The `CallbackList` whose method runs in this frame, if the callback is in it.

    Not for frames that stay: up to Python 3.12 a frame whose locals were looked at holds on to them.
    """
    owner = frame.f_locals.get("self")
    held = getattr(owner, "__dict__", {}).get("callbacks")
    return owner if isinstance(held, list) and any(other is callback for other in held) else None
