"""Running the code of a cell as IPython would: its own syntax, its own names, the source of the cell at hand."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """The code of a cell: its statements, and its last line where that is an expression, whose value is the cell's."""

    statements: list[CodeType]
    last: CodeType | None


def compile_cell(shell: Any, code: str, *, below: int = 0) -> Cell:
    """Compile the code under the number of the cell, so that tracebacks and reports find its lines.

    It begins `below` so many lines of the cell.
    """
    source = "\n" * below + shell.transform_cell(code)
    file = shell.compile.cache(source, shell.displayhook.prompt_count, raw_code=code)
    body = shell.transform_ast(shell.compile.ast_parse(source, file)).body
    shown = shell.ast_node_interactivity
    last = body.pop() if body and isinstance(body[-1], ast.Expr) and shown != "none" else None
    statements = [
        shell.compile(ast.Interactive([node]), file, "single")
        if shown == "all" and isinstance(node, ast.Expr)
        else shell.compile(ast.Module([node], []), file, "exec")
        for node in body
    ]
    return Cell(statements, shell.compile(ast.Expression(last.value), file, "eval") if last is not None else None)


def run_cell(shell: Any, cell: Cell) -> Any:
    """Run it among the user's variables; the result is the value of its last expression."""
    __tracebackhide__ = True
    for statement in cell.statements:
        exec(statement, shell.user_ns)
    return eval(cell.last, shell.user_ns) if cell.last is not None else None
