"""Which sizes have to be cast: a size that is a tensor of whole numbers cannot meet a float, as a Python number can."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from traceonce.fix.source.module import Module
from traceonce.frameworks.tensorflow.dynamic_shapes.shape_expressions import shape_of

_INTEGRAL = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo)
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Power)


class Casts:
    """Finds the terms, made of sizes and whole numbers, that meet a float."""

    def __init__(
        self, module: Module, sizes: Collection[cst.CSTNode], names: set[str], known: set[str], *, everywhere: bool
    ) -> None:
        """`sizes` are read while the function runs, and have these `names`; those that are `known` are not."""
        self.module = module
        self.sizes = sizes
        self.names = names
        self.known = known
        self.everywhere = everywhere

    def term_of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The term around this size that has to be cast, if any."""
        if not self._is_size(node):
            return None
        parent = self.module.parent(node)
        while isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, _INTEGRAL):
            other = _other_side(parent, node)
            if not self._is_whole(other):
                break
            node, parent = parent, self.module.parent(parent)
        return node if isinstance(parent, cst.BinaryOperation) and self._meets_a_float(parent, node) else None

    def _is_whole(self, node: cst.CSTNode) -> bool:
        """Is it surely a whole number: a size, known or not, a literal, or made of such?"""
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, _INTEGRAL) and self._is_whole(node.left) and self._is_whole(node.right)
        known = isinstance(node, cst.Name) and node.value in self.known
        known = known or (isinstance(node, cst.Subscript) and shape_of(node.value) is not None)
        return known or isinstance(node, cst.Integer) or self._is_size(node)

    def _is_size(self, node: cst.CSTNode) -> bool:
        if node in self.sizes:
            return not (isinstance(node, cst.Subscript) and isinstance(node.slice[0].slice, cst.Slice))
        if not isinstance(node, cst.Name) or node.value not in self.names:
            return False
        parent = self.module.parent(node)  # only operands matter, so that other places of a name need no care
        return isinstance(parent, cst.BinaryOperation)

    def _meets_a_float(self, operation: cst.BinaryOperation, term: cst.CSTNode) -> bool:
        if isinstance(operation.operator, cst.Divide):
            return True
        floating = isinstance(_other_side(operation, term), cst.Float) or (
            self.everywhere and not self._is_in_a_shape(operation)
        )
        return isinstance(operation.operator, _ARITHMETIC) and floating

    def _is_in_a_shape(self, node: cst.CSTNode) -> bool:
        """Is it an item of a list, or an index? Those are sizes, and stay whole."""
        outer = self.module.parent(node)
        while isinstance(outer, cst.BinaryOperation | cst.UnaryOperation):
            outer = self.module.parent(outer)
        return isinstance(outer, cst.Element | cst.Index | cst.Slice)


def _other_side(operation: cst.BinaryOperation, side: cst.CSTNode) -> cst.BaseExpression:
    return operation.right if operation.left is side else operation.left
