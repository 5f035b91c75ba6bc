"""A TensorFlow function type as plain data: descend to the last field, and give each a path that reads like Python."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import msgspec

from traceonce.facts import Container, Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, DEFAULTS, KEYWORD_ONLY, KEYWORDS, PARAMETERS
from traceonce.frameworks.base.identities import ByIdentity, Identities
from traceonce.frameworks.base.literals import TEXT_LIMIT, key_text, plain_contents, python_leaf, shorten_repr
from traceonce.frameworks.tensorflow.composites import (
    equal,
    equality_of,
    equals_itself_alone,
    plain_attributes,
    spec_fields,
    usable,
)


class SignatureReader:
    """Turns TensorFlow's types into signatures; `identities` keeps track of the objects among the arguments."""

    def __init__(self) -> None:
        self.identities = Identities()
        self._graphs = ByIdentity()

    def read(
        self,
        function_type: Any,
        polymorphic_type: Any,
        context: Any = None,
        twins: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> Signature:
        """The signature of one request (or of one cached trace).

        `defaults` are the values of parameters that a call may leave out. `twins` holds, per parameter, a second type
        built from the same value, where one was built to see whether the type equals itself.
        """
        walk = _Walk(self.identities, twins or {})
        walk.parameters(function_type, polymorphic_type)
        if defaults:
            walk.containers.append(Container("=", DEFAULTS, tuple(_default_text(*item) for item in defaults.items())))
        return Signature(tuple(walk.leaves), tuple(walk.containers), self._context(context))

    def _context(self, context: Any) -> dict[str, str]:
        if context is None:
            return {}
        found: dict[str, str] = {}
        scope = getattr(context.scope_type, "name", "")
        if scope == "NO_VARIABLE_CREATION":
            found["scope"] = "after the variables were created"
        inner = context.context
        if inner is None:
            return found
        if getattr(inner, "parent_graph", None) is not None:
            found["graph"] = f"tf.Graph {self._graphs.number(inner.parent_graph)}"
        if getattr(inner, "in_cross_replica_context", False):
            found["strategy"] = f"cross-replica scope{_strategy_name()}"
        devices = getattr(inner, "device_functions", ())
        if devices:
            found["device"] = ", ".join(_device_name(device) for device in devices)[:TEXT_LIMIT]
        colocations = getattr(inner, "colocation_stack", ())
        if colocations:
            found["colocation"] = ", ".join(str(getattr(op, "name", op)) for op in colocations)[:TEXT_LIMIT]
        if getattr(inner, "variable_policy", None) is not None:
            found["saving"] = f"saving, variable policy {inner.variable_policy}"
        if getattr(inner, "xla_context_id", 0):
            found["xla"] = "inside an XLA context of its own"
        return found


def _strategy_name() -> str:
    from tensorflow.python.framework import ops

    stack = ops.get_default_graph()._distribution_strategy_stack
    return f" of {type(stack[-1].strategy).__name__}" if stack else ""


def _device_name(device: Any) -> str:
    return str(getattr(device, "display_name", None) or getattr(device, "_device_name_or_function", None) or device)


class _Walk:
    """One descent through the types of a call."""

    def __init__(self, identities: Identities, twins: Mapping[str, Any]) -> None:
        self.leaves: list[Leaf] = []
        self.containers: list[Container] = []
        self._identities = identities
        self._twins = twins

    def parameters(self, function_type: Any, polymorphic_type: Any) -> None:
        declared = polymorphic_type.parameters if polymorphic_type is not None else function_type.parameters
        variadic = {p.kind: name for name, p in declared.items()}
        positional = variadic.get(inspect.Parameter.VAR_POSITIONAL)
        keyword = variadic.get(inspect.Parameter.VAR_KEYWORD)
        extra, keys = 0, []
        for name, parameter in function_type.parameters.items():
            kind = parameter.type_constraint
            if name in declared:
                path = name
            elif positional and name.startswith(f"{positional}_"):
                path, extra = f"{positional}[{extra}]", extra + 1
            elif keyword:
                path = f"{keyword}[{name!r}]"
                keys.append(name)
            else:
                path = name
            self.visit(path, kind, self._twins.get(name))
        self.containers.append(Container("", PARAMETERS, tuple(declared)))
        only = [name for name, p in declared.items() if p.kind is inspect.Parameter.KEYWORD_ONLY]
        if only:
            self.containers.append(Container("*", KEYWORD_ONLY, tuple(only)))
        if positional:
            self.containers.append(Container(positional, ARGUMENTS, tuple(str(i) for i in range(extra))))
        if keyword:
            self.containers.append(Container(keyword, KEYWORDS, tuple(sorted(keys))))
            self.leaves.sort(key=lambda leaf: (leaf.path.startswith(f"{keyword}[") and leaf.path) or "")
        for name, kind in getattr(function_type, "captures", {}).items():
            self.visit(f"captured {name}", kind, None)

    def visit(self, path: str, kind: Any, twin: Any) -> None:
        import tensorflow
        from tensorflow.core.function.trace_type import default_types as types
        from tensorflow.python.framework import type_spec
        from tensorflow.python.ops import resource_variable_ops

        if isinstance(kind, types.Literal):
            self.leaves.append(_literal(path, kind))
        elif isinstance(kind, tensorflow.TensorSpec):
            self.leaves.append(
                Leaf(
                    path,
                    "tensor",
                    dtype=kind.dtype.name,
                    shape=_shape(kind.shape),
                    name=kind.name or None,
                    type_name=None if type(kind) is tensorflow.TensorSpec else type(kind).__name__,
                )
            )
        elif isinstance(kind, resource_variable_ops.VariableSpec):
            self.leaves.append(
                Leaf(
                    path,
                    "variable",
                    dtype=kind.dtype.name,
                    shape=_shape(kind.shape),
                    value="trainable" if kind.trainable else "not trainable",
                    identity=kind.alias_id if isinstance(kind.alias_id, int) else None,
                )
            )
        elif isinstance(kind, types.Weakref):
            self._object(path, kind)
        elif isinstance(kind, types.List):
            self._sequence(path, "list", kind.components_tuple.components, _sub(twin, "components_tuple", "components"))
        elif isinstance(kind, types.Tuple):
            self._sequence(path, "tuple", kind.components, _sub(twin, "components"))
        elif isinstance(kind, types.Dict):
            mapping = _sub(twin, "mapping") or {}
            self._mapping(path, "dict", kind.mapping, mapping)
        elif isinstance(kind, types.NamedTuple):
            self._fields(path, kind.type_name, kind.attribute_names, kind.attributes.components, twin)
        elif isinstance(kind, types.Attrs):
            inner = kind.named_attributes
            self._fields(
                path,
                f"{inner.type_name} (attrs)",
                inner.attribute_names,
                inner.attributes.components,
                _sub(twin, "named_attributes"),
            )
        elif isinstance(kind, type_spec.TypeSpec):
            self._spec(path, kind, twin)
        else:
            self._custom(path, kind, twin)

    def _object(self, path: str, kind: Any) -> None:
        thing = kind._ref()
        if thing is None:
            leaf = Leaf(path, "object", type_name="collected object", identity=self._identities.fresh(dead=True))
        else:
            number = self._identities.number(thing)
            name = _name_object(thing)
            leaf = Leaf(path, "object", type_name=type(thing).__name__, value=name, identity=number)
            if name is None:
                leaf = msgspec.structs.replace(leaf, contents=plain_contents(thing))
        self.leaves.append(leaf)

    def _sequence(self, path: str, type_name: str, parts: Any, twins: Any) -> None:
        self.containers.append(Container(path, type_name, tuple(str(i) for i in range(len(parts)))))
        for index, part in enumerate(parts):
            self.visit(f"{path}[{index}]", part, _item(twins, index))

    def _mapping(self, path: str, type_name: str, parts: Any, twins: Any) -> None:
        keys = {key_text(key): key for key in parts}
        self.containers.append(Container(path, type_name, tuple(sorted(keys))))
        for text, key in sorted(keys.items()):
            self.visit(f"{path}[{text}]", parts[key], _item(twins, key))

    def _fields(self, path: str, type_name: str, names: Any, parts: Any, twin: Any) -> None:
        self.containers.append(Container(path, type_name, tuple(names)))
        for index, (name, part) in enumerate(zip(names, parts, strict=True)):
            self.visit(f"{path}.{name}", part, _item(_sub(twin, "attributes", "components"), index))

    def _spec(self, path: str, kind: Any, twin: Any) -> None:
        """A composite tensor: the well-known ones are one leaf, all others are taken apart field by field."""
        from tensorflow.python.framework import sparse_tensor
        from tensorflow.python.ops.ragged import ragged_tensor

        name = type(kind).__name__
        if isinstance(kind, ragged_tensor.RaggedTensorSpec):
            extra = f"ragged_rank={kind.ragged_rank}, row_splits={kind.row_splits_dtype.name}"
            self.leaves.append(Leaf(path, "spec", kind.dtype.name, _shape(kind.shape), extra, name))
        elif isinstance(kind, sparse_tensor.SparseTensorSpec):
            self.leaves.append(Leaf(path, "spec", kind.dtype.name, _shape(kind.shape), type_name=name))
        else:
            if self._never_equal(path, kind, twin):
                return
            fields = list(spec_fields(kind))
            twin_fields = dict(spec_fields(twin)) if type(twin) is type(kind) else {}
            self.containers.append(Container(path, name, tuple(field for field, _ in fields)))
            for field, value in fields:
                self._field(f"{path}{field}", value, twin_fields.get(field))

    def _field(self, path: str, value: Any, twin: Any) -> None:
        """A field of a composite: a type, a nest of fields, or a static value."""
        from tensorflow.core.function.trace_type import default_types as types
        from tensorflow.python.framework import dtypes, tensor_shape, type_spec

        if isinstance(value, (type_spec.TypeSpec, types.Literal, types.Weakref, types.Tuple)):
            self.visit(path, value, twin)
        elif isinstance(value, tensor_shape.TensorShape):
            owner = path.removesuffix("shape").rstrip(
                "._"
            )  # `x.shape` is a shape of x, `x.indices_shape` one of x.indices
            self.leaves.append(Leaf(owner, "spec", shape=_shape(value), type_name="shape"))
        elif isinstance(value, dtypes.DType):
            self.leaves.append(Leaf(path, "spec", value=value.name, type_name="dtype"))
        elif isinstance(value, Mapping):
            keys = {key_text(key): key for key in value}
            self.containers.append(Container(path, "dict", tuple(sorted(keys))))
            for text, key in sorted(keys.items()):
                self._field(f"{path}[{text}]", value[key], _item(twin, key))
        elif isinstance(value, (list, tuple)):
            names = getattr(value, "_fields", None)
            steps = [f".{name}" for name in names] if names else [f"[{index}]" for index in range(len(value))]
            inside = tuple(names or map(str, range(len(value))))
            self.containers.append(Container(path, type(value).__name__, inside))
            for index, (step, part) in enumerate(zip(steps, value, strict=True)):
                self._field(f"{path}{step}", part, _item(twin, index))
        elif value is None:
            self.leaves.append(Leaf(path, "none"))
        else:
            self._static(path, value, twin)

    def _static(self, path: str, value: Any, twin: Any) -> None:
        """A value that is part of a type: known by what it is, or, where only the same object is equal, by identity."""
        name = type(value).__name__
        unequal = equality_of(value) if twin is not None and not equal(value, twin) else None
        if equals_itself_alone(value) and type(value).__weakrefoffset__:
            number = self._identities.number(value)
            self.leaves.append(
                Leaf(path, "object", type_name=name, value=_name_object(value), identity=number, unequal_by=unequal)
            )
        else:
            self.leaves.append(Leaf(path, "spec", value=shorten_repr(value), type_name=name, unequal_by=unequal))

    def _custom(self, path: str, kind: Any, twin: Any) -> None:
        """A type from the user's (or a library's) own tracing protocol."""
        if self._never_equal(path, kind, twin):
            return
        name = type(kind).__name__
        fields = plain_attributes(kind)
        if not fields:
            self.leaves.append(Leaf(path, "spec", value=shorten_repr(kind), type_name=name))
            return
        self.containers.append(Container(path, name, tuple(fields)))
        twins = plain_attributes(twin) if type(twin) is type(kind) else {}
        for field, value in fields.items():
            self._field(f"{path}.{field.lstrip('_')}", value, twins.get(field))

    def _never_equal(self, path: str, kind: Any, twin: Any) -> bool:
        """Say so, and stop descending, where a type built twice from one value is two types by its own ``__eq__``.

        If that compares contents, and they differ, it is they that are to blame: descend to them.
        """
        if twin is None or type(twin) is not type(kind) or usable(kind, twin):
            return False
        decides = next(cls for cls in type(kind).__mro__ if "__eq__" in vars(cls))
        if decides.__module__.startswith("tensorflow."):
            return False  # the default comparison, field by field: descend to the field that is to blame
        twins = plain_attributes(twin)
        if any(name in twins and not equal(value, twins[name]) for name, value in plain_attributes(kind).items()):
            return False
        self.leaves.append(
            Leaf(
                path,
                "spec",
                type_name=type(kind).__name__,
                identity=self._identities.fresh(),
                unequal_by=equality_of(kind),
            )
        )
        return True


def _default_text(name: str, value: Any) -> str:
    leaf = python_leaf(name, value)
    return f"{name}={leaf.describe()}"


def _literal(path: str, kind: Any) -> Leaf:
    value = kind.value if isinstance(kind.value, range) else kind.placeholder_value(None)
    return python_leaf(path, value)


def _name_object(thing: Any) -> str | None:
    """A name for an object that is better than its address: a function's, a method's, an enum member's."""
    for attribute in ("__qualname__", "__name__"):
        name = getattr(thing, attribute, None)
        if isinstance(name, str):
            return name
    if type(thing).__name__ == "partial":
        return f"partial of {getattr(thing.func, '__qualname__', '?')}"
    if isinstance(getattr(thing, "name", None), str) and hasattr(type(thing), "__members__"):
        return str(thing)
    return None


def _shape(shape: Any) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape.as_list())


def _sub(thing: Any, *names: str) -> Any:
    for name in names:
        thing = getattr(thing, name, None)
    return thing


def _item(parts: Any, key: Any) -> Any:
    try:
        return parts[key]
    except (KeyError, IndexError, TypeError):
        return None
