"""What a function that is to move out closes over: which of it is passed, which moves along, which becomes a part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.homes import Home, find_home, needed_at_once
from traceonce.fix.hoisting.relocation import sole_function, sole_making, uses, value_of, why_not
from traceonce.fix.source.compile_sites import Creation
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.names import free_in
from traceonce.fix.source.scopes import method_of, scope_of
from traceonce.fix.source.wrappers import is_partial, meaning, wrapped_argument
from traceonce.words.notes.declined import AT_THE_TOP_ALREADY, CANNOT_PASS_CAPTURED, DECORATED_NOT_FOUND


class Core(NamedTuple):
    """What is wrapped, at the end of all transformations: a definition, a lambda, or a function of another place.

    `wrapping` is the call that wraps it; None for a decorator. `partials` bind arguments of it, the outermost first;
    `maps` map over the axes of all arguments, so that what is passed must be by position, and is exempt.
    """

    module: Module
    function: Function | None
    wrapping: cst.Call | None
    partials: tuple[cst.Call, ...] = ()
    maps: tuple[cst.Call, ...] = ()


class Captured(NamedTuple):
    """What it reads of the loops and functions that it leaves; `home` is where it goes.

    `names` become parameters of the same name, `attributes` of `myself` those of theirs; where the
    object itself is passed, that is the parameter `owner`. `inside` are helpers that
    become a part of it, `along` those that move with it.
    """

    home: Home
    names: tuple[str, ...]
    myself: str | None
    owner: str | None
    attributes: tuple[str, ...]
    inside: tuple[Any, ...]
    along: tuple[Any, ...]


def find_core(creation: Creation, transparent: frozenset[str], mapping: frozenset[str] = frozenset()) -> Core:
    module = creation.module
    if isinstance(creation.node, cst.Decorator):
        if not isinstance(creation.definition, cst.FunctionDef):
            raise Declined(DECORATED_NOT_FOUND())
        return Core(module, creation.definition, None)
    argument = wrapped_argument(creation.node)
    if argument is None:
        raise Declined(CANNOT_PASS_CAPTURED())
    value, partials, transformed = argument.value, list[cst.Call](), False
    maps: list[cst.Call] = []
    while isinstance(value, cst.Call) and value.args and not value.args[0].star:
        if is_partial(module, value.func):
            positional = any(each.keyword is None for each in value.args[1:])
            if positional and (transformed or partials):  # a transformation counts arguments by their position
                raise Declined(CANNOT_PASS_CAPTURED())
            partials.append(value)
        elif meaning(module, value.func) & transparent:
            transformed = True
        elif meaning(module, value.func) & mapping and len(value.args) == 1:
            transformed = True
            maps.append(value)
        else:
            raise Declined(CANNOT_PASS_CAPTURED())
        value = value.args[0].value
    function: Function | None = None
    if isinstance(value, cst.Lambda):
        function = value
    elif isinstance(value, cst.Name):
        definition = sole_function(module, value, value.value)
        if isinstance(definition, cst.FunctionDef) and not isinstance(scope_of(module, definition), cst.ClassDef):
            function = (
                definition if scope_of(module, definition) is not module.tree or _in_loop(module, definition) else None
            )
    if maps and (partials or function is None or not _is_plain(function)):
        raise Declined(CANNOT_PASS_CAPTURED())
    return Core(module, function, creation.node, tuple(partials), tuple(maps))


def _is_plain(function: Function) -> bool:
    """Are all its parameters given by position, and none left out?"""
    parameters = function.params
    others = (parameters.star_arg, parameters.star_kwarg, parameters.kwonly_params)
    listed = (*parameters.posonly_params, *parameters.params)
    return not any(isinstance(each, cst.Param) or (isinstance(each, tuple | list) and each) for each in others) and all(
        each.default is None for each in listed
    )


def _in_loop(module: Module, node: cst.CSTNode) -> bool:
    return any(isinstance(outer, cst.For | cst.While) for outer in module.ancestors(node))


def find_captured(core: Core, *, nearest: bool, movable: Collection[str] = (), whole: bool = False) -> Captured:
    """How far out it can go, and what has to be passed to it there; `whole`: objects as they are, not by attributes."""
    module = core.module
    parts = [*_parts(core)]
    own = {core.function.name.value} if isinstance(core.function, cst.FunctionDef) else set[str]()
    node = core.wrapping or core.function
    assert node is not None
    helpers: list[Any] = []
    captured: set[str] = set()
    passed = 0
    while True:
        pieces = [*map(value_of, helpers), *parts]
        known = own | {_name_of(helper) for helper in helpers}
        reads = {name for piece in pieces for name in free_in(piece)} - known - captured
        needs = {name for piece in pieces for name in needed_at_once(piece)} - known
        if needs & captured:
            raise Declined(CANNOT_PASS_CAPTURED())
        reach = find_home(module, node, reads, needs)
        if reach.barrier is None or (nearest and passed and reach.home is not None):
            break
        if not reach.names or isinstance(reach.barrier, cst.ClassDef):
            raise Declined(why_not(module, reach))
        more = False
        for name in sorted(reach.names):
            helper = sole_function(module, node, name) or (sole_making(module, node, name) if name in movable else None)
            if helper is not None and all(helper is not each for each in helpers):
                helpers.append(helper)
                more = True
            else:
                captured.add(name)
        passed += not more
    if reach.home is None:
        raise Declined(AT_THE_TOP_ALREADY())
    inside, along = _divide(helpers, captured)
    method = method_of(module, node)
    myself = method[0].params.params[0].name.value if method is not None else None
    attributes: tuple[str, ...] = ()
    owner: str | None = None
    if whole and (method is None or myself not in captured):
        raise Declined(CANNOT_PASS_CAPTURED())
    if method is not None and whole:
        captured.discard(method[0].params.params[0].name.value)
        owner = fresh_name(module, method[1].name.value.strip("_").lower())
    elif myself in captured:
        assert myself is not None
        captured.discard(myself)
        attributes = _attributes(module, [*parts, *map(value_of, inside)], myself)
        if set(attributes) & captured:
            raise Declined(CANNOT_PASS_CAPTURED())
    else:
        myself = None
    return Captured(reach.home, tuple(sorted(captured)), myself, owner, attributes, tuple(inside), tuple(along))


def _parts(core: Core) -> Iterable[cst.CSTNode]:
    """What moves; of a partial not what it binds, which stays."""
    if isinstance(core.function, cst.FunctionDef):
        yield core.function
    if core.wrapping is not None:
        whole: Any = core.wrapping
        for call in core.partials:
            whole = whole.deep_replace(call, call.args[0].value)
        yield whole


def _name_of(statement: Any) -> str:
    name = statement.name if isinstance(statement, cst.FunctionDef) else statement.body[0].targets[0].target
    return str(name.value)


def _divide(helpers: Sequence[Any], captured: set[str]) -> tuple[list[Any], list[Any]]:
    """The helpers that read what is passed, themselves or through another one; and the others."""
    tainted, inside = set(captured), list[Any]()
    while True:
        more = [each for each in helpers if each not in inside and free_in(value_of(each)) & tainted]
        if not more:
            return inside, [each for each in helpers if each not in inside]
        inside += more
        tainted |= {_name_of(each) for each in more}


def _attributes(module: Module, parts: Sequence[cst.CSTNode], myself: str) -> tuple[str, ...]:
    """The attributes of `self` that are read, where nothing else is done with it."""
    found: dict[str, None] = {}
    for part in parts:
        owned = {
            id(node.value) for node in walk(part) if isinstance(node, cst.Attribute) and is_attribute(node, myself)
        }
        called = {id(node.func) for node in walk(part) if isinstance(node, cst.Call)}
        for node in walk(part):
            if isinstance(node, cst.Name) and node.value == myself and id(node) not in owned:
                raise Declined(CANNOT_PASS_CAPTURED())
            if is_attribute(node, myself):
                if id(node) in called or isinstance(module.parent(node), cst.AssignTarget | cst.AugAssign | cst.Del):
                    raise Declined(CANNOT_PASS_CAPTURED())
                found[node.attr.value] = None  # type: ignore[attr-defined]  # it is an attribute
    return tuple(found)


def read_of_object(core: Core, captured: Captured) -> set[str]:
    """The attributes and methods that are read of the object that is passed as it is."""
    pieces = [*_parts(core), *map(value_of, captured.inside)]
    return {
        node.attr.value
        for piece in pieces
        for node in walk(piece)
        if isinstance(node, cst.Attribute) and captured.myself is not None and is_attribute(node, captured.myself)
    }


def is_attribute(node: cst.CSTNode, myself: str) -> Any:
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == myself


def check_inside(core: Core, captured: Captured) -> None:
    """What becomes a part of a function must not be used elsewhere, and a lambda has no place for it."""
    for helper in captured.inside:
        if not isinstance(core.function, cst.FunctionDef):
            raise Declined(CANNOT_PASS_CAPTURED())
        others = (*captured.inside, core.function)
        for use in uses(core.module, helper):
            if not any(core.module.holds(each, use) for each in others):
                raise Declined(CANNOT_PASS_CAPTURED())
