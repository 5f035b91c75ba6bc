"""The scopes of a file: whose names are those bound or read at a place?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from traceonce.fix.source.module import Function, Module

Scope: TypeAlias = cst.Module | cst.FunctionDef | cst.ClassDef
COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def scope_of(module: Module, node: cst.CSTNode) -> Scope:
    """The function, class or module among whose names a name that is bound at `node` is."""
    inner = node
    for outer in module.ancestors(node):
        if isinstance(outer, cst.FunctionDef | cst.ClassDef) and inner is outer.body:
            return outer
        inner = outer
    return module.tree


def scopes_around(module: Module, at: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The scopes in which a name read at `at` is looked up, from the innermost outwards."""
    inside, innermost = at, True
    for outer in module.ancestors(at):
        if isinstance(outer, Function):
            if inside is outer.body:
                yield outer
                innermost = False
        elif isinstance(outer, cst.ClassDef):
            if inside is outer.body and innermost:
                yield outer
                innermost = False
        elif isinstance(outer, (cst.Module, *COMPREHENSIONS)):
            yield outer
            innermost = False
        inside = outer


def method_of(module: Module, node: cst.CSTNode) -> tuple[cst.FunctionDef, cst.ClassDef] | None:
    """The method that holds `node` (not a static one), and its class."""
    for outer in module.ancestors(node):
        if isinstance(outer, cst.FunctionDef):
            owner = scope_of(module, outer)
            if isinstance(owner, cst.ClassDef):
                decorators = {module.code(decorator.decorator) for decorator in outer.decorators}
                plain = bool(outer.params.params) and not decorators & {"staticmethod", "classmethod"}
                return (outer, owner) if plain else None
    return None


def is_label(module: Module, node: cst.CSTNode) -> bool:
    """Is it no variable, but the `x` of ``a.x`` or of ``f(x=1)``?"""
    outer = module.parent(node)
    return (isinstance(outer, cst.Attribute) and outer.attr is node) or (
        isinstance(outer, cst.Arg) and outer.keyword is node
    )
