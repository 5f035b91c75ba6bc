"""What in a file stands for `tf.function`: under any name, with or without options."""

from __future__ import annotations

from typing import Literal, NamedTuple

import libcst as cst

from traceonce.fix.source.binders import binders_seen, imported_as
from traceonce.fix.source.module import Module
from traceonce.fix.source.scopes import is_label

_FUNCTION = {f"{package}.function" for package in ("tensorflow", "tensorflow.compat.v2", "tensorflow.compat.v1")} | {
    "tensorflow.python.eager.def_function.function",
    "tensorflow.python.eager.polymorphic_function.function",
}
_PARTIAL = {"functools.partial"}


class Wrapper(NamedTuple):
    """An expression that wraps functions. *free*: `tf.function` itself, options can still be given in a call.

    *bound*: what ``tf.function(jit_compile=True)`` returns; only a function can be given to it. `calls` are those in
    which options stand, the last one the outermost; `direct` says that they are part of the expression itself.
    """

    kind: Literal["free", "bound"]
    calls: tuple[cst.Call, ...] = ()
    direct: bool = True


def resolve_wrapper(module: Module, expression: cst.CSTNode, depth: int = 0) -> Wrapper | None:
    """What the expression wraps with, or None where it is not known to be `tf.function`."""
    if depth > 8:  # names that are assigned from each other
        return None
    if isinstance(expression, cst.Name | cst.Attribute):
        if meaning(module, expression) & _FUNCTION:
            return Wrapper("free")
        value = assigned_value(module, expression)
        found = resolve_wrapper(module, value, depth + 1) if value is not None else None
        return found._replace(direct=False) if found is not None else None
    if isinstance(expression, cst.Call):
        if is_partial(module, expression.func):
            found = resolve_wrapper(module, expression.args[0].value, depth + 1) if expression.args else None
            return found._replace(calls=(*found.calls, expression), direct=True) if found else None
        found = resolve_wrapper(module, expression.func, depth + 1)
        if found is not None and found.kind == "free" and wrapped_argument(expression) is None:
            return Wrapper("bound", (*found.calls, expression))
    return None


def wrapped_argument(call: cst.Call) -> cst.Arg | None:
    """The function that is given in ``tf.function(f, …)``."""
    for position, argument in enumerate(call.args):
        given = argument.keyword.value if argument.keyword is not None else None
        if given == "func" or (position == 0 and given is None and not argument.star):
            return None if isinstance(argument.value, cst.Name) and argument.value.value == "None" else argument
    return None


def is_partial(module: Module, expression: cst.CSTNode) -> bool:
    return bool(meaning(module, expression) & _PARTIAL)


def meaning(module: Module, expression: cst.CSTNode) -> set[str]:
    """The dotted names that a name or attribute may stand for, as imported: ``{'tensorflow.function'}``."""
    if isinstance(expression, cst.Attribute):
        return {f"{owner}.{expression.attr.value}" for owner in meaning(module, expression.value)}
    if not isinstance(expression, cst.Name):
        return set()
    return imported_as(binders_seen(module, expression.value, expression), expression.value)


def assigned_value(module: Module, expression: cst.CSTNode) -> cst.BaseExpression | None:
    """What the name was assigned, where that happens at one place only."""
    if not isinstance(expression, cst.Name):
        return None
    found = binders_seen(module, expression.value, expression)
    if len(found) != 1 or not isinstance(found[0], cst.AssignTarget) or not isinstance(found[0].target, cst.Name):
        return None
    statement = module.parent(found[0])
    return statement.value if isinstance(statement, cst.Assign) else None


def readers(module: Module, expression: cst.Name) -> list[cst.Name]:
    """Every place that reads the same variable as this name."""
    bound = binders_seen(module, expression.value, expression)
    return [
        node
        for node in module.nodes(cst.Name)
        if node.value == expression.value and _is_read(module, node) and binders_seen(module, node.value, node) == bound
    ]


def _is_read(module: Module, node: cst.Name) -> bool:
    binding = cst.AssignTarget | cst.Param | cst.FunctionDef | cst.ClassDef | cst.AsName
    return not is_label(module, node) and not isinstance(module.parent(node), binding)
