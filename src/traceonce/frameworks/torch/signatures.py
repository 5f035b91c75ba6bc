"""The arguments of a frame that is about to be compiled, as plain data of bounded size; no code of the user's runs."""

from __future__ import annotations

import collections
import contextlib
import enum
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

from traceonce.facts import Container, Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORD_ONLY, KEYWORDS, PARAMETERS
from traceonce.facts.stack_names import name_stack
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.literals import key_text, python_leaf, shorten_repr

LEAVES = 400  # more than that says nothing to anybody
DEPTH = 6
STACK = "___stack"  # PyTorch's names for what it carries over a graph break
SIZED = (list, tuple, dict, set, frozenset, collections.deque)
_PLAIN = (bool, int, float, complex, str, bytes, range, type(None))


class SignatureReader:
    """Reads frames; `identities` tells the objects among the arguments apart."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._identities = ByIdentity()

    def read(self, code: types.CodeType, values: Mapping[str, Any]) -> Signature:
        return self.read_with_views(code, values)[0]

    def read_with_views(self, code: types.CodeType, values: Mapping[str, Any]) -> tuple[Signature, frozenset[str]]:
        """The parameters of a frame, then the variables of enclosing functions that it uses; and which are views."""
        walk = _Walk(self._torch, self._identities)
        named = [(name, kind) for name, kind in parameter_names(code) if not name.startswith("__")]  # PyTorch's own
        for name, kind in named:
            if name in values:
                walk.visit(name, values[name], kind)
        for name, _ in parameter_names(code):
            if name.startswith(STACK) and name in values:
                walk.visit(name_stack(name), values[name])
        for name in code.co_freevars:
            if name in values and isinstance(values[name], (*_PLAIN, self._torch.Tensor)):
                walk.visit(name, values[name])
        walk.containers.append(Container("", PARAMETERS, tuple(name for name, _ in named)))
        only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        if only:
            walk.containers.append(Container("*", KEYWORD_ONLY, tuple(only)))
        return Signature(tuple(walk.leaves), tuple(walk.containers), modes(self._torch)), frozenset(walk.views)


def parameter_names(code: types.CodeType) -> Iterator[tuple[str, str]]:
    """The parameters of a code object, each with what kind of container it is, if any."""
    count = code.co_argcount + code.co_kwonlyargcount
    for name in code.co_varnames[:count]:
        yield name, ""
    if code.co_flags & inspect.CO_VARARGS:
        yield code.co_varnames[count], ARGUMENTS
        count += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        yield code.co_varnames[count], KEYWORDS


def dtype_name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def modes(torch: Any) -> dict[str, str]:
    """The switches of the process that a compilation depends on, by the names that PyTorch's guards have for them."""
    found: dict[str, Any] = {"grad_mode": torch.is_grad_enabled()}
    found |= {"deterministic_algorithms": False, "autocast(cpu)": False}
    with contextlib.suppress(Exception):
        found["deterministic_algorithms"] = torch.are_deterministic_algorithms_enabled()
        found |= _autocast(torch, "cpu")
        if torch.cuda.is_initialized():
            found |= _autocast(torch, "cuda")
    texts = {name: dtype_name(value) for name, value in found.items()}
    texts["num_threads"] = str(torch.get_num_threads())
    texts["default_dtype"] = dtype_name(torch.get_default_dtype())
    return texts


def _autocast(torch: Any, device: str) -> dict[str, Any]:
    """Whether it is on, and for which dtype; where it is off, for which it would be."""
    return {
        f"autocast({device})": torch.is_autocast_enabled(device),
        f"autocast({device})_dtype": torch.get_autocast_dtype(device),
    }


class _Walk:
    """One descent through the arguments of a call."""

    def __init__(self, torch: Any, identities: ByIdentity) -> None:
        self.leaves: list[Leaf] = []
        self.containers: list[Container] = []
        self.views: list[str] = []
        self._torch = torch
        self._identities = identities

    def visit(self, path: str, value: Any, kind: str = "", depth: int = 0) -> None:
        if len(self.leaves) >= LEAVES:
            return
        if isinstance(value, self._torch.Tensor):
            self.leaves.append(self._tensor(path, value))
        elif isinstance(value, _PLAIN):
            self.leaves.append(python_leaf(path, value))
        elif isinstance(value, enum.Enum):
            self.leaves.append(Leaf(path, "python", value=str(value), type_name=type(value).__name__))
        elif type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
            dtype, shape = str(value.dtype), tuple(int(size) for size in value.shape)
            self.leaves.append(Leaf(path, "tensor", dtype=dtype, shape=shape, type_name="ndarray"))
        elif isinstance(value, (self._torch.dtype, self._torch.device)):
            self.leaves.append(Leaf(path, "python", value=str(value), type_name=type(value).__name__))
        elif isinstance(value, (list, tuple, dict)) and depth < DEPTH:
            self._descend(path, value, kind, depth)
        else:
            self.leaves.append(self._object(path, value))

    def _descend(self, path: str, value: Any, kind: str, depth: int) -> None:
        if isinstance(value, dict):
            items = [(key_text(key), f"{path}[{key_text(key)}]", part) for key, part in dict.items(value)]
        else:
            fields = getattr(type(value), "_fields", None) or ()
            items = [
                (str(at), f"{path}.{fields[at]}" if at < len(fields) else f"{path}[{at}]", part)
                for at, part in enumerate(tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value))
            ]
        keys = tuple(key.strip("'") for key, _, _ in items[:LEAVES]) if kind == KEYWORDS else None
        self.containers.append(
            Container(path, kind or type(value).__name__, keys or tuple(key for key, _, _ in items[:LEAVES]))
        )
        for _, inner, part in items[:LEAVES]:
            self.visit(inner, part, depth=depth + 1)

    def _tensor(self, path: str, value: Any) -> Leaf:
        """Read past `__torch_function__`, of the tensor's class and of modes, and past what the class redefines."""
        read = self._torch.Tensor
        with self._torch._C.DisableTorchFunction():
            try:
                shape = tuple(int(size) for size in read.shape.__get__(value))
                stride = tuple(int(step) for step in read.stride(value))
            except (RuntimeError, TypeError, ValueError, NotImplementedError):  # sparse, jagged: none to speak of
                shape, stride = None, None
            base = read._base.__get__(value)
            device = str(read.device.__get__(value))
            dtype = dtype_name(read.dtype.__get__(value))
            requires_grad = bool(read.requires_grad.__get__(value))
        if isinstance(base, read):
            self.views.append(path)
        return Leaf(
            path,
            "tensor",
            dtype=dtype,
            shape=shape,
            type_name=type(value).__name__,
            sharding=None if device == "cpu" else device,
            stride=stride,
            requires_grad=requires_grad,
        )

    def _object(self, path: str, value: Any) -> Leaf:
        try:
            identity: int | None = self._identities.number(value)
        except TypeError:  # an object that cannot be weakly referenced
            identity = None
        plain = "__name__" if isinstance(value, types.BuiltinFunctionType) else "__qualname__"
        name = getattr(value, plain, None) if isinstance(value, _CALLABLES) else None
        return Leaf(path, "object", type_name=type(value).__name__, identity=identity, value=name and str(name))


_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def describe_value(torch: Any, value: Any) -> str:
    """A value that a guard looks at, in a few words: the same words as a signature has for it."""
    if isinstance(value, SIZED):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, types.CodeType):
        return f"the code at line {value.co_firstlineno}"
    walk = _Walk(torch, ByIdentity())
    walk.visit("", value)
    return walk.leaves[0].describe() if walk.leaves else shorten_repr(value)
