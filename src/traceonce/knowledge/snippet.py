"""A trial as code that runs as it is: its body, below the imports and definitions of the module that it uses.

1.  Imports stand first, then definitions, each in the order of the module; only those that are used, or that a used
    definition uses.
2.  The body stands flat, without a docstring, and without the `return` that hands the outputs to the experiment. The
    argument of a trial with cases, where it is used, is set to the first of them, and a comment names the others.
3.  A body that is no module by itself (it returns early, or declares a global) stays a function, and is called.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import textwrap
from collections.abc import Iterator

_FUNCTION = "example"  # what a body that stays a function is called


def snippet(node: ast.FunctionDef, cases: tuple[str, ...], tree: ast.Module, source: str) -> str:
    """The code of a trial. An empty body stays empty."""
    statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not statements:
        return ""
    used = _used(_needed(node, source), tree)
    imports = [part for part in used if isinstance(part, ast.Import | ast.ImportFrom)]
    definitions = [part for part in used if part not in imports]
    above = ["\n".join(_text(part, source) for part in imports), *_groups(definitions, source)]
    flat = _joined([*above, _flat(node, statements, cases, source)])
    return flat if _is_module(flat) else _joined([*above, _called(node, statements, cases, source)])


def _joined(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _flat(node: ast.FunctionDef, statements: list[ast.stmt], cases: tuple[str, ...], source: str) -> str:
    start = _first_line(statements[0])
    lines = source.splitlines()[start - 1 : node.end_lineno]
    last = statements[-1]
    if isinstance(last, ast.Return):
        lines[last.lineno - start] = lines[last.lineno - start].replace("return ", "", 1)
    body = textwrap.dedent("\n".join(lines))
    argument = node.args.args[0].arg if node.args.args else ""
    if not any(isinstance(part, ast.Name) and part.id == argument for part in ast.walk(node)):
        return body
    others = f"  # or {', '.join(map(_quoted, cases[1:]))}" if cases[1:] else ""
    return f"{argument} = {_quoted(cases[0])}{others}\n\n{body}"


def _called(node: ast.FunctionDef, statements: list[ast.stmt], cases: tuple[str, ...], source: str) -> str:
    body = "\n".join(source.splitlines()[_first_line(statements[0]) - 1 : node.end_lineno])
    argument = node.args.args[0].arg if node.args.args else ""
    call = f"print({_FUNCTION}({argument}))"
    if argument:
        call = f"for {argument} in [{', '.join(map(_quoted, cases))}]:\n    {call}"
    return f"def {_FUNCTION}({argument}):\n{body}\n\n{call}"


def _is_module(code: str) -> bool:
    try:
        compile(code, "<snippet>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _needed(node: ast.FunctionDef, source: str) -> set[str]:
    """The names that the function takes from its module."""
    tables = symtable.symtable(source, "<experiment>", "exec").get_children()
    table = next(table for table in tables if table.get_name() == node.name)
    return {name for name in _globals_of(table) if not hasattr(builtins, name)}


def _globals_of(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
    for child in table.get_children():
        yield from _globals_of(child)


def _used(names: set[str], tree: ast.Module) -> list[ast.stmt]:
    """The statements of the module that make these names, and those that the statements use."""
    made = {name: part for part in tree.body for name in _names_made(part)}
    found: set[str] = set()
    left = {name for name in names if name in made}
    while left:
        found |= left
        read = {part.id for name in left for part in ast.walk(made[name]) if isinstance(part, ast.Name)}
        left = {name for name in read if name in made} - found
    kept = {id(made[name]) for name in found}
    return [part for part in tree.body if id(part) in kept]


def _names_made(part: ast.stmt) -> Iterator[str]:
    if isinstance(part, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in part.names)
    elif isinstance(part, ast.FunctionDef | ast.ClassDef):
        yield part.name
    elif isinstance(part, ast.Assign | ast.AnnAssign):
        targets = part.targets if isinstance(part, ast.Assign) else [part.target]
        yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def _groups(definitions: list[ast.stmt], source: str) -> Iterator[str]:
    """Assignments that follow each other stand together, functions and classes apart."""
    together: list[str] = []
    for part in definitions:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield from filter(None, ["\n".join(together), _text(part, source)])
            together = []
        else:
            together.append(_text(part, source))
    yield "\n".join(together)


def _text(part: ast.stmt, source: str) -> str:
    return "\n".join(source.splitlines()[_first_line(part) - 1 : part.end_lineno])


def _first_line(part: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(part, "decorator_list", [])
    return min(part.lineno, *(decorator.lineno for decorator in decorators)) if decorators else part.lineno


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
