"""Where a function that was seen in a run is defined."""

from __future__ import annotations

import libcst as cst

from traceonce.facts import FunctionId
from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, Module
from traceonce.words.notes.declined import DEFINITION_NOT_FOUND, DEFINITION_UNKNOWN


def find_definition(function: FunctionId, edits: Edits) -> tuple[Module, Function]:
    if function.file is None or function.line is None:
        raise Declined(DEFINITION_UNKNOWN())
    module = edits.module(function.file)
    definition = module.function_at(function.line, function.short_name)
    if definition is None:
        raise Declined(DEFINITION_NOT_FOUND(name=function.short_name, place=f"{function.file}:{function.line}"))
    return module, definition


def function_around(module: Module, line: int) -> list[cst.FunctionDef]:
    """The functions whose bodies hold the line, the innermost first."""
    around = [
        node
        for node in module.nodes(cst.FunctionDef)
        if module.place(node.body).start.line <= line <= module.place(node.body).end.line
    ]
    return around[::-1]  # in the order of the file, what holds another comes before it
