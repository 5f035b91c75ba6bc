"""A line that sets up the compiler, written once, above the place at which `torch.compile` is applied."""

from __future__ import annotations

import re

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.source.compile_sites import find_creation
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.frameworks.torch.words import HAS_OWN_SETTING


def set_up(case: Case, edits: Edits, setting: str, code: str) -> None:
    """Write ``setting = code`` before the top-level statement that applies `torch.compile`, or holds what does."""
    name = setting.rpartition(".")[2]
    for file in edits.sources:
        if _names(edits, file, name):
            raise Declined(HAS_OWN_SETTING(file=file, name=name))
    creation = find_creation(case, edits)
    module = creation.module
    statement = _at_top(module, creation.node)
    (new,) = edits.statements(module, f"{setting} = {code}", statement)
    assert isinstance(new, cst.SimpleStatementLine)
    if not isinstance(statement, cst.SimpleStatementLine):  # a definition keeps its distance
        edits.insert_before(module, statement, new.with_changes(leading_lines=[cst.EmptyLine(indent=False)]))
        return
    lines = list(statement.leading_lines)
    blank = next((at for at, line in enumerate(lines) if line.comment is not None), len(lines))
    edits.insert_before(module, statement, new.with_changes(leading_lines=lines[:blank]))
    edits.amend(module, statement, lambda node: node.with_changes(leading_lines=lines[blank:]))


def _names(edits: Edits, file: str, name: str) -> bool:
    """Does the code of the file name it, as an attribute or an argument? Texts and comments do not count."""
    if not re.search(rf"\b{name}\b".encode(), edits.sources[file]):
        return False
    module = edits.module(file)
    attributes = any(node.attr.value == name for node in module.nodes(cst.Attribute))
    return attributes or any(node.keyword is not None and node.keyword.value == name for node in module.nodes(cst.Arg))


def _at_top(module: Module, node: cst.CSTNode) -> cst.CSTNode:
    around = [node, *module.ancestors(node)]
    return around[[isinstance(each, cst.Module) for each in around].index(True) - 1]
