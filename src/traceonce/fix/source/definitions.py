"""Where a function that was seen in a run is defined."""

from __future__ import annotations

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
