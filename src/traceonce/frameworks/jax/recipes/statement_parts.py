"""Statements as parts of others: what they bind and read, whether they end, and new ones of names and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import libcst as cst

from traceonce.fix.source.edits import as_block
from traceonce.fix.source.module import walk
from traceonce.fix.source.names import bound_in, free_in

_ENDS = (cst.Return, cst.Raise)


def names_assigned(node: Any) -> set[str]:
    targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
    return {each.value for target in targets for each in walk(target) if isinstance(each, cst.Name)}


def outside_functions(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """The node and what is in it, but for what is in functions."""
    yield node
    if not isinstance(node, cst.FunctionDef | cst.Lambda):
        for child in node.children:
            yield from outside_functions(child)


def stores_elsewhere(node: cst.CSTNode) -> bool:
    """Does it assign an attribute, or an element?"""
    if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign | cst.NamedExpr):
        return any(isinstance(part, cst.Attribute | cst.Subscript) for part in walk(node.target))
    return False


def has_return(statement: cst.If) -> bool:
    return any(isinstance(node, cst.Return) for node in outside_functions(statement))


def always_ends(statements: Sequence[Any]) -> bool:
    """Does control never go past these statements?"""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, cst.SimpleStatementLine):
        return isinstance(last.body[-1], _ENDS)
    if isinstance(last, cst.If) and last.orelse is not None:
        other = [last.orelse] if isinstance(last.orelse, cst.If) else list(as_block(last.orelse.body).body)
        return always_ends(list(as_block(last.body).body)) and always_ends(other)
    return False


def only_part(statements: Sequence[Any]) -> Any:
    if len(statements) != 1 or not isinstance(statements[0], cst.SimpleStatementLine) or len(statements[0].body) != 1:
        return None
    return statements[0].body[0]


def names_bound(statements: Sequence[Any]) -> set[str]:
    return {name for statement in statements for name in bound_in(statement)}


def names_read(statements: Sequence[Any]) -> set[str]:
    return {node.value for statement in statements for node in walk(statement) if isinstance(node, cst.Name)} | {
        name for statement in statements for name in free_in(statement)
    }


def is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


_OPERATORS: Mapping[type[cst.CSTNode], Callable[[], cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract, cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide, cst.PowerAssign: cst.Power, cst.ModuloAssign: cst.Modulo,
    cst.FloorDivideAssign: cst.FloorDivide, cst.MatrixMultiplyAssign: cst.MatrixMultiply,
}  # fmt: skip


def value_added(part: cst.AugAssign) -> cst.BaseExpression | None:
    operator = _OPERATORS.get(type(part.operator))
    if operator is None:
        return None
    value = part.value
    if isinstance(value, cst.BinaryOperation | cst.IfExp | cst.UnaryOperation | cst.Comparison):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if not value.lpar else value
    return cst.BinaryOperation(left=part.target, operator=operator(), right=value)


def without_brackets(node: cst.BaseExpression) -> cst.BaseExpression:
    """Without the brackets that an `if` may have around its test."""
    return node.with_changes(lpar=[], rpar=[]) if len(node.lpar) == 1 and not isinstance(node, cst.Tuple) else node


def as_line(part: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([part])


def assignment_of(target: str, value: cst.BaseExpression) -> cst.Assign:
    parsed = cst.parse_expression(target)
    return cst.Assign(targets=[cst.AssignTarget(parsed)], value=value)  # type: ignore[arg-type]  # a name, or names


def return_of(names: Sequence[str]) -> cst.SimpleStatementLine:
    return as_line(cst.Return(cst.parse_expression(", ".join(names))))


def tuple_of(names: Sequence[str]) -> cst.BaseExpression:
    return cst.Name(names[0]) if len(names) == 1 else cst.parse_expression(f"({', '.join(names)})")


def parameters_of(names: Sequence[str]) -> cst.Parameters:
    return cst.Parameters(params=[cst.Param(cst.Name(name)) for name in names])


def first_in_block(statement: Any) -> Any:
    """The first statement of a block, without blank lines above it."""
    lines = [line for line in getattr(statement, "leading_lines", ()) if line.comment is not None]
    return statement.with_changes(leading_lines=lines)


def in_place_of(statement: Any, new: list[Any]) -> list[Any]:
    """The new statements, with the comments that stood above the old one, and a blank line behind functions."""
    first, *others = new
    lines = list(statement.leading_lines)
    if isinstance(first, cst.FunctionDef) and not lines:
        lines = [cst.EmptyLine(indent=False)]
    spaced = []
    after_function = isinstance(first, cst.FunctionDef)
    for each in others:
        needed = [cst.EmptyLine(indent=False)] if after_function or isinstance(each, cst.FunctionDef) else []
        spaced.append(each.with_changes(leading_lines=needed))
        after_function = isinstance(each, cst.FunctionDef)
    return [first.with_changes(leading_lines=lines), *spaced]
