"""What Keras checks of sizes in Python, and TensorFlow nowhere: with open sizes, nobody would.

A layer may ask for certain sizes (`InputSpec`, the inputs of a model); that is made again for the sizes of each call.
What else is checked so is named here: bodies that use it keep their shapes.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from traceonce.frameworks.tensorflow.dropin.parts import tensor_shape

INPUT_CHECK = "assert_input_compatibility"
UNCHECKED = ("cropping1d.py", "cropping2d.py", "cropping3d.py")  # what is left of an input that is too short


def checks_in_python(code: types.CodeType) -> bool:
    return code.co_filename.endswith(UNCHECKED)


def wanted_of_inputs(frame: types.FrameType) -> Iterator[tuple[Any, Any]]:
    """At the end of a layer's check of its inputs: those with open sizes, and what these were to be."""
    inputs, specs = frame.f_locals.get("inputs"), frame.f_locals.get("input_spec")
    if not (isinstance(inputs, list) and isinstance(specs, list)):
        return
    for value, spec in zip(inputs, specs, strict=False):
        if isinstance(value, tf.Tensor) and spec is not None and value.shape.rank:
            sizes = value.shape.as_list()
            wanted: list[int | None] = [None] * len(sizes)
            for axis, size in (*(spec.axes or {}).items(), *enumerate(spec.shape or ())):
                if int(axis) < len(sizes) and sizes[int(axis)] is None:
                    wanted[int(axis)] = getattr(size, "value", size)
            if any(size is not None for size in wanted):
                yield value, tensor_shape.as_shape(wanted)
