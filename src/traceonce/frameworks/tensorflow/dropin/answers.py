"""What TensorFlow and Keras answer after they have looked at an open size: does the caller learn of the size?

A tensor tells nothing, nor does an object of theirs: it was made for open sizes. Whatever else they hand on, such as
a number, a text, a None where there could be something else, may be other than it is where the size is known.
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
from typing import Any

import tensorflow as tf

from traceonce.frameworks.tensorflow.dropin.parts import Dimension, composite_tensor, tensor_shape, type_spec

CHECKS = ("assert_is_compatible_with", "is_compatible_with", "merge_with")
SHAPES = ("shape", "get_shape")  # functions that hand on a shape as it is
SIZES = frozenset({*SHAPES, "compute_output_shape", "int_shape"})  # with None, or a tensor, for each open one
LENGTHS = frozenset({"len_"})  # an int where the size is known
# Whether there is a gradient does not hang on sizes.
GRADIENTS = frozenset({"gradient", "gradients", "gradients_v2", "jacobian", "batch_jacobian", "jvp"})
HARMLESS = (tf.Variable, composite_tensor.CompositeTensor, tf.Operation, type_spec.TypeSpec, tf.DType)
FRAMEWORKS = ("tensorflow", "keras", "tf_keras")
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def tells(code: types.CodeType, value: Any, *, of_nothing: bool) -> bool:
    """Does the caller of this code learn more of an open size from this than a tensor or a shape tells?

    `of_nothing`: a None that it returns could have been something else.
    """
    from_shape = is_of_shapes(code)
    if value is None:
        return from_shape or of_nothing
    if isinstance(value, tf.TensorShape):  # one that was worked out from open ones may be known
        return code.co_name in CHECKS if from_shape else code.co_name not in SHAPES
    if isinstance(value, tf.Tensor):
        return code.co_name in LENGTHS
    if isinstance(value, HARMLESS):
        return False
    if type(value) is int:  # a size that is known, or a rank
        return code.co_name == "__hash__" if from_shape else code.co_name not in SHAPES
    if isinstance(value, (list, tuple)):
        if from_shape or code.co_name in SIZES:
            return any(part is None or isinstance(part, tf.Tensor) or _tells_in(code, part) for part in value)
        alone = not any(isinstance(part, tf.Tensor) for part in value) and code.co_name not in GRADIENTS
        return any(alone if part is None else _tells_in(code, part) for part in value)
    if isinstance(value, dict):
        return any(part is not None and _tells_in(code, part) for part in value.values())
    return not _is_theirs(value)


def _tells_in(code: types.CodeType, part: Any) -> bool:
    return tells(code, part, of_nothing=False)


def _is_theirs(value: Any) -> bool:
    """An object of TensorFlow's or Keras's own, in which nothing is kept that a body could read past them."""
    if isinstance(value, FUNCTIONS):
        return True
    kind = type(value)
    return (
        kind.__module__.partition(".")[0] in FRAMEWORKS
        and not isinstance(value, Dimension)
        and not hasattr(kind, "SerializeToString")
        and not hasattr(kind, "__array__")
    )


def is_of_shapes(code: types.CodeType) -> bool:
    return bool(code.co_filename == tensor_shape.__file__)


class Nothings:
    """Follows each None that is returned to where it comes from: is there another result that it could have been?

    ``metric.update_state(x)`` returns a None that a function without a result has returned.
    """

    def __init__(self) -> None:
        self._met: set[types.FrameType] = set()  # the last that was returned to these was such a None

    def returned(self, frame: types.FrameType, value: Any) -> bool:
        """A frame returns; if it is None, could it have been something else?"""
        passed_on = frame in self._met
        self._met.discard(frame)
        meaning = value is None and not passed_on and not _has_no_result(frame.f_code)
        caller = frame.f_back
        if caller is not None and frame.f_code.co_name != "__exit__":
            if value is None and not meaning:
                self._met.add(caller)
            else:
                self._met.discard(caller)
        return meaning


@functools.lru_cache(maxsize=65536)
def _has_no_result(code: types.CodeType) -> bool:
    """Does it return None whatever happens?"""
    if code.co_flags & inspect.CO_GENERATOR:
        return False
    before = None
    for step in dis.get_instructions(code):
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return False
        if step.opname == "RETURN_VALUE":
            nothing = before is not None and before.opname == "LOAD_CONST" and before.argval is None
            if step.is_jump_target or not nothing:
                return False
        before = step
    return True
