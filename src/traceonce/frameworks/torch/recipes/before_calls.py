"""Statements before a call of the function, about what the call is given.

What is given must have a name to speak of it. Where it has none, it gets one in a statement of its own before the call:
only where nothing that is done before it in the same statement would then be done after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.passed_arguments import Argument, find_arguments
from traceonce.frameworks.torch.words import DONE_BEFORE, NO_PLACE_BEFORE
from traceonce.words.notes.declined import LEFT_OUT_IN_SOME_CALLS

# What may stand around an argument: parts of it are done before it, or all of it after it, and always.
_AROUND = (
    cst.Arg,
    cst.Call,
    cst.Attribute,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Tuple,
    cst.List,
    cst.Element,
    cst.Subscript,
    cst.SubscriptElement,
    cst.Index,
    cst.FormattedString,
    cst.FormattedStringExpression,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Expr,
    cst.Return,
    cst.SimpleStatementLine,
)
_DOES_SOMETHING = (cst.Call, cst.Await, cst.Yield, cst.NamedExpr)


def say_before_calls(case: Case, edits: Edits, parameter: str, say: Callable[[str], str]) -> None:
    """Put statements before every call of the function; `say` writes them for the name of what is given."""
    arguments = find_arguments(case, edits, parameter)
    if len(arguments) < len(case.sites):
        raise Declined(LEFT_OUT_IN_SOME_CALLS(path=parameter))
    for argument in arguments:
        module, node = argument.module, argument.node.value
        statement = _statement(argument)
        if isinstance(node, cst.Name):
            edits.insert_before(module, statement, *edits.statements(module, say(node.value), statement))
        else:
            _name_and_say(edits, argument, statement, parameter, say)


def _statement(argument: Argument) -> cst.CSTNode:
    """The statement that makes the call; it must be one after which nothing is repeated."""
    module = argument.module
    statement = module.statement(argument.call)
    around = _between(module, argument.call, statement)
    if not isinstance(statement, cst.SimpleStatementLine) or not all(isinstance(each, _AROUND) for each in around):
        place = f"{module.file}:{module.line(argument.call)}"
        raise Declined(NO_PLACE_BEFORE(place=place))
    return statement


def _between(module: Module, node: cst.CSTNode, statement: cst.CSTNode) -> Iterable[cst.CSTNode]:
    for outer in module.ancestors(node):
        if outer is statement:
            return
        yield outer


def _name_and_say(
    edits: Edits, argument: Argument, statement: cst.CSTNode, wanted: str, say: Callable[[str], str]
) -> None:
    module, node = argument.module, argument.node.value
    place = f"{module.file}:{module.line(node)}"
    start = module.place(node).start
    for other in walk(statement):
        before = (module.place(other).start.line, module.place(other).start.column) < (start.line, start.column)
        if before and isinstance(other, _DOES_SOMETHING) and not module.holds(other, node):
            raise Declined(DONE_BEFORE(place=place, code=module.code(other), name=wanted))
    name = fresh_name(module, f"given_{wanted}")
    given = edits.statements(module, f"{name} = value", statement, value=node)
    edits.insert_before(module, statement, *given, *edits.statements(module, say(name), statement))
    edits.replace(module, node, cst.Name(name))
