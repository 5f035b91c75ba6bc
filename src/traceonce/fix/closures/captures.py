"""A function that is made again since it reads names of the code around it gets them as arguments, and is made once.

A call gives them by keyword; where the function is not called but handed on, a partial takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.closures.parameters import with_parameter
from traceonce.fix.hoisting.homes import needed_at_once
from traceonce.fix.hoisting.relocation import Movable, move_out, plan, why_not
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.keywords import with_keyword
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.scopes import is_label
from traceonce.fix.source.wrappers import readers
from traceonce.words.notes.declined import ASSIGNED_INSIDE, NOTHING_TO_PASS, READ_BY_HELPERS

MOST = 8  # names


def captured_names(thing: Movable) -> tuple[str, ...]:
    """The names that keep the function where it is: those of every function and loop around it that it reads."""
    passed: list[str] = []
    reach = plan(thing).reach
    while reach.barrier is not None:
        if isinstance(reach.barrier, cst.ClassDef) or not reach.names or len(passed) > MOST:
            raise Declined(why_not(thing.module, reach))
        passed += sorted(reach.names)
        reach = plan(thing, passed).reach
    if not passed:
        raise Declined(NOTHING_TO_PASS(name=thing.name))
    return tuple(passed)


def move_out_with_arguments(edits: Edits, thing: Movable, template_for: Callable[[str], str]) -> None:
    """Make the function once. `template_for` says how a name is passed: ``value``, or code around it."""
    module, definition = thing.module, thing.node
    if not isinstance(definition, cst.FunctionDef):
        raise Declined(NOTHING_TO_PASS(name=thing.name))
    passed = captured_names(thing)
    _check(thing, definition, passed)
    for use in readers(module, definition.name):
        if not module.holds(definition, use):
            _give(edits, module, use, {name: template_for(name) for name in passed})

    def with_all(parameters: cst.Parameters) -> cst.Parameters:
        for name in passed:
            parameters = with_parameter(parameters, name)
        return parameters

    edits.amend(module, definition.params, with_all)
    move_out(edits, thing, passed=passed)


def reads_of(module: Module, node: cst.CSTNode, name: str) -> list[cst.Name]:
    """Where the code reads a name that it does not bind itself."""
    bound = binders_seen(module, name, node)
    return [
        part
        for part in walk(node)
        if isinstance(part, cst.Name)
        and part.value == name
        and not is_label(module, part)
        and binders_seen(module, name, part) == bound
    ]


def _check(thing: Movable, definition: cst.FunctionDef, passed: Collection[str]) -> None:
    """The names are read by the function alone, when it is called, and are not set in it."""
    module = thing.module
    stored = {item.name.value for node in walk(definition) if isinstance(node, cst.Nonlocal) for item in node.names}
    if {"self", "cls"} & {*passed}:  # what is called takes its own `self` by that name
        raise Declined(ASSIGNED_INSIDE(path="self"))
    for name in passed:
        if name in stored or name in module.names_bound_in(definition):
            raise Declined(ASSIGNED_INSIDE(path=name))
        if name in needed_at_once(definition):
            raise Declined(ASSIGNED_INSIDE(path=name))
    if any(set(passed) & module.free_names(helper) for helper in plan(thing, passed).helpers):
        raise Declined(READ_BY_HELPERS(names=sorted(passed)))


def _give(edits: Edits, module: Module, use: cst.Name, templates: dict[str, str]) -> None:
    values = {
        name: edits.expression(module, template, use, value=cst.Name(name)) for name, template in templates.items()
    }
    call = module.parent(use)
    if isinstance(call, cst.Call) and call.func is use:
        edits.amend(module, call, lambda node: _with_keywords(node, values))
        return
    edits.add_import(module, "functools")
    partial = edits.expression(module, f"functools.partial({use.value})")
    edits.replace(module, use, _with_keywords(partial, values))


def _with_keywords(call: Any, values: dict[str, cst.BaseExpression]) -> cst.Call:
    for name, value in values.items():
        call = with_keyword(call, name, value)
    assert isinstance(call, cst.Call)
    return call
