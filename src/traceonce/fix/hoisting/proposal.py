"""A function that is wrapped again and again is wrapped once: it moves out of the loop, the function or the method.

1. It moves to the outermost place at which all that it reads means the same, with the helpers that it needs.
2. If it reads `self`, and nothing else that its method binds, the object keeps it.
3. If a function does nothing but make it from its parameters, that function remembers what it has made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from traceonce.facts import CauseCode, FunctionId, Note, TraceEvent
from traceonce.fix.candidate import Candidate, Change, Declined
from traceonce.fix.case import Case
from traceonce.fix.hoisting.relocation import (
    Movable,
    keep_on_instance,
    makes_a_value,
    movable_definition,
    movable_expression,
    move_out,
    plan,
    why_not,
)
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.compile_sites import find_creation
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.framework_names import source_of
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.scopes import scope_of
from traceonce.fix.source.wrappers import innermost_given, is_partial, meaning, wrapped_argument
from traceonce.frameworks.base.descriptor import Source
from traceonce.words.notes.common import CACHED_BY_ARGUMENTS, KEPT_BY_OBJECT, READS_ANOTHER
from traceonce.words.notes.declined import COMPILES_AN_OBJECT, DECORATED_NOT_FOUND, FACTORY_DOES_MORE, NOT_A_KEY


def propose(case: Case) -> Iterator[Candidate]:
    causes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.NEW_FUNCTION]
    function = case.diagnosis.function
    if not causes or function.library or function.loop:  # a loop of the framework's own wraps nothing
        return
    name = function.short_name if function.short_name.isidentifier() else "function"
    wrapped = _wrapped(function, name, source_of(case.diagnosis.backend))
    differs = next((cause.differs for cause in causes if cause.differs), ())

    def candidate(safety: Any, change: Change, left: int, snippet: str, *notes: Note) -> Candidate:
        return Candidate("hoist", safety, (CauseCode.NEW_FUNCTION,), change, left, snippet, notes)

    if not differs:
        left = predict_traces(case.events, one_object=True)
        target = name if wrapped.count("(") == 1 else f"traced_{name}"
        once = f"{target} = {wrapped}  # once, outside of loops and of functions that run again"
        yield candidate("safe", lambda edits: move_out(edits, find_movable(case, edits)), left, once)
        kept = f'if not hasattr(self, "_traced_{name}"):\n    self._traced_{name} = {wrapped}'
        yield candidate(
            "review",
            lambda edits: keep_on_instance(edits, find_movable(case, edits), "traced"),
            left,
            kept,
            KEPT_BY_OBJECT(),
        )
    made_alike = _replay_by_reads(case.events)
    if made_alike < case.diagnosis.traces:
        cached = f"{_CACHE}\ndef make_{name}(…):"
        yield candidate("review", lambda edits: _cache_factory(case, edits), made_alike, cached, CACHED_BY_ARGUMENTS())
    elif differs:
        notes = (READS_ANOTHER(names=differs),)
        yield Candidate("hoist", "advice", (CauseCode.NEW_FUNCTION,), notes=notes)


def _wrapped(function: FunctionId, name: str, source: Source) -> str:
    """The function as it is wrapped: of ``loss [grad]``, what makes one function of another stays around it."""
    package = source.wrapper.partition(".")[0]
    around = [f"{package}.{each}" for each in function.name.partition(" [")[2].removesuffix("]").split(", ")]
    for transform in reversed([each for each in around if each in source.transforms]):
        name = f"{transform}({name})"
    return f"{source.wrapper}({name})"


# Typed, for else 1, True and 1.0 are one key.
_CACHE = "@functools.lru_cache(maxsize=None, typed=True)"


def _replay_by_reads(events: Sequence[TraceEvent]) -> int:
    """The traces that are left if those objects are one that read the same values from outside."""
    reads: dict[int | None, str] = {}
    for event in events:
        if event.reads:
            reads.setdefault(event.object, repr(sorted(event.reads.items())))
    groups: dict[str, list[TraceEvent]] = {}
    for event in events:
        groups.setdefault(reads.get(event.object, ""), []).append(event)
    return sum(predict_traces(group, one_object=True) for group in groups.values())


def find_movable(case: Case, edits: Edits) -> Movable:
    creation = find_creation(case, edits)
    if creation.method:
        raise Declined(COMPILES_AN_OBJECT(code=creation.module.code(creation.node)))
    if isinstance(creation.node, cst.Decorator):
        if not isinstance(creation.definition, cst.FunctionDef):
            raise Declined(DECORATED_NOT_FOUND())
        return movable_definition(creation.module, creation.definition)
    name = _name_of_wrapped(creation.module, creation.node)
    return movable_expression(creation.module, creation.node, f"traced_{name}")


def _name_of_wrapped(module: Module, node: cst.Call) -> str:
    argument = wrapped_argument(node)
    value = innermost_given(module, argument.value) if argument is not None else None
    name = value.attr if isinstance(value, cst.Attribute) else value
    if isinstance(name, cst.Name):
        return name.value.strip("_") or "function"
    return "lambda" if isinstance(value, cst.Lambda) else "function"


def _cache_factory(case: Case, edits: Edits) -> None:
    made = find_movable(case, edits)
    module, reach = made.module, plan(made).reach
    factory = reach.barrier
    if not isinstance(factory, cst.FunctionDef) or isinstance(scope_of(module, factory), cst.ClassDef):
        raise Declined(why_not(module, reach))
    if factory.asynchronous is not None or not _only_makes(module, factory, made):
        raise Declined(FACTORY_DOES_MORE(name=factory.name.value), why_not(module, reach))
    for name in sorted(module.names_bound_in(factory)):
        if any(name in event.reads and not _is_hashable(event.reads[name]) for event in case.events):
            raise Declined(NOT_A_KEY(name=name))
    edits.add_import(module, "functools")
    cache = cst.Decorator(edits.expression(module, _CACHE.removeprefix("@")))
    edits.amend(module, factory, lambda node: node.with_changes(decorators=[cache, *node.decorators]))


def _only_makes(module: Module, factory: cst.FunctionDef, made: Movable) -> bool:
    """Does the function define things, and return what it made, and nothing else?"""
    if not isinstance(factory.body, cst.IndentedBlock):
        return False
    *body, last = factory.body.body
    if not isinstance(last, cst.SimpleStatementLine) or not isinstance(last.body[0], cst.Return):
        return False
    value = last.body[0].value
    returned = value is made.node or (isinstance(value, cst.Name) and value.value == made.name)
    return returned and all(_only_defines(module, statement, made) for statement in body)


def _only_defines(module: Module, statement: cst.CSTNode, made: Movable) -> bool:
    if isinstance(statement, cst.FunctionDef) or statement is made.statement:
        return True
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    calls = [node for node in walk(statement) if isinstance(node, cst.Call)]
    pure = all(
        is_partial(module, call.func) or any(makes_a_value(name) for name in meaning(module, call.func))
        for call in calls
    )
    return pure and all(isinstance(part, cst.Assign | cst.AnnAssign | cst.Expr) for part in statement.body)


def _is_hashable(text: str) -> bool:
    """Is this the text of a value that can be a key? Tensors, arrays, lists and dicts cannot."""
    try:
        hash(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError):
        return False
    return True
