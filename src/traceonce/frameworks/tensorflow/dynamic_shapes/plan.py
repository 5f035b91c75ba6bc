"""Sizes read from static shapes in the body of a function, which a signature with open dimensions no longer tells.

Under such a signature ``x.shape[0]`` is None while tracing; ``tf.shape(x)[0]`` is a tensor instead. That holds for what
is computed from `x` as well, so names that the body binds are looked at, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from traceonce.fix.source.binders import names_in_target
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.names import each_parameter
from traceonce.frameworks.tensorflow.dynamic_shapes.casts import Casts
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import OpenShapes, Reach
from traceonce.frameworks.tensorflow.dynamic_shapes.shape_expressions import as_path, integer_in, root_of, shape_of

# Functions of TensorFlow that want a static shape, or that only show one.
_STATIC_CALLS = {"TensorShape", "ensure_shape", "TensorSpec", "print", "keras", "debugging"}
PYTHON_ONLY = {"np", "numpy", "math"}
_NOT_TENSORFLOW = {"self", *PYTHON_ONLY}
_ONLY_SHOW = {"print", "isinstance", "repr", "str", "format"}
_UNTOUCHED = (cst.Assert, cst.Annotation, cst.Param, cst.FormattedString)


@dataclass
class Plan:
    """What to change: sizes, whole shapes and unpackings, each with the tensor that is meant; terms to cast to floats.

    `unpacked` says for each name whether its size is open; it is empty where that cannot be told one by one.
    """

    sizes: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)
    shapes: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)
    unpacked: dict[cst.CSTNode, tuple[cst.BaseExpression, tuple[bool, ...]]] = field(default_factory=dict)
    casts: set[cst.CSTNode] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.sizes or self.shapes or self.unpacked)


def plan_sizes(module: Module, function: Function, open_shapes: OpenShapes, reach: Reach) -> Plan:
    """Every place in the body of `function` whose size is not known under a signature with these open shapes."""
    return Planner(module, function, open_shapes, reach).make()


class Planner:
    """Looks at every place of a body."""

    def __init__(self, module: Module, function: Function, open_shapes: OpenShapes, reach: Reach) -> None:
        self.module = module
        self.open_shapes = open_shapes
        self.reach = reach
        self.plan = Plan()
        self.bound = Counter(_bound_names(function.body))
        self.parameters = {parameter.name.value for parameter in each_parameter(function.params)} - set(self.bound)
        self.open_axes = set(_axes(open_shapes))
        self.size_names: set[str] = set()
        self.known_names: set[str] = set()  # of sizes that stay known while tracing
        self.nodes = list(self._walk(function.body))
        self.aliases = dict(self._find_aliases())

    def make(self) -> Plan:
        for node in self.nodes:
            self.look_at(node)
        once = {name for name, count in self.bound.items() if count == 1}
        names = self.size_names & once
        known = self.known_names & once - names
        casts = Casts(self.module, self.plan.sizes, names, known, everywhere=self.reach.cast_everywhere)
        self.plan.casts.update(term for node in self.nodes if (term := casts.term_of(node)) is not None)
        return self.plan

    def _walk(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes that may be changed: not what only checks or shows a shape."""
        if isinstance(node, _UNTOUCHED) or self._only_shows(node):
            return
        yield node
        for child in node.children:
            yield from self._walk(child)

    def _only_shows(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Comparison):
            return "None" in map(self.module.code, [node.left, *(part.comparator for part in node.comparisons)])
        return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _ONLY_SHOW

    def _find_aliases(self) -> Iterator[tuple[str, cst.BaseExpression]]:
        """``s = x.shape``, where neither name is ever bound to anything else."""
        for node in self.nodes:
            if not isinstance(node, cst.Assign) or len(node.targets) != 1:
                continue
            target, base = node.targets[0].target, shape_of(node.value)
            if not isinstance(target, cst.Name) or not isinstance(base, cst.Name):
                continue
            if self.bound[target.value] == 1 and (base.value in self.parameters or self.bound[base.value] == 1):
                yield target.value, base

    def _base(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        return self.aliases.get(node.value) if isinstance(node, cst.Name) else shape_of(node)

    # ---- what is changed

    def look_at(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Call) and self.module.code(node.func) == "len" and len(node.args) == 1:
            if self._is_argument(node.args[0].value, 0):
                self.plan.sizes[node] = node.args[0].value
                self._remember_name(node, True)
        elif isinstance(node, cst.Arg):
            base = self._base(node.value)
            if base is not None and self._is_given_to_tensorflow(node.value) and self._any_open(base):
                self.plan.shapes[node.value] = base
        elif isinstance(node, cst.Subscript) and len(node.slice) == 1:
            self._look_at_size(node, node.slice[0].slice)
        elif isinstance(node, cst.Assign) and len(node.targets) == 1:
            self._look_at_unpacking(node, node.targets[0].target)

    def _look_at_size(self, node: cst.Subscript, place: cst.BaseSlice) -> None:
        base = self._base(node.value)
        if base is None:
            return
        if isinstance(place, cst.Index):
            is_open = self._is_open(base, integer_in(place.value))
            if is_open:
                self.plan.sizes[node] = base
            self._remember_name(node, is_open)
        elif self._is_given_to_tensorflow(node) and self._any_open(base):
            self.plan.sizes[node] = base

    def _look_at_unpacking(self, node: cst.Assign, target: cst.BaseExpression) -> None:
        base = self._base(node.value)
        if base is None or not isinstance(target, cst.Tuple | cst.List):
            return
        names = [element.value.value if isinstance(element.value, cst.Name) else "" for element in target.elements]
        opened = tuple(name != "_" and self._is_open(base, axis, len(names)) for axis, name in enumerate(names))
        starred = any(isinstance(element, cst.StarredElement) for element in target.elements)
        if starred or isinstance(base, cst.Call):  # places from behind; evaluated more than once
            opened = ()
        if any(opened) or (not opened and self._any_open(base)):
            self.plan.unpacked[node.value] = (base, opened)
            for name, is_open in zip(names, opened or [True] * len(names), strict=True):
                (self.size_names if is_open else self.known_names).add(name)

    def _remember_name(self, node: cst.CSTNode, is_open: bool) -> None:
        """The name in ``n = x.shape[0]``."""
        statement = self.module.parent(node)
        if isinstance(statement, cst.Assign) and statement.value is node:
            targets = [target.target for target in statement.targets]
            names = {target.value for target in targets if isinstance(target, cst.Name)}
            (self.size_names if is_open else self.known_names).update(names)

    # ---- what is open

    def _is_open(self, base: cst.BaseExpression, axis: int | None, rank: int | None = None) -> bool:
        if axis is None:
            return self._any_open(base)
        if self._is_own(base):
            return self._is_argument(base, axis)
        if not self._is_computed(base):
            return False
        along = axis in self.open_axes or (rank is not None and axis - rank in self.open_axes)
        return along or (self.reach.everywhere and bool(self.open_axes))

    def _any_open(self, base: cst.BaseExpression) -> bool:
        if self._is_own(base):
            return as_path(self.module.code(base)) in self.open_shapes
        return self._is_computed(base) and bool(self.open_axes)

    def _is_argument(self, base: cst.BaseExpression, axis: int) -> bool:
        """Is this an argument as it came, open along the axis?"""
        path = as_path(self.module.code(base))
        if root_of(base) not in self.parameters or path not in self.open_shapes:
            return False
        shape = self.open_shapes[path]
        return shape is None or (-len(shape) <= axis < len(shape) and shape[axis] is None)

    def _is_own(self, base: cst.BaseExpression) -> bool:
        """Is it an argument, or a part of one that was seen?"""
        if root_of(base) not in self.parameters:
            return False
        return isinstance(base, cst.Name) or as_path(self.module.code(base)) in self.open_shapes

    def _is_computed(self, base: cst.BaseExpression) -> bool:
        """Can it be a tensor that was computed in the body? Not what hangs on ``self`` or comes from outside."""
        if isinstance(base, cst.Call):
            return True
        root = root_of(base)
        if isinstance(base, cst.Subscript):
            return root in self.bound or root in {path.partition("[")[0] for path in self.open_shapes}
        return isinstance(base, cst.Name) and root in self.bound

    def _is_given_to_tensorflow(self, node: cst.CSTNode) -> bool:
        """Is it an argument of a function of a module (``tf.zeros``), and of none that needs a static shape?"""
        argument = self.module.parent(node)
        call = self.module.parent(argument) if isinstance(argument, cst.Arg) else None
        if not isinstance(call, cst.Call):
            return False
        parts = self.module.code(call.func).split(".")
        local = {parts[0]} & (set(self.bound) | self.parameters | _NOT_TENSORFLOW)
        return len(parts) > 1 and not local and not _STATIC_CALLS & set(parts)


def _axes(open_shapes: OpenShapes) -> Iterator[int]:
    for shape in open_shapes.values():
        sizes = shape if shape is not None else (None,) * 8  # nothing is known of its rank
        for axis, size in enumerate(sizes):
            if size is None:
                yield from (axis, axis - len(sizes))


def _bound_names(body: cst.CSTNode) -> Iterator[str]:
    """Every binding of a name in the body, nested functions included."""
    for node in walk(body):
        if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.NamedExpr | cst.For | cst.CompFor):
            yield from names_in_target(node.target)
        elif isinstance(node, cst.AsName | cst.Param):
            yield from names_in_target(node.name)
