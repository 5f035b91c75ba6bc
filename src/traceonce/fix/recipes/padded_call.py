"""Calls whose first dimension varies are made with a few sizes: the last row is repeated, and the results are cut.

Rows that are computed each by itself come out the same. Whether they are, no recording tells: a run has to show it. So
this is proposed for what a library traces, and for a function of the user's own where a replay will try it.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import libcst as cst
import msgspec

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Change, Declined
from traceonce.fix.case import Case
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.homes import Home
from traceonce.fix.hoisting.placement import place, written
from traceonce.fix.recipes.library_report import site_of
from traceonce.fix.signatures.buckets import bucket, note_buckets, pad, varying_places
from traceonce.fix.signatures.leaves import top
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.framework_names import all_packages
from traceonce.fix.source.module import Module
from traceonce.fix.source.passed_arguments import Argument, Given, find_arguments
from traceonce.fix.source.wrappers import meaning
from traceonce.words.notes.common import ROWS_BY_THEMSELVES
from traceonce.words.notes.declined import NO_CALL_TO_PAD

NAME = "padded_call"
_HELPER = "_padded"
_POWERS = "1 << (size - 1).bit_length() if size else 0"


class Which(NamedTuple):
    """Which call of a line that leads into a library, and which of its arguments have the rows (None: all)."""

    outer: bool = False
    argument: int | None = 0


class _Call(NamedTuple):
    """A call to be padded; `batch` are the positions and keywords of the arguments whose first dimension varies."""

    module: Module
    call: cst.Call
    batch: tuple[int | str, ...]


_WHICH = (Which(), Which(argument=None), Which(argument=1), Which(outer=True))


def padded_calls(case: Case, helper: str) -> Iterator[Candidate]:
    """`helper` is the framework's code for `_padded`, with a place for the ``{full}`` size."""
    diagnosis = case.diagnosis
    if diagnosis.verdict.is_ignorable or not diagnosis.call_sites or CauseCode.SHAPE not in case.codes:
        return
    places = [place for place in varying_places(case.signatures) if place.axis == 0]
    if not places or not (diagnosis.function.library or case.makings):
        return
    # What was traced before anybody watched had other shapes: it serves nothing that is padded.
    events = [msgspec.structs.replace(event, earlier=()) for event in case.events]
    largest = max(size for place in places for size in place.sizes)
    paths = tuple(dict.fromkeys(top(place.path) for place in places))
    seen: set[int] = set()
    multiple = partial(_multiple, largest)
    for full, to in ((_POWERS, bucket), (f"-(-size // {largest}) * {largest}", multiple)):
        left = predict_traces(events, partial(pad, places=places, to=to))
        if left in seen or not largest:
            continue
        seen.add(left)
        code = helper.format(full=full)
        notes = (ROWS_BY_THEMSELVES(), *note_buckets(places, to))
        snippet = f"# {site_of(diagnosis)}: {_HELPER}(f, 0)(x) for f(x)\n{code}"
        own = not diagnosis.function.library  # what it returns itself has other sizes then
        for which in _WHICH[:1] if own else _WHICH:
            change = _change(case, code, paths, which)
            yield Candidate(NAME, "review", (CauseCode.SHAPE,), change, left, snippet, notes, untraced=own)


def _multiple(largest: int, size: int) -> int:
    return -(-size // largest) * largest


def _change(case: Case, code: str, paths: tuple[str, ...], which: Which) -> Change:
    def change(edits: Edits) -> None:
        names: dict[Module, str] = {}
        found = {each.call: each for each in _calls(case, edits, paths, which)}
        for module, call, batch in sorted(found.values(), key=_line):
            if module not in names:
                names[module] = fresh_name(module, _HELPER)
                outermost = next(each for each in (call, *module.ancestors(call)) if module.parent(each) is module.tree)
                new = edits.statements(module, code.replace(_HELPER, names[module]), call)
                place(edits, module, Home(outermost, module.tree), written(new))
            padded = edits.expression(
                module, f"{names[module]}(call, {', '.join(map(_quoted, batch))})", call, call=call.func
            )
            edits.replace(module, call.func, padded)

    return change


def _quoted(key: int | str) -> str:
    return f'"{key}"' if isinstance(key, str) else str(key)


def _line(call: _Call) -> tuple[str, int]:
    return call.module.file, call.module.line(call.call)


def _calls(case: Case, edits: Edits, paths: tuple[str, ...], which: Which) -> Iterator[_Call]:
    if not case.diagnosis.function.library:
        given: dict[cst.Call, list[Argument]] = {}
        for argument in (each for path in paths for each in find_arguments(case, edits, path)):
            given.setdefault(argument.call, []).append(argument)
        for call, arguments in given.items():
            yield _Call(arguments[0].module, call, tuple(_key(call, each.node) for each in arguments))
        return
    for seen in case.diagnosis.call_sites:
        module = edits.module(seen.file)
        found = _into_library(module, seen.line, which)
        known = [each for each in found.args if not _is_literal(each.value)] if found is not None else []
        chosen = known if which.argument is None else known[which.argument : which.argument + 1]
        if (
            found is None
            or not chosen
            or any(each.star for each in found.args)
            or (which.argument is None and len(known) == 1)
        ):
            raise Declined(NO_CALL_TO_PAD(place=f"{seen.file}:{seen.line}"))
        yield _Call(module, found, tuple(_key(found, each) for each in chosen))


def _key(call: cst.Call, argument: Given) -> int | str:
    """The position of an argument, or its keyword."""
    assert isinstance(argument, cst.Arg)
    return argument.keyword.value if argument.keyword is not None else [*call.args].index(argument)


def _into_library(module: Module, line: int, which: Which) -> cst.Call | None:
    """The one call on the line that may lead into a library with what varies; of two, one in the other, as asked."""
    here = [
        call
        for call in module.nodes(cst.Call)
        if module.place(call).start.line <= line <= module.place(call).end.line and _may_lead(module, call)
    ]
    inner = [call for call in here if not any(module.holds(call, other) for other in here if other is not call)]
    whole = [call for call in here if not any(module.holds(other, call) for other in here if other is not call)]
    found = whole if which.outer else inner
    return found[0] if len(found) == 1 and (not which.outer or inner != whole) else None


def _may_lead(module: Module, call: cst.Call) -> bool:
    """It gets more than literals, and is no builtin, none of NumPy or of a framework, and no function of this file."""
    if all(_is_literal(each.value) for each in call.args):
        return False
    packages = {name.partition(".")[0] for each in all_packages().values() for name in each.modules}
    if {name.partition(".")[0] for name in meaning(module, call.func)} & {"numpy", *packages}:
        return False
    if not isinstance(call.func, cst.Name):
        return True
    bound = binders_seen(module, call.func.value, call)
    theirs = not any(isinstance(each, cst.FunctionDef) for each in bound)
    return theirs and (bool(bound) or not hasattr(builtins, call.func.value))


def _is_literal(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.BaseNumber | cst.BaseString | cst.UnaryOperation) or (
        isinstance(value, cst.Name) and value.value in ("None", "True", "False")
    )
