"""Functions of the project in which a trace has failed, as a traceback names them."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, Module, walk
from traceonce.frameworks.tensorflow.dynamic_shapes.shape_expressions import shape_of


class Called(NamedTuple):
    """A function of the project by its qualified name; `number` tells several of that name in one file apart."""

    file: str
    name: str
    number: int = 0

    @property
    def short_name(self) -> str:
        return self.name.rpartition("<locals>.")[2]


def called_at(module: Module, line: int, name: str) -> Called | None:
    """The innermost function around a line of a traceback, which calls it `name`."""
    is_lambda = name == "<lambda>"
    found = [
        node
        for node in _functions(module)
        if isinstance(node, cst.Lambda) == is_lambda
        and module.place(node).start.line <= line <= module.place(node).end.line
    ]
    if not found:
        return None
    innermost = max(found, key=lambda node: module.line(node))
    qualified = _qualified(module, innermost)
    return Called(module.file, qualified, _of_that_name(module, qualified).index(innermost))


def find_called(module: Module, called: Called) -> Function | None:
    """The same function in another state of its file."""
    named = _of_that_name(module, called.name)
    return named[called.number] if called.number < len(named) else None


def reads_a_shape(module: Module, called: Called) -> bool:
    definition = find_called(module, called)
    return definition is not None and any(shape_of(node) is not None for node in walk(definition))


def asks_for_sizes(case: Case, edits: Edits) -> bool:
    """Does the body of the function read a shape, and take another way where a size is not known?"""
    function = case.diagnosis.function
    if function.file is None or function.file not in edits.sources:
        return False
    definition = edits.module(function.file).function_at(function.line or 0, function.short_name)
    parts = list(walk(definition)) if definition is not None else []
    reads = any(shape_of(part) is not None for part in parts)
    return reads and any(isinstance(part, cst.Is | cst.IsNot | cst.Or) for part in parts)


def _functions(module: Module) -> list[Function]:
    found: list[Function] = [*module.nodes(cst.FunctionDef), *module.nodes(cst.Lambda)]
    return sorted(found, key=lambda node: (module.place(node).start.line, module.place(node).start.column))


def _of_that_name(module: Module, qualified: str) -> list[Function]:
    return [node for node in _functions(module) if _qualified(module, node) == qualified]


def _qualified(module: Module, function: Function) -> str:
    """The name that Python gives it."""
    parts = [_name(function)]
    for outer in module.ancestors(function):
        if isinstance(outer, Function):
            parts += ["<locals>", _name(outer)]
        elif isinstance(outer, cst.ClassDef):
            parts.append(outer.name.value)
    return ".".join(reversed(parts))


def _name(function: Function) -> str:
    return function.name.value if isinstance(function, cst.FunctionDef) else "<lambda>"
