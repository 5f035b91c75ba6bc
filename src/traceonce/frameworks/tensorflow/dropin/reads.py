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
from concurrent.futures import Future
from typing import Any, Literal, TypeAlias

import tensorflow as tf

from traceonce.facts.event import package_path
from traceonce.frameworks.base.places import OURS, Places
from traceonce.frameworks.tensorflow.dropin.answers import CHECKS, Nothings, is_of_shapes, tells
from traceonce.frameworks.tensorflow.dropin.keras_checks import INPUT_CHECK, checks_in_python, wanted_of_inputs
from traceonce.frameworks.tensorflow.dropin.parts import constant_op, tensor, tensor_shape, tensor_util
from traceonce.frameworks.tensorflow.dropin.policy import NotNow
from traceonce.frameworks.tensorflow.own_files import GENERATED, tensorflow_places
from traceonce.frameworks.tensorflow.probes import written_at

Whose: TypeAlias = Literal["theirs", "framework", "bridge", "neither"]
BRIDGES = ("python/autograph/impl", "python/autograph/core")  # by which a converted body calls anything
MACHINERY = ("core/function", "python/eager", "python/saved_model", "python/trackable", "python/data")
# By these, code goes on in another thread, where nothing of it would be seen. AutoGraph converts no constructors.
THREADS = frozenset({threading.Thread.__init__.__code__, threading.Thread.start.__code__, Future.__init__.__code__})
# Libraries that TensorFlow and Keras are built on: what they look at, they look at for whoever called them.
HELPERS = frozenset(
    {"absl", "astunparse", "gast", "google", "h5py", "ml_dtypes", "namex", "numpy", "opt_einsum", "optree", "six"}
    | {"termcolor", "tree", "typing_extensions.py", "wrapt"}
)

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
        self._given: dict[int, Any] = {}  # open shapes that somebody other than the framework has in hand
        self._nothings = Nothings()
        self._printing: types.FrameType | None = None

    def saw(self, frame: types.FrameType | None, shape: Any = None) -> None:
        """An open size is looked at by this frame: by whom, in the end?"""
        boundary, checked = None, False
        while frame is not None:
            whose = whose_code(frame.f_code) if frame.f_code.co_filename != __file__ else "neither"
            if whose == "theirs" or (whose == "bridge" and boundary is not None):
                break
            if whose == "framework":
                boundary = frame
                checked = checked or checks_in_python(frame.f_code)
            frame = frame.f_back
        if frame is None:
            return
        held_to = boundary is not None and id(shape) in self._given and _holds_to(boundary.f_code)
        if boundary is None or held_to or checked:
            self.places.append(_place(frame))
        else:
            self._handed_on.setdefault(boundary, frame)

    def profile(self, frame: types.FrameType, event: str, value: Any) -> None:
        """For `sys.setprofile`."""
        if event == "call":
            if frame.f_code in THREADS:
                self.places.append(_place(frame))
                raise RuntimeError("it goes on in another thread")
            if frame.f_code not in self.codes and whose_code(frame.f_code) == "theirs":
                self.codes.add(frame.f_code)
        elif event == "c_call" and value is print:
            self._printing = frame
        elif event == "c_return" and value is print:
            self._printing = None
        elif event == "return":
            if frame.f_code.co_name == INPUT_CHECK and whose_code(frame.f_code) == "framework":
                self._note_inputs(frame)
            of_nothing = self._nothings.returned(frame, value)
            caller = self._handed_on.pop(frame, None) if self._handed_on else None
            if caller is not None and tells(frame.f_code, value, of_nothing=of_nothing):
                if caller is not self._printing:
                    self.places.append(_place(caller))
            elif isinstance(value, tf.TensorShape) and not _is_known(_dims.__get__(value)) and _asked(frame.f_back):
                self.give(value)

    def _note_inputs(self, frame: types.FrameType) -> None:
        try:
            self.checks += wanted_of_inputs(frame)
        except Exception:  # not the Keras that we know: what it checked is not known
            self.places.append(_place(frame))

    def give(self, shape: Any) -> Any:
        """Somebody other than the framework gets this open shape in hand."""
        self._given[id(shape)] = shape
        return shape

    def came_from(self, shape: Any, owner: Any) -> None:
        self._origins[id(shape)] = (shape, owner)

    def compared(self, shapes: tuple[Any, Any], frame: types.FrameType | None) -> None:
        """TensorFlow asks whether two shapes may be the same."""
        code = None if frame is None else frame.f_code
        if code is None or whose_code(code) != "framework" or is_machinery(code) or is_of_shapes(code):
            return
        self.checks.append((self._owner(shapes[0]), self._owner(shapes[1])))

    def promised(self, owner: Any, shape: Any, frame: types.FrameType | None) -> None:
        """A tensor is said to have a shape. What the framework says of one it has worked out."""
        if _asked(frame):
            wanted = self._owner(shape)
            if wanted is shape and id(shape) in self._given:  # it was worked out from open ones
                self.saw(frame)
            self.checks.append((owner, wanted))

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
_attribute: Any = vars(tf.Operation)["get_attr"]
_node: Any = vars(tf.Operation)["node_def"]
_graph: Any = vars(tf.Graph)["as_graph_def"]


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
        tf.Operation.get_attr, tf.Operation.node_def = _seen_attribute, property(_seen_node)
        tf.Graph.as_graph_def = _seen_graph
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
        tf.Operation.get_attr, tf.Operation.node_def = _attribute, _node
        tf.Graph.as_graph_def = _graph
        for name, original in _checks.items():
            setattr(tf.TensorShape, name, original)


