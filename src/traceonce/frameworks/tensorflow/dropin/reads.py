"""What Python looks at while a body is traced in a trial: sizes that are open, and the code that runs.

``if x.shape[0] == 3`` is false where the size is None: the trace can be made, and is wrong for three rows. There is no
end of ways to look at a shape, and all of them come down to one attribute of `tf.TensorShape`: it is replaced while a
trial goes on. TensorFlow and Keras look at open sizes all the time and mind them; where they hand on what they saw, as
anything but a tensor, it counts as if the caller had looked. Everybody else may do anything with an open size.

A check of TensorFlow's own that two shapes may be the same holds for any open size, and so does a `set_shape` of the
body's; both are taken down, to be made again for the sizes of each call (`sizes`).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import logging
import os
import sys
import sysconfig
import threading
import types
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import tensorflow as tf

from traceonce.facts.event import package_path
from traceonce.frameworks.base.places import OURS, Places
from traceonce.frameworks.tensorflow.dropin.parts import (
    Dimension,
    composite_tensor,
    constant_op,
    tensor,
    tensor_shape,
    tensor_util,
    type_spec,
)
from traceonce.frameworks.tensorflow.dropin.policy import NotNow
from traceonce.frameworks.tensorflow.own_files import GENERATED, tensorflow_places
from traceonce.frameworks.tensorflow.probes import written_at

Whose: TypeAlias = Literal["theirs", "framework", "bridge", "neither"]
BRIDGES = ("python/autograph/impl", "python/autograph/core")  # by which a converted body calls anything
MACHINERY = ("core/function", "python/eager", "python/saved_model", "python/trackable", "python/data")
CHECKS = ("assert_is_compatible_with", "is_compatible_with", "merge_with")
SHAPES = ("shape", "get_shape")  # functions that hand on a shape as it is
STATIC_VALUES = frozenset({"get_static_value", "constant_value", "constant_value_as_shape", "maybe_constant_value"})
# Libraries that TensorFlow and Keras are built on: what they look at, they look at for whoever called them.
HELPERS = frozenset(
    {"absl", "astunparse", "gast", "google", "h5py", "ml_dtypes", "namex", "numpy", "opt_einsum", "optree", "six"}
    | {"termcolor", "tree", "typing_extensions.py", "wrapt"}
)
HARMLESS = (tf.Variable, composite_tensor.CompositeTensor, tf.Operation, type_spec.TypeSpec, tf.DType)


_NUMPY_COMPAT = os.path.join(os.path.dirname(tf.__file__), "python", "util", "numpy_compat.py")  # since 2.17


class Reads:
    """What one trial saw.

    `places` are the lines that looked at an open size. `codes` are those that ran and are not the framework's.
    `checks` are pairs of what is to have one shape: tensors, or shapes that are no tensor's.
    """

    def __init__(self) -> None:
        self.places: list[str] = []
        self.codes: set[types.CodeType] = set()
        self.checks: list[tuple[Any, Any]] = []
        self._handed_on: dict[types.FrameType, types.FrameType] = {}
        self._origins: dict[int, tuple[Any, Any]] = {}

    def saw(self, frame: types.FrameType | None) -> None:
        """An open size is looked at by this frame: by whom, in the end?"""
        boundary = None
        while frame is not None:
            whose = whose_code(frame.f_code) if frame.f_code.co_filename != __file__ else "neither"
            if whose == "theirs" or (whose == "bridge" and boundary is not None):
                break
            if whose == "framework":
                boundary = frame
            frame = frame.f_back
        if frame is None:
            return
        if boundary is None:
            self.places.append(_place(frame))
        else:
            self._handed_on.setdefault(boundary, frame)

    def profile(self, frame: types.FrameType, event: str, value: Any) -> None:
        """For `sys.setprofile`."""
        if event == "call":
            if frame.f_code not in self.codes and whose_code(frame.f_code) == "theirs":
                self.codes.add(frame.f_code)
        elif event == "return" and self._handed_on:
            caller = self._handed_on.pop(frame, None)
            if caller is not None and _tells(frame.f_code, value):
                self.places.append(_place(caller))

    def came_from(self, shape: Any, owner: Any) -> None:
        self._origins[id(shape)] = (shape, owner)

    def compared(self, shapes: tuple[Any, Any], frame: types.FrameType | None) -> None:
        """TensorFlow asks whether two shapes may be the same."""
        code = None if frame is None else frame.f_code
        if code is None or whose_code(code) != "framework" or is_machinery(code) or _is_of_shapes(code):
            return
        self.checks.append((self._owner(shapes[0]), self._owner(shapes[1])))

    def promised(self, owner: Any, shape: Any, frame: types.FrameType | None) -> None:
        """A tensor is said to have a shape. What the framework says of one it has worked out."""
        while frame is not None and whose_code(frame.f_code) in ("neither", "bridge"):
            frame = frame.f_back
        if frame is not None and whose_code(frame.f_code) == "theirs":
            self.checks.append((owner, shape))

    def _owner(self, shape: Any) -> Any:
        known = self._origins.get(id(shape))
        return known[1] if known is not None and known[0] is shape else shape


class _Here(threading.local):
    reads: Reads | None = None


_here = _Here()
_lock = threading.Lock()
_trials = 0
_dims: Any = vars(tf.TensorShape)["_dims"]
_checks = {name: vars(tf.TensorShape)[name] for name in CHECKS}
_shape_of: Any = vars(tensor.Tensor)["shape"]
_set_shape: Any = vars(tensor.Tensor)["set_shape"]


@contextlib.contextmanager
def watched() -> Iterator[Reads]:
    """Gives what the calling thread looks at in this block. Raises `NotNow` while a profiler is at work."""
    outer, reads = _here.reads, Reads()
    before = sys.getprofile()
    if before is not None and not callable(before):  # one in C cannot be put back from here
        raise NotNow
    _here.reads = reads
    collects = gc.isenabled()
    gc.disable()  # the collector runs finalizers and callbacks of anybody's, as if the body had called them
    _place_all()
    sys.setprofile(reads.profile)
    try:
        yield reads
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
        _remove_all()
        _here.reads = outer


def _place_all() -> None:
    global _trials
    with _lock:
        _trials += 1
        tf.TensorShape._dims = property(_read, _dims.__set__, _dims.__delete__)
        tensor.Tensor.shape = property(_shape)
        tensor.Tensor.set_shape = _promise
        for name, original in _checks.items():
            setattr(tf.TensorShape, name, _checking(original))


def _remove_all() -> None:
    global _trials
    with _lock:
        _trials -= 1
        if _trials:
            return
        tf.TensorShape._dims = _dims
        tensor.Tensor.shape = _shape_of
        tensor.Tensor.set_shape = _set_shape
        for name, original in _checks.items():
            setattr(tf.TensorShape, name, original)


def _read(shape: Any) -> Any:
    dims = _dims.__get__(shape)
    reads = _here.reads
    if reads is not None and not _is_known(dims):
        reads.saw(sys._getframe(1))
    return dims


def _shape(owner: Any) -> Any:
    shape = _shape_of.fget(owner)
    if _here.reads is not None:
        _here.reads.came_from(shape, owner)
    return shape


def _promise(owner: Any, shape: Any) -> Any:
    reads = _here.reads
    if reads is not None and not _is_known(_dims.__get__(_shape_of.fget(owner))):
        reads.promised(owner, tensor_shape.as_shape(shape), sys._getframe(1))
    return _set_shape(owner, shape)


def _checking(original: Any) -> Any:
    def check(shape: Any, other: Any) -> Any:
        reads = _here.reads
        if reads is not None:
            other = tensor_shape.as_shape(other)
            if not (_is_known(_dims.__get__(shape)) and _is_known(_dims.__get__(other))):
                reads.compared((shape, other), sys._getframe(1))
        return original(shape, other)

    return check


def _is_known(dims: Any) -> bool:
    return dims is not None and None not in dims


def _tells(code: types.CodeType, value: Any) -> bool:
    """Does the caller learn more of an open size from this than a tensor or a shape tells?"""
    from_shape = _is_of_shapes(code)
    if value is None:
        return from_shape or code.co_name in STATIC_VALUES
    if isinstance(value, tf.TensorShape):  # one that was worked out from open ones may be known
        return code.co_name in CHECKS if from_shape else code.co_name not in SHAPES
    if isinstance(value, (tf.Tensor, *HARMLESS)):
        return False
    if type(value) is int:  # a size that is known, or a rank
        return code.co_name == "__hash__" if from_shape else code.co_name not in SHAPES
    if isinstance(value, (list, tuple)):
        open_one = from_shape or code.co_name in (*SHAPES, "compute_output_shape", "int_shape")
        return any(_tells(code, part) if part is not None else open_one for part in value)
    if isinstance(value, dict):
        return any(_tells(code, part) for part in value.values())
    return isinstance(value, (bool, float, str, bytes, Dimension, types.GeneratorType, Iterator)) or hasattr(
        value, "__array__"
    )


def _is_of_shapes(code: types.CodeType) -> bool:
    return bool(code.co_filename == tensor_shape.__file__)


@functools.lru_cache(maxsize=65536)
def whose_code(code: types.CodeType) -> Whose:
    file = code.co_filename
    if GENERATED in file:
        return "theirs"  # a body of theirs, converted
    if _places().is_in_framework(file, *BRIDGES):
        return "bridge"
    if file.startswith(_frameworks()):
        return "framework"
    package = package_path(file)
    if package != file:
        return "neither" if package.partition("/")[0] in HELPERS else "theirs"
    return "neither" if file.startswith((_standard_library(), "<frozen")) else "theirs"


@functools.cache
def _places() -> Places:
    return tensorflow_places(tf)


@functools.cache
def _frameworks() -> tuple[str, ...]:
    folders = [os.path.dirname(tf.__file__), os.path.dirname(logging.__file__)]  # what is logged is looked at by people
    for name in ("keras", "tf_keras"):  # they may be imported later
        found = importlib.util.find_spec(name)
        if found is not None and found.origin:
            folders.append(os.path.dirname(found.origin))
    return (*(folder + os.sep for folder in folders), *OURS)


@functools.cache
def _standard_library() -> str:
    return sysconfig.get_path("stdlib") + os.sep


def is_machinery(code: types.CodeType) -> bool:
    """Is this what makes traces, ours or TensorFlow's? It looks at arguments to find the trace for them."""
    return code.co_filename.startswith(OURS) or _places().is_in_framework(code.co_filename, *MACHINERY)


def makes_tensors(code: types.CodeType) -> bool:
    """Is this where TensorFlow makes a tensor of a number?"""
    return code.co_filename in (tensor_util.__file__, constant_op.__file__, _NUMPY_COMPAT)


def is_for_people(code: types.CodeType) -> bool:
    """Does this print or log? Whatever is written there, no trace hangs on it."""
    printing = _places().is_in_framework(code.co_filename, "python/autograph/operators") and code.co_name == "print_"
    return printing or code.co_filename.startswith(os.path.dirname(logging.__file__) + os.sep)


def _place(frame: types.FrameType) -> str:
    """The line of the user's that a look comes from, or else that of the library."""
    first: types.FrameType | None = None
    here: types.FrameType | None = frame
    while here is not None:
        file, line = here.f_code.co_filename, here.f_lineno
        if GENERATED in file:
            origin = written_at(here.f_code)
            if origin is None:
                return here.f_code.co_name.removeprefix("tf__")
            file, line = origin
        if _places().is_user(file):
            return f"{_places().shorten(file)}:{line}"
        if first is None and whose_code(here.f_code) == "theirs":
            first = here
        here = here.f_back
    return f"{first.f_code.co_filename}:{first.f_lineno}" if first is not None else "a library"
