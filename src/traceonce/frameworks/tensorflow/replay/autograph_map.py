"""Where the user wrote what AutoGraph made of it: TensorFlow knows the line that it was made from, but no columns."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.places import Places
from traceonce.frameworks.base.replay.source_places import Place


def mapped_place(places: Places, tf_stack: Any) -> Place | None:
    direct = True
    for frame in reversed(tf_stack.extract_stack()):
        if places.is_user(frame.filename):
            return Place(places.shorten(frame.filename), frame.lineno, frame.name, None, direct)
        direct = direct and places.is_framework(frame.filename)
    return None
