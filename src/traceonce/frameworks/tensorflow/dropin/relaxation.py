"""Rule 3: the least type that admits a request and the traces made before; only what varies is left open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from traceonce.frameworks.tensorflow.dropin.exact import ExactLiteral, OrderedDict
from traceonce.frameworks.tensorflow.dropin.parts import (
    FunctionType,
    Parameter,
    RaggedTensorSpec,
    TensorSpec,
    default_types,
    resource_variable_ops,
)


class _Apart(Exception):  # noqa: N818  # a finding: these two have nothing in common
    """No trace can serve both."""


def relax(request: Any, earlier: Iterable[Any], *, ranks: bool = True) -> Any:
    """The request, with a dimension open that an earlier type has otherwise; None where nothing is to be opened.

    Numbers may differ: they stay those of the request. Types that differ in anything else are left aside; so are those
    with tensors of another rank, unless `ranks` may vary.
    """
    relaxed = request
    for other in earlier:
        try:
            relaxed = _join_functions(relaxed, other, ranks)
        except _Apart:
            continue
    return None if relaxed == request else relaxed


def _join_functions(request: Any, other: Any, ranks: bool) -> Any:
    if list(request.parameters) != list(other.parameters):
        raise _Apart
    joined = [
        Parameter(p.name, p.kind, p.optional, _join(p.type_constraint, other.parameters[name].type_constraint, ranks))
        for name, p in request.parameters.items()
    ]
    return FunctionType(joined, request.captures)


def _join(request: Any, other: Any, ranks: bool) -> Any:
    types = default_types
    if type(request) is not type(other):
        if isinstance(request, TensorSpec) and request.shape.rank == 0 and _is_number(other):
            return request  # it was lifted
        raise _Apart
    if type(request) is types.Tuple:
        return types.Tuple(*_each(request.components, other.components, ranks))
    if type(request) is types.List:
        return types.List(*_each(request.components_tuple.components, other.components_tuple.components, ranks))
    if isinstance(request, types.Dict):
        if list(request.mapping) != list(other.mapping):
            raise _Apart
        parts = {key: _join(part, other.mapping[key], ranks) for key, part in request.mapping.items()}
        return OrderedDict(parts, request._placeholder_type)
    if type(request) is types.NamedTuple:
        if request.type_name != other.type_name or request.attribute_names != other.attribute_names:
            raise _Apart
        fields = _each(request.attributes.components, other.attributes.components, ranks)
        return types.NamedTuple(request.type_name, request.attribute_names, tuple(fields), request._placeholder_type)
    return _join_leaves(request, other, ranks)


def _each(request: Any, other: Any, ranks: bool) -> list[Any]:
    if len(request) != len(other):
        raise _Apart
    return [_join(one, two, ranks) for one, two in zip(request, other, strict=True)]


def _join_leaves(request: Any, other: Any, ranks: bool) -> Any:
    if request == other:
        return request
    if isinstance(request, ExactLiteral):
        if _is_number(request) and request.kind is other.kind:
            return request
        raise _Apart
    if isinstance(request, resource_variable_ops.VariableSpec):
        raise _Apart  # its type can be opened, but TensorFlow traces with the shape at hand
    if not ranks and isinstance(request, TensorSpec) and request.shape.rank != other.shape.rank:
        raise _Apart
    if isinstance(request, RaggedTensorSpec) and _row_lengths(request) != _row_lengths(other):
        raise _Apart
    joined = request.most_specific_common_supertype([other])
    if joined is None:
        raise _Apart
    return joined


def _row_lengths(ragged: Any) -> Any:
    """Those that are known: rows of one length are kept in another way, which is no size that could be left open."""
    return ragged._shape[1 : ragged._ragged_rank + 1].as_list() if ragged._shape.rank is not None else None


def _is_number(kind: Any) -> bool:
    return isinstance(kind, ExactLiteral) and kind.kind in (int, float)
