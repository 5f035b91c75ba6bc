"""Which files are TensorFlow's own, those that AutoGraph writes among them."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.places import Places

GENERATED = "__autograph_generated_file"  # in the names of the files that AutoGraph writes


def tensorflow_places(tensorflow: Any) -> Places:
    return Places((str(tensorflow.__file__),), rewritten=GENERATED)
