"""Expressions that read a shape, and what is in them."""

from __future__ import annotations

import ast

import libcst as cst


def shape_of(node: cst.CSTNode) -> cst.BaseExpression | None:
    """X, where the node reads ``X.shape``, ``X.get_shape()`` or one of them with ``.as_list()``."""
    if isinstance(node, cst.Call) and not node.args and isinstance(node.func, cst.Attribute):
        if node.func.attr.value == "as_list":
            return shape_of(node.func.value)
        return node.func.value if node.func.attr.value == "get_shape" else None
    if isinstance(node, cst.Attribute) and node.attr.value == "shape":
        return node.value
    return None


def root_of(node: cst.BaseExpression) -> str | None:
    """`x` of ``x.y[0]``."""
    while isinstance(node, cst.Subscript | cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else None


def integer_in(node: cst.BaseExpression) -> int | None:
    """A whole number, as written, perhaps with a sign."""
    if isinstance(node, cst.Integer):
        return int(node.value, 0)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = integer_in(node.expression)
        return -inner if inner is not None else None
    return None


def as_path(code: str) -> str:
    """An expression as paths are written: one way to quote and to space."""
    try:
        return ast.unparse(ast.parse(code.strip(), mode="eval"))
    except SyntaxError:
        return code
