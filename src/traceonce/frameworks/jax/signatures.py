"""The arguments of a call of a jitted function as plain data, each with a path that reads like Python.

What JAX keys a trace on: the dtype, the shape and the weakness of each array, how the arguments nest (with what a node
of the tree holds beside its leaves), the values of static arguments, and which parameters were passed, by position or
by keyword: a default that is left out is no argument at all.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from traceonce.facts import Container, Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORD_ONLY, KEYWORDS, PARAMETERS
from traceonce.frameworks.base.identities import Identities
from traceonce.frameworks.base.literals import key_text, plain_contents, python_leaf, shorten_repr
from traceonce.frameworks.jax.filter_jit import CompiledIn

BY_KEYWORD = "passed by keyword"  # the path of the container that says which
WIDEST, SHORT = 256, 60  # of a static tuple: items that are looked at, and characters that are told as they are
_BASIC = (bool, int, float, complex, str, bytes)


class Passed(NamedTuple):
    """One argument: its path, its value, and whether it is static."""

    path: str
    value: Any
    static: bool


class KeySettings(Protocol):
    """What else a trace is keyed on: now, and in a key of JAX's caches where that names it."""

    @property
    def are_named(self) -> bool: ...

    def now(self) -> dict[str, str]: ...

    def read(self, context: tuple[Any, ...]) -> dict[str, str]: ...


class SignatureReader:
    """Turns calls, and the keys of JAX's cache of traces, into signatures."""

    def __init__(self, tree_util: Any, abstractify: Callable[[Any], Any], settings: KeySettings) -> None:
        self._trees = tree_util
        self._abstractify = abstractify
        self._settings = settings
        self.identities = Identities()

    def read(self, info: Any, args: Sequence[Any], kwargs: Mapping[str, Any], avals: Sequence[Any] | None) -> Signature:
        """The signature of a call; `info` is what `jax.jit` was told, `avals` the types of the flattened arrays."""
        return self._read(info, args, kwargs, avals, self._settings.now())

    def read_flat(self, names: Sequence[str], avals: Sequence[Any]) -> Signature:
        """The signature of a call of an operation whose arguments have no other names."""
        leaves = tuple(_array(name, None, aval) for name, aval in zip(names, avals, strict=True))
        return Signature(leaves, (), self._settings.now())

    def read_cached(self, key: Any) -> Signature:
        """The signature of an earlier call: a key of JAX's cache of traces."""
        _, context, (info, call, avals, *_), *_ = key
        trees = list(call.dynamic_arg_treedefs)
        positional = len(trees) - len(call.dynamic_arg_names)
        rest = list(avals)
        values = []
        for tree in trees:
            values.append(self._trees.tree_unflatten(tree, rest[: tree.num_leaves]))
            rest = rest[tree.num_leaves :]
        static = list(call.static_args)
        named = dict(zip(call.static_arg_names, static[len(static) - len(call.static_arg_names) :], strict=True))
        args = values[:positional]
        fixed = static[: len(static) - len(call.static_arg_names)]
        for number, value in zip(sorted(info.static_argnums), fixed, strict=False):
            args.insert(number, value)
        kwargs = {**dict(zip(call.dynamic_arg_names, values[positional:], strict=True)), **named}
        settings = self._settings.read(context) if self._settings.are_named else self._settings.now()
        return self._read(info, args, kwargs, avals, settings)

    def _read(
        self,
        info: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        avals: Sequence[Any] | None,
        context: dict[str, str],
    ) -> Signature:
        declared: Mapping[str, inspect.Parameter] = getattr(info.fun_signature, "parameters", None) or {}
        walk = _Walk(self._trees, self._abstractify, self.identities, avals)
        passed = set()
        for item in passed_arguments(declared, info, args, kwargs):
            passed.add(item.path)
            if item.static:
                walk.leaves.extend(static_leaves(item.path, item.value, self.identities))
            else:
                walk.visit(item.path, item.value)
        for name, parameter in declared.items():
            if name not in passed and parameter.default is not inspect.Parameter.empty:
                walk.leaves.append(_left_out(name))
        walk.containers.extend(_parameters(declared, args, kwargs))
        by_keyword = tuple(sorted(name for name in kwargs if _can_be_positional(declared.get(name))))
        walk.containers.append(Container(BY_KEYWORD, "dict", by_keyword))
        return Signature(tuple(walk.leaves), tuple(walk.containers), context)


