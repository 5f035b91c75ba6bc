"""All changes of one candidate, over several files, applied at once.

Every place is looked up in the files as they were when the program ran, so that the spans that were seen still fit.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.source.framework_names import all_packages
from traceonce.fix.source.imports import add_import, free_name_for, is_imported, name_of
from traceonce.fix.source.module import Module
from traceonce.fix.source.names import free_in
from traceonce.frameworks.base.descriptor import Package
from traceonce.words.notes.declined import NO_PYTHON_THEN, OUTSIDE_OF_PROJECT, SAME_PLACE_TWICE

# Gets the node with all changes inside it made, and gives what stands there instead.
Rewrite: TypeAlias = Callable[[Any], Any]
# A new statement; a function is asked for it when everything before that place, and in it, has been changed.
New: TypeAlias = cst.BaseStatement | Callable[[], cst.BaseStatement]


_PARTIAL = Package(frozenset({"functools.partial"}), ("partial",))


class Edits:
    """What a candidate changes. A place can be replaced once; changes inside it, before and after it add up."""

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self._sources = sources
        self._changes: dict[str, _Changes] = {}

    @property
    def sources(self) -> Mapping[str, bytes]:
        """All files of the project, as they are."""
        return self._sources

    def module(self, file: str) -> Module:
        """The file, parsed."""
        if file not in self._sources:
            raise Declined(OUTSIDE_OF_PROJECT(file=file))
        return _parsed(file, self._sources[file])

    def replace(self, module: Module, node: cst.CSTNode, new: cst.CSTNode | Rewrite) -> None:
        """Put something else in the place of the node; a function gets the node with the inner changes made."""
        replaced = self._of(module).replaced
        if node in replaced:
            raise Declined(SAME_PLACE_TWICE())
        replaced[node] = new

    def remove(self, module: Module, node: cst.CSTNode) -> None:
        """Take the node out, with the comment right above it; what stands further above, after a blank line, stays."""
        self.replace(module, node, lambda _: cst.RemoveFromParent())
        stays = _not_attached(list(getattr(node, "leading_lines", ())))
        block = module.parent(node)
        if not stays or not isinstance(block, cst.Module | cst.IndentedBlock):
            return
        later = block.body[[each is node for each in block.body].index(True) + 1 :]
        if later:
            self.amend(module, later[0], lambda next_: _with_lines(next_, "leading_lines", stays))
        else:
            self.amend(module, block, lambda block_: _with_lines(block_, "footer", stays))

    def amend(self, module: Module, node: cst.CSTNode, rewrite: Rewrite) -> None:
        """Change the node by itself; unlike replacements, such changes of one place add up."""
        self._of(module).amended.setdefault(node, []).append(rewrite)

    def insert_before(self, module: Module, statement: cst.CSTNode, *new: New) -> None:
        self._of(module).before.setdefault(statement, []).extend(new)

    def insert_after(self, module: Module, statement: cst.CSTNode, *new: New) -> None:
        self._of(module).after.setdefault(statement, []).extend(new)

    def append(self, module: Module, block_owner: cst.FunctionDef | cst.ClassDef, *new: cst.BaseStatement) -> None:
        """Add statements at the end of its body."""

        def extend(body: cst.BaseSuite) -> cst.BaseSuite:
            block = as_block(body)
            return block.with_changes(body=[*block.body, *new])

        self.amend(module, block_owner.body, extend)

    def package(self, module: Module, usual: str, at: cst.CSTNode | None = None) -> str:
        """The name by which the file knows a package (where `at` stands); it is imported where there is none."""
        package = all_packages()[usual]
        name = name_of(module, package, at)
        if name is None:
            name = free_name_for(module, package)
            self._add(module, package.module if name == package.module else f"{package.module} as {name}")
        return name

    def add_import(self, module: Module, name: str) -> None:
        """Make ``import name`` true at the top of the file."""
        if not is_imported(module, name):
            self._add(module, name)

    def partial(self, module: Module, at: cst.CSTNode | None = None) -> str:
        """`functools.partial` as the file has it already, or else imported."""
        name = name_of(module, _PARTIAL, at)
        if name is None:
            self.add_import(module, "functools")
        return name or "functools.partial"

    def _add(self, module: Module, what: str) -> None:
        changes = self._of(module)
        if what not in changes.imported:
            changes.imported.append(what)

    def expression(
        self, module: Module, code: str, /, at: cst.CSTNode | None = None, **parts: cst.BaseExpression
    ) -> cst.BaseExpression:
        """Code of ours, written with the usual names of packages, in the file's own words.

        A name in `parts` stands for an expression of the user's, which is put there as it is.
        """
        return _typed(self._adapt(module, cst.parse_expression(code), at, parts))

    def statements(
        self, module: Module, code: str, /, at: cst.CSTNode | None = None, **parts: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """Likewise for statements, with comments above them."""
        parsed = cst.parse_module(textwrap.dedent(code).rstrip() + "\n")
        body = list(parsed.body)
        if body and parsed.header:
            body[0] = body[0].with_changes(leading_lines=[*parsed.header, *body[0].leading_lines])
        return [self._adapt(module, statement, at, parts) for statement in body]

    def _adapt(self, module: Module, node: Any, at: cst.CSTNode | None, parts: Mapping[str, cst.BaseExpression]) -> Any:
        renamed: dict[str, cst.BaseExpression] = dict(parts)
        for usual in all_packages().keys() & free_in(node) - parts.keys():
            renamed[usual] = cst.Name(self.package(module, usual, at))
        return node.visit(_Fill(renamed)) if renamed else node

    def results(self) -> dict[str, bytes]:
        """The files that changed, as they are to be."""
        found = {}
        for file, changes in self._changes.items():
            module = changes.module
            after = changes.apply()
            try:
                ast.parse(after)
            except (SyntaxError, ValueError, RecursionError) as error:
                raise Declined(NO_PYTHON_THEN(file=file, error=str(error))) from None
            data = module.encode(after)
            if data != module.source:
                found[file] = data
        return found

    def _of(self, module: Module) -> _Changes:
        return self._changes.setdefault(module.file, _Changes(module))


class _Changes:
    """The changes of one file."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.replaced: dict[cst.CSTNode, Any] = {}
        self.amended: dict[cst.CSTNode, list[Rewrite]] = {}
        self.before: dict[cst.CSTNode, list[New]] = {}
        self.after: dict[cst.CSTNode, list[New]] = {}
        self.imported: list[str] = []

    def apply(self) -> str:
        self._check()
        after = self.module.tree.visit(_Apply(self))
        assert isinstance(after, cst.Module)
        for what in self.imported:
            after = add_import(after, what)
        return after.code

    def _check(self) -> None:
        """A fixed replacement would silently drop what another change does inside it."""
        places = [*self.replaced, *self.amended, *self.before, *self.after]
        for outer, new in self.replaced.items():
            if isinstance(new, cst.CSTNode) and any(
                ancestor is outer for place in places for ancestor in self.module.ancestors(place)
            ):
                raise Declined(SAME_PLACE_TWICE())


