"""Where a function that was seen in a run is defined."""

from __future__ import annotations

from traceonce.facts import FunctionId
from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, Module


def find_definition(function: FunctionId, edits: Edits) -> tuple[Module, Function]:
    if function.file is None or function.line is None:
        raise Declined("it is not known where it is defined")
    module = edits.module(function.file)
    definition = module.function_at(function.line, function.short_name)
    if definition is None:
        raise Declined(f"{function.short_name} was not found in {function.file}:{function.line}")
    return module, definition
