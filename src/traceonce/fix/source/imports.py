"""What a file imports under which name, and where a new import goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.source.binders import Imported, all_names, binders, imported_by
from traceonce.fix.source.framework_names import all_packages
from traceonce.fix.source.module import Function, Module
from traceonce.frameworks.base.descriptor import Package
from traceonce.words.notes.declined import NAME_MEANS_OTHERWISE, USUAL_NAMES_TAKEN


@cache
def _imported_last() -> frozenset[str]:
    """Packages of frameworks, which are imported after all the others."""
    return frozenset(package.module.partition(".")[0] for package in all_packages().values())


def imported(module: Module) -> Iterator[Imported]:
    """Every name that some import in the file binds, at whatever place."""
    for plain in module.nodes(cst.Import):
        yield from imported_by(plain)
    for node in module.nodes(cst.ImportFrom):
        yield from imported_by(node)


def name_of(module: Module, package: Package, at: cst.CSTNode | None = None) -> str | None:
    """A name that means the package, and nothing else, where `at` stands (or anywhere in the file)."""
    for found in imported(module):
        if found.what in package.modules and _only_means(module, found) and _is_seen(module, found.statement, at):
            return found.name
    return None


def free_name_for(module: Module, package: Package) -> str:
    """The name under which to import the package anew."""
    taken = all_names(module) - {found.name for found in imported(module) if _means(module, package, found)}
    for name in package.names:
        if name not in taken:
            return name
    raise Declined(USUAL_NAMES_TAKEN(module=package.module, file=module.file))


def is_imported(module: Module, name: str) -> bool:
    """Does ``import name`` stand at the top already? Declined where the name means something else."""
    root = name.partition(".")[0]
    for found in imported(module):
        if found.name != root or not isinstance(found.statement, cst.Import):
            continue
        exact = any(alias.evaluated_name == name and not alias.evaluated_alias for alias in found.statement.names)
        if exact and _only_means(module, found) and _is_seen(module, found.statement, None):
            return True
    others = [binder for binder in binders(module, root) if not _imports_package(binder, root)]
    if others:
        line = module.line(others[0])
        raise Declined(NAME_MEANS_OTHERWISE(name=root, file=module.file, line=line))
    return False


def add_import(tree: cst.Module, what: str) -> cst.Module:
    """``import what`` at the top: beside what is imported already, after docstring and `__future__`."""
    body = list(tree.body)
    place = _place_for(body, what.split()[0])
    statement = cst.ensure_type(cst.parse_statement(f"import {what}"), cst.SimpleStatementLine)
    beside = place > 0 and _is_import(body[place - 1]) and not _is_future(body[place - 1])
    if place < len(body) and not beside:
        follower = body[place]
        lines = list(follower.leading_lines)
        blank = next((number for number, line in enumerate(lines) if line.comment is not None), len(lines))
        if _is_import(follower):  # the blank lines above the first import stay above the first import
            statement = statement.with_changes(leading_lines=lines[:blank])
            body[place] = follower.with_changes(leading_lines=lines[blank:])
        else:
            statement = statement.with_changes(leading_lines=_blank_lines(min(place, 1)))
            wanted = 2 if isinstance(follower, cst.FunctionDef | cst.ClassDef) else 1
            body[place] = follower.with_changes(leading_lines=[*_blank_lines(wanted - blank), *lines])
    body.insert(place, statement)
    return tree.with_changes(body=body)


def _blank_lines(count: int) -> list[cst.EmptyLine]:
    return [cst.EmptyLine(indent=False)] * count


def _place_for(body: Sequence[cst.CSTNode], what: str) -> int:
    package, _, part = what.partition(".")
    first_definition = next(
        (i for i, node in enumerate(body) if isinstance(node, cst.FunctionDef | cst.ClassDef)), len(body)
    )
    top = [i for i, node in enumerate(body[:first_definition]) if _is_import(node) and not _is_future(node)]
    # What precedes an import of the package (settings in os.environ) must stay before it.
    same = [i for i in top if package in _packages_of(body[i])]
    if same:
        return same[0] + 1 if part else same[0]
    start = 0
    for i, node in enumerate(body):
        if (i == 0 and _is_docstring(node)) or _is_future(node):
            start = i + 1
    if package in _imported_last():
        return top[-1] + 1 if top else start
    plain = [i for i in top if _is_plain_import(body[i])]
    for i in plain:
        if min(_packages_of(body[i]), default="") > package:
            return i
        if i + 1 not in plain:  # the end of the first group of imports
            return i + 1
    return top[0] if top else start


def _is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _is_plain_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import)


def _is_future(node: cst.CSTNode) -> bool:
    return _is_import(node) and "__future__" in _packages_of(node)


def _is_docstring(node: cst.CSTNode) -> bool:
    return (
        isinstance(node, cst.SimpleStatementLine)
        and isinstance(node.body[0], cst.Expr)
        and isinstance(node.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def _packages_of(node: cst.CSTNode) -> set[str]:
    if not isinstance(node, cst.SimpleStatementLine):
        return set()
    return {
        found.what.partition(".")[0]
        for part in node.body
        if isinstance(part, cst.Import | cst.ImportFrom)
        for found in imported_by(part)
    }


# ---- whether a name means what it seems to


def _is_seen(module: Module, statement: cst.CSTNode, at: cst.CSTNode | None) -> bool:
    """Is what the statement binds there to be used at `at`? Without `at`: anywhere in the file."""
    for outer in module.ancestors(statement):
        if isinstance(outer, cst.FunctionDef):
            return at is not None and module.holds(outer.body, at) and module.line(statement) < module.line(at)
        if isinstance(outer, cst.ClassDef | cst.If | cst.ExceptHandler | cst.For | cst.While | cst.Finally):
            return False  # perhaps it never runs
    return at is None or _runs_later(module, at) or module.line(statement) < module.line(at)


def _runs_later(module: Module, at: cst.CSTNode) -> bool:
    """Does `at` stand in the body of a function, which runs when the whole file was read?"""
    return any(isinstance(outer, Function) and module.holds(outer.body, at) for outer in module.ancestors(at))


def _only_means(module: Module, found: Imported) -> bool:
    """Is the name bound to nothing else in the file, apart from a fallback for where the import fails?"""
    return all(
        _imports(binder, found.name, {found.what}) or _is_fallback(module, binder, found)
        for binder in binders(module, found.name)
    )


def _means(module: Module, package: Package, found: Imported) -> bool:
    return found.what in package.modules and _only_means(module, found)


def _is_fallback(module: Module, binder: cst.CSTNode, found: Imported) -> bool:
    """``try: import package as name`` ``except ImportError: name = None``: it ran with the package."""
    handler = next((outer for outer in module.ancestors(binder) if isinstance(outer, cst.ExceptHandler)), None)
    attempt = module.parent(handler) if handler is not None else None
    return isinstance(attempt, cst.Try) and module.holds(attempt.body, found.statement)


def _imports(binder: cst.CSTNode, name: str, whats: set[str]) -> bool:
    return isinstance(binder, cst.Import | cst.ImportFrom) and all(
        found.what in whats for found in imported_by(binder) if found.name == name
    )


def _imports_package(binder: cst.CSTNode, root: str) -> bool:
    return _imports(binder, root, {root})
