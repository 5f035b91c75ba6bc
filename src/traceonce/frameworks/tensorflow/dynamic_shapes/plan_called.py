"""Sizes that a function reads which the traced function calls. Nobody has seen its arguments.

Read while the function runs, any size is right. Yet what a width is used for mostly has to know it while tracing, so
the open dimensions of the traced function's own arguments are a guide to which sizes are meant:

1. Places from the front are those of the arguments: what is computed from a batch mostly keeps its first dimensions.
2. Places from behind are those of the arguments or one further in, as an embedding leaves them.
3. The last size is left alone, unless the reach says otherwise, or a shape with as many dimensions is open there.
"""

from __future__ import annotations

import libcst as cst

from traceonce.fix.source.callees import last_name
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.names import each_parameter
from traceonce.frameworks.tensorflow.dynamic_shapes.plan import PYTHON_ONLY, Plan, Planner
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import OpenShapes, Reach
from traceonce.frameworks.tensorflow.dynamic_shapes.shape_expressions import root_of

_INSTANCE = {"self", "cls"}
_WANT_NUMBERS = {"add_weight", "add_variable"}


def plan_called_sizes(module: Module, function: Function, open_shapes: OpenShapes, reach: Reach) -> Plan:
    """The places in a function that is called under a signature with these open shapes."""
    return _CalledPlanner(module, function, open_shapes, reach).make()


class _CalledPlanner(Planner):
    def __init__(self, module: Module, function: Function, open_shapes: OpenShapes, reach: Reach) -> None:
        super().__init__(module, function, open_shapes, reach)
        self.given = {parameter.name.value for parameter in each_parameter(function.params)} - _INSTANCE
        self.parameters = set()
        self.bound.update(self.given)  # as far as is known, they were computed
        self.aliases = dict(self._find_aliases())

    def _is_open(self, base: cst.BaseExpression, axis: int | None, rank: int | None = None) -> bool:
        if not self._any_open(base):
            return False
        if axis is None or self.reach.everywhere:
            return True
        alike = [shape for shape in self.open_shapes.values() if shape is not None and len(shape) == rank]
        if alike:
            return any(shape[axis] is None for shape in alike)
        if axis == -1 or (rank is not None and axis == rank - 1):
            return self.reach.last
        return axis in self.open_axes or (axis < 0 and axis + 1 in self.open_axes)

    def _is_computed(self, base: cst.BaseExpression) -> bool:
        return super()._is_computed(base) or (isinstance(base, cst.Attribute) and root_of(base) in self.given)

    def _only_shows(self, node: cst.CSTNode) -> bool:
        return super()._only_shows(node) or self._is_a_check(node) or self._is_for_python(node)

    def _is_a_check(self, node: cst.CSTNode) -> bool:
        """Is it what an ``if`` asks before it raises?"""
        outer = self.module.parent(node)
        if not isinstance(outer, cst.If) or outer.test is not node:
            return False
        first = next(iter(outer.body.body), None)
        if isinstance(first, cst.SimpleStatementLine):
            first = next(iter(first.body), None)
        return isinstance(first, cst.Raise)

    def _is_for_python(self, node: cst.CSTNode) -> bool:
        """Is it given, without any further computation, to what wants a Python number: a class, a weight, NumPy?"""
        if not isinstance(node, cst.Arg):
            return False
        call = self.module.parent(node)
        if not isinstance(call, cst.Call) or any(isinstance(part, cst.Call) for part in walk(node.value)):
            return False
        name = last_name(call.func) or ""
        by_python = name[:1].isupper() or name in _WANT_NUMBERS
        return by_python or (isinstance(call.func, cst.Attribute) and root_of(call.func) in PYTHON_ONLY)
