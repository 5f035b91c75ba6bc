"""Our frames in the texts that TensorFlow shows: an error names the user's lines, not the way that led there."""

from __future__ import annotations

import os
import types
from typing import Any

from traceonce.frameworks.tensorflow.dropin.parts import tf_stack, traceback_utils

HERE = os.path.dirname(__file__) + os.sep
FILES = frozenset(HERE + name for name in os.listdir(HERE) if name.endswith(".py"))


class Unseen(tf_stack.StackTraceFilter):  # type: ignore[misc]  # TensorFlow is untyped
    """In this block operations are made without our frames in their stack."""

    _names: frozenset[str] | None = None

    def get_filtered_filenames(self) -> frozenset[str]:
        if self._names is None:
            self._names = FILES | (self.parent.get_filtered_filenames() if self.parent is not None else frozenset())
        return self._names


def without_ours(trace: types.TracebackType | None) -> Any:
    """A traceback without our frames and without TensorFlow's own."""
    return traceback_utils._process_traceback_frames(trace) if trace is not None else None


# What TensorFlow leaves out, it leaves out of the text of an error in a converted body, too ("in user code: …").
traceback_utils._EXCLUDED_PATHS = (*traceback_utils._EXCLUDED_PATHS, HERE)