class _Apply(cst.CSTTransformer):
    def __init__(self, changes: _Changes) -> None:
        super().__init__()
        self.changes = changes

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        node: Any = updated_node
        for rewrite in self.changes.amended.get(original_node, ()):
            node = rewrite(node)
        if original_node in self.changes.replaced:
            new = self.changes.replaced[original_node]
            node = new(node) if callable(new) else new
        before = [new() if callable(new) else new for new in self.changes.before.get(original_node, ())]
        after = [new() if callable(new) else new for new in self.changes.after.get(original_node, ())]
        if not before and not after:
            return node
        if isinstance(original_node, cst.SimpleStatementSuite):
            block = as_block(node)
            return block.with_changes(body=[*before, *block.body, *after])
        kept = [] if isinstance(node, cst.RemovalSentinel) else [node]
        kept = list(node.nodes) if isinstance(node, cst.FlattenSentinel) else kept
        return cst.FlattenSentinel([*before, *kept, *after])


class _Fill(cst.CSTTransformer):
    """Puts expressions in the place of names, with brackets where they need them."""

    def __init__(self, parts: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.parts = parts
        self._alone: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _ALONE_IN) and node.value:
            self._alone.add(node.value)
        return super().on_visit(node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        part = self.parts.get(original_node.value)
        if part is None:
            return updated_node
        return part if original_node in self._alone and not isinstance(part, _LOOSE) else _in_brackets(part)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


_ALONE_IN = cst.Arg | cst.Element | cst.DictElement | cst.Assign | cst.Return | cst.Expr
_LOOSE = (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)  # may stand without brackets at a few places only
_TIGHT = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.BaseString)
_BRACKETED = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.SetComp, cst.DictComp)


def _in_brackets(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression such that it can stand anywhere."""
    if node.lpar or isinstance(node, (*_TIGHT, *_BRACKETED)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def as_block(body: cst.BaseSuite) -> cst.IndentedBlock:
    """A body on lines of its own."""
    if isinstance(body, cst.SimpleStatementSuite):
        line = cst.SimpleStatementLine(body=body.body, trailing_whitespace=body.trailing_whitespace)
        return cst.IndentedBlock(body=[line])
    assert isinstance(body, cst.IndentedBlock)
    return body


def _not_attached(lines: list[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The lines above a statement, without those that stand right above it; nothing where they are all blank."""
    while lines and lines[-1].comment is not None:
        lines.pop()
    return lines if any(line.comment is not None for line in lines) else []


def _with_lines(node: Any, where: str, lines: list[cst.EmptyLine]) -> Any:
    return node.with_changes(**{where: [*lines, *getattr(node, where)]})


@functools.lru_cache(maxsize=64)  # every candidate looks at the same files
def _parsed(file: str, source: bytes) -> Module:
    return Module(file, source)


def _typed(node: Any) -> cst.BaseExpression:
    assert isinstance(node, cst.BaseExpression)
    return node