def static_leaves(path: str, value: Any, identities: Identities) -> Iterator[Leaf]:
    """A static argument. What is compared item by item is told so, where its text would not show it all."""
    items = _compared_items(path, value)
    if items is None or len(items) > WIDEST:
        yield static_leaf(path, value, identities)
        return
    for place, item in items:
        yield from static_leaves(place, item, identities)


def _compared_items(path: str, value: Any) -> list[tuple[str, Any]] | None:
    """What a tuple, a named tuple or a dataclass compares, by place; None where its text says enough, or not that."""
    kind = type(value)
    if kind is tuple:
        return None if _is_plain(value) else [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    if plain_contents(value) is not None:
        return None
    names = getattr(kind, "_fields", None)  # of a named tuple
    if isinstance(value, tuple) and names is not None and getattr(kind, "__eq__", None) is tuple.__eq__:
        return [(f"{path}.{name}", item) for name, item in zip(names, value, strict=True)]
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None or not parameters.eq or not _has_made_equality(kind):
        return None
    return [(f"{path}.{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value) if f.compare]


def _has_made_equality(kind: type) -> bool:
    """Is its `__eq__` the one that `dataclasses` has made?"""
    code = getattr(kind.__eq__, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def _is_plain(value: Any) -> bool:
    return all(item is None or type(item) in _BASIC for item in value) and len(repr(value)) <= SHORT


def static_leaf(path: str, value: Any, identities: Identities) -> Leaf:
    """A value that JAX was told to compile in. It compares them by ``==`` and hash, and so does the identity."""
    if value is None or type(value) in (*_BASIC, range) or isinstance(value, _BASIC):
        return msgspec.structs.replace(python_leaf(path, value), static=True)
    if type(value).__name__ == "PyTreeDef":
        number = _number(value, identities)
        return Leaf(path, "object", value=shorten_repr(value), type_name="PyTreeDef", identity=number, static=True)
    if type(value) in (tuple, frozenset) and all(item is None or type(item) in _BASIC for item in value):
        return Leaf(path, "python", value=shorten_repr(value), type_name=type(value).__name__, static=True)
    contents = plain_contents(value)
    return Leaf(
        path,
        "object",
        value=_name(value) or (f"{type(value).__name__}({contents})" if contents is not None else None),
        type_name=type(value).__name__,
        identity=_number(value, identities),
        contents=contents,
        static=True,
        unequal_by=_hash_without_equality(type(value)),
    )


def _hash_without_equality(kind: type) -> str | None:
    """Said of a class whose `__hash__` is of its own, while only the same object is equal."""
    methods: list[Any] = [getattr(kind, name) for name in ("__eq__", "__hash__")]
    if methods[0] is not object.__eq__ or not isinstance(methods[1], types.FunctionType):
        return None
    return f"{kind.__name__} defines no __eq__, so only the same object is equal"


def _name(value: Any) -> str | None:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    name = getattr(value, "__qualname__", None)
    return name if isinstance(name, str) else None


def _number(value: Any, identities: Identities) -> int | None:
    try:
        return identities.number(value)
    except TypeError:  # it cannot be weakly referenced (a tuple of objects)
        try:
            return hash(value) & 0x7FFFFFFF
        except TypeError:  # nor hashed: JAX will refuse it
            return None


def _left_out(name: str) -> Leaf:
    """A parameter that was not passed: JAX sees its default as part of the function, not as an argument."""
    return Leaf(name, "python", value="its default", type_name="default")


def _can_be_positional(parameter: inspect.Parameter | None) -> bool:
    return parameter is not None and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


def passed_arguments(
    declared: Mapping[str, inspect.Parameter], info: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[Passed]:
    """Each argument with its name, in the order in which JAX flattens them: by position, then keywords by name."""
    static = {number % len(args) if number < 0 and args else number for number in info.static_argnums}
    names = [name for name, p in declared.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((name for name, p in declared.items() if p.kind is p.VAR_POSITIONAL), "args")
    for index, value in enumerate(args):
        path = names[index] if index < len(names) else f"{rest}[{index - len(names)}]"
        yield Passed(path, value, index in static)
    keyword = next((name for name, p in declared.items() if p.kind is p.VAR_KEYWORD), "kwargs")
    for name in sorted(kwargs):
        yield Passed(name if name in declared else f"{keyword}[{name!r}]", kwargs[name], name in info.static_argnames)


def _parameters(
    declared: Mapping[str, inspect.Parameter], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[Container]:
    """How the parameters are declared, for whoever wants to rewrite them."""
    yield Container("", PARAMETERS, tuple(declared))
    only = tuple(name for name, p in declared.items() if p.kind is p.KEYWORD_ONLY)
    if only:
        yield Container("*", KEYWORD_ONLY, only)
    positional = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in declared.values())
    for name, p in declared.items():
        if p.kind is p.VAR_POSITIONAL:
            yield Container(name, ARGUMENTS, tuple(str(index) for index in range(max(len(args) - positional, 0))))
        elif p.kind is p.VAR_KEYWORD:
            yield Container(name, KEYWORDS, tuple(sorted(repr(key) for key in kwargs if key not in declared)))


class _Walk:
    """One descent through the arguments of a call, in the order in which JAX flattens them."""

    def __init__(
        self, trees: Any, abstractify: Callable[[Any], Any], identities: Identities, avals: Sequence[Any] | None
    ) -> None:
        self.leaves: list[Leaf] = []
        self.containers: list[Container] = []
        self._trees = trees
        self._abstractify = abstractify
        self._identities = identities
        self._avals = iter(avals) if avals is not None else None

    def visit(self, path: str, value: Any) -> None:
        if value is None:
            self.leaves.append(Leaf(path, "none"))
            return
        if isinstance(value, CompiledIn):
            self.leaves.extend(static_leaves(path, value.value, self._identities))
            return
        children, node = self._trees.tree_flatten_with_path(value, is_leaf=lambda part: part is not value)
        if len(children) == 1 and not children[0][0]:
            self.leaves.append(_array(path, value, self._type_of(value)))
            return
        keys = [(_step(way[0]), child) for way, child in children]
        names = tuple(step.strip("[].") for step, _ in keys)
        self.containers.append(Container(path, type(value).__name__, names))
        self._static_part(path, value, node)
        for step, child in keys:
            self.visit(path + step, child)

    def _type_of(self, value: Any) -> Any:
        """None for what is no array: JAX is about to say so."""
        if self._avals is not None:
            return next(self._avals, None)
        try:
            return self._abstractify(value)
        except (TypeError, OverflowError):
            return None

    def _static_part(self, path: str, value: Any, node: Any) -> None:
        """What a node holds beside its leaves is part of the key, too."""
        if type(value) in (list, tuple, dict) or isinstance(value, (tuple, dict)):
            return
        data = node.node_data()
        if data is None or _is_empty(data[1]):
            return
        fields = _fields(value, data[1])
        if fields is None:
            self.leaves.extend(static_leaves(f"{path} (its static part)", _plain(data[1]), self._identities))
            return
        for name, part in zip(fields, data[1], strict=True):
            self.leaves.extend(static_leaves(f"{path}.{name}", part, self._identities))


def _fields(value: Any, parts: Any) -> list[str] | None:
    """The names of the fields of a dataclass that make up its static part, where it is made up of fields."""
    if type(parts) is not tuple or not dataclasses.is_dataclass(value):
        return None
    names = [field.name for field in dataclasses.fields(value)]
    found = [next((name for name in names if getattr(value, name, None) is part), None) for part in parts]
    named = [name for name in found if name is not None]
    return named if len(set(named)) == len(parts) else None


def _is_empty(part: Any) -> bool:
    return part is None or (type(part) is tuple and not part)


def _plain(part: Any) -> Any:
    return part[0] if type(part) is tuple and len(part) == 1 else part


def _step(key: Any) -> str:
    """One step of a path in a tree, as Python writes it."""
    if hasattr(key, "name"):
        return f".{key.name}"
    if hasattr(key, "idx"):
        return f"[{key.idx}]"
    inner = getattr(key, "key", key)
    return f"[{key_text(inner)}]"


def _array(path: str, value: Any, aval: Any) -> Leaf:
    shape = getattr(aval, "shape", None)
    if aval is None or shape is None:
        return Leaf(path, "object", type_name=type(value).__name__)
    return Leaf(
        path,
        "tensor",
        dtype=str(aval.dtype),
        shape=tuple(size if isinstance(size, int) else None for size in shape),
        type_name=type(value).__name__ if type(value) in (bool, int, float, complex) else None,
        weak=bool(getattr(aval, "weak_type", False)),
        sharding=_mesh(aval),
    )


def _mesh(aval: Any) -> str | None:
    """The mesh that an array lies on is part of its type; where its axes are explicit, how it is cut is, too."""
    sharding = getattr(aval, "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if sharding is None or mesh is None or getattr(mesh, "empty", True):
        return None
    axes = ", ".join(f"{name}={size}" for name, size in dict(mesh.shape).items())
    return f"{sharding.spec} on mesh ({axes})" if "Explicit" in str(mesh) else f"mesh ({axes})"