def _read(shape: Any) -> Any:
    dims = _dims.__get__(shape)
    reads = _here.reads
    if reads is not None and not _is_known(dims):
        reads.saw(sys._getframe(1), shape)
    return dims


def _shape(owner: Any) -> Any:
    shape, reads = _shape_of.fget(owner), _here.reads
    if reads is None:
        return shape
    frame = sys._getframe(1)
    asking = frame.f_back if frame.f_code.co_name == "get_shape" else frame
    if not _is_known(_dims.__get__(shape)) and _asked(asking):
        shape = reads.give(tf.TensorShape(_dims.__get__(shape)))  # one of its own: TensorFlow looks at that of a tensor
    reads.came_from(shape, owner)
    return shape


def _promise(owner: Any, shape: Any) -> Any:
    reads = _here.reads
    if reads is not None and not _is_known(_dims.__get__(_shape_of.fget(owner))):
        reads.promised(owner, tensor_shape.as_shape(shape), sys._getframe(1))
    return _set_shape(owner, shape)


def _seen_attribute(operation: Any, name: str) -> Any:
    if "shape" in name:
        _look(sys._getframe(1))
    return _attribute(operation, name)


def _seen_node(operation: Any) -> Any:
    _look(sys._getframe(1))
    return _node.fget(operation)


def _seen_graph(graph: Any, *args: Any, **kwargs: Any) -> Any:
    _look(sys._getframe(1))
    return _graph(graph, *args, **kwargs)


def _look(frame: types.FrameType) -> None:
    """A graph is looked at in the form in which TensorFlow writes it down: shapes are in it."""
    reads = _here.reads
    if reads is not None:
        reads.saw(frame)


def _checking(original: Any) -> Any:
    def check(shape: Any, other: Any) -> Any:
        reads = _here.reads
        if reads is not None:
            other = tensor_shape.as_shape(other)
            if not (_is_known(_dims.__get__(shape)) and _is_known(_dims.__get__(other))):
                reads.compared((shape, other), sys._getframe(1))
        return original(shape, other)

    return check


def _holds_to(code: types.CodeType) -> bool:
    """Does this take a shape that it is given for more than a promise, or something to show?

    ``tf.ensure_shape(y, x.shape)`` holds y to nothing where the size of x is open.
    """
    return not (is_of_shapes(code) or code.co_name == "set_shape" or is_for_people(code))


def _asked(frame: types.FrameType | None) -> bool:
    """Was this called by somebody other than the framework?"""
    while frame is not None and whose_code(frame.f_code) in ("neither", "bridge"):
        frame = frame.f_back
    return frame is not None and whose_code(frame.f_code) == "theirs"


def _is_known(dims: Any) -> bool:
    return dims is not None and None not in dims


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
