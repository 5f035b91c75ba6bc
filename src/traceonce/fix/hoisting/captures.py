"""A function that is made again for each value that it closes over is made once, and gets those values as arguments.

1. The definition (or the lambda) moves out of the loops and functions around it. The names that it reads of those
   become parameters by keyword; so does ``self.x``, as `x`. What a `partial` around it binds is a parameter already.
2. Functions that it needs move along. Those that read such names, too, become a part of its body.
3. Where it was called by its name, the call passes the values, as they are then; anywhere else stands a `partial` of
   it. So a value is read when the call is made, never earlier than before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import collides, fresh_name
from traceonce.fix.hoisting.homes import Home, find_home, needed_at_once
from traceonce.fix.hoisting.placement import New, cut_out, indented, place, take_out
from traceonce.fix.hoisting.relocation import (
    assigned_name,
    assignment,
    left_behind,
    move_statement,
    sole_function,
    uses,
    value_of,
    why_not,
)
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.compile_sites import Creation, has_option
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.keywords import with_keyword
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.names import free_in
from traceonce.fix.source.scopes import method_of, scope_of
from traceonce.fix.source.wrappers import is_partial, meaning, wrapped_argument
from traceonce.words.notes.declined import (
    AT_THE_TOP_ALREADY,
    CANNOT_PASS_CAPTURED,
    DECORATED_NOT_FOUND,
    SIGNATURE_WOULD_GROW,
)


class Core(NamedTuple):
    """What is wrapped, at the end of all transformations: a definition, a lambda, or a function of another place.

    `wrapping` is the call that wraps it; None for a decorator. `partials` bind arguments of it, the outermost first.
    """

    module: Module
    function: Function | None
    wrapping: cst.Call | None
    partials: tuple[cst.Call, ...] = ()


class Captured(NamedTuple):
    """What it reads of the loops and functions that it leaves; `home` is where it goes.

    `names` become parameters of the same name, `attributes` of `myself` those of theirs. `inside` are helpers that
    become a part of it, `along` those that move with it.
    """

    home: Home
    names: tuple[str, ...]
    myself: str | None
    attributes: tuple[str, ...]
    inside: tuple[Any, ...]
    along: tuple[Any, ...]


def pass_captured(
    edits: Edits,
    creation: Creation,
    transparent: frozenset[str],
    *,
    nearest: bool,
    make_static: Callable[[Sequence[str]], None] | None = None,
    templates: Mapping[str, str] | None = None,
    movable: Collection[str] = (),
) -> None:
    """Move the function out and pass what it closes over; `nearest`: no further than it must.

    `transparent` is what makes one function of another, and hands keyword arguments on as they are. `make_static` is
    given the names of all that is passed then, before anything is written. `templates` says of some names how a
    call passes their ``value``. What makes the `movable` ones moves along, where that reads nothing of those scopes.
    """
    for option in creation.source.per_argument:
        if has_option(creation, option):
            raise Declined(SIGNATURE_WOULD_GROW(option=option))
    core = find_core(creation, transparent)
    captured = find_captured(core, nearest=nearest, movable=movable)
    bound = [argument for call in core.partials for argument in call.args[1:]]
    made = any(not isinstance(helper, cst.FunctionDef) for helper in captured.along)
    if not captured.names and not captured.attributes and not bound and not made:
        raise Declined(CANNOT_PASS_CAPTURED())
    if any(argument.star for argument in bound):
        raise Declined(CANNOT_PASS_CAPTURED())
    if make_static is not None:
        named = [argument.keyword.value for argument in bound if argument.keyword is not None]
        make_static([*captured.names, *captured.attributes, *named])
    if core.function is not None:
        _check_inside(core, captured)
    _Move(edits, core, captured, templates or {}).write()


def find_core(creation: Creation, transparent: frozenset[str]) -> Core:
    module = creation.module
    if isinstance(creation.node, cst.Decorator):
        if not isinstance(creation.definition, cst.FunctionDef):
            raise Declined(DECORATED_NOT_FOUND())
        return Core(module, creation.definition, None)
    argument = wrapped_argument(creation.node)
    if argument is None:
        raise Declined(CANNOT_PASS_CAPTURED())
    value, partials, transformed = argument.value, list[cst.Call](), False
    while isinstance(value, cst.Call) and value.args and not value.args[0].star:
        if is_partial(module, value.func):
            positional = any(each.keyword is None for each in value.args[1:])
            if positional and (transformed or partials):  # a transformation counts arguments by their position
                raise Declined(CANNOT_PASS_CAPTURED())
            partials.append(value)
        elif meaning(module, value.func) & transparent:
            transformed = True
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
    return Core(module, function, creation.node, tuple(partials))


def _in_loop(module: Module, node: cst.CSTNode) -> bool:
    return any(isinstance(outer, cst.For | cst.While) for outer in module.ancestors(node))


def find_captured(core: Core, *, nearest: bool, movable: Collection[str] = ()) -> Captured:
    """How far out it can go, and what has to be passed to it there."""
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
            helper = sole_function(module, node, name) or (_making(module, node, name) if name in movable else None)
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
    if myself in captured:
        assert myself is not None
        captured.discard(myself)
        attributes = _attributes(module, [*parts, *map(value_of, inside)], myself)
        if set(attributes) & captured:
            raise Declined(CANNOT_PASS_CAPTURED())
    else:
        myself = None
    return Captured(reach.home, tuple(sorted(captured)), myself, attributes, tuple(inside), tuple(along))


def _making(module: Module, at: cst.CSTNode, name: str) -> cst.CSTNode | None:
    """``name = Make(…)``, where that is the only thing that gives it a value."""
    found = binders_seen(module, name, at)
    statement = module.statement(found[0]) if len(found) == 1 else None
    is_call = assigned_name(statement) == name and isinstance(value_of(statement), cst.Call)
    return statement if is_call else None


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
            id(node.value) for node in walk(part) if isinstance(node, cst.Attribute) and _is_attribute(node, myself)
        }
        called = {id(node.func) for node in walk(part) if isinstance(node, cst.Call)}
        for node in walk(part):
            if isinstance(node, cst.Name) and node.value == myself and id(node) not in owned:
                raise Declined(CANNOT_PASS_CAPTURED())
            if _is_attribute(node, myself):
                if id(node) in called or isinstance(module.parent(node), cst.AssignTarget | cst.AugAssign | cst.Del):
                    raise Declined(CANNOT_PASS_CAPTURED())
                found[node.attr.value] = None  # type: ignore[attr-defined]  # it is an attribute
    return tuple(found)


def _is_attribute(node: cst.CSTNode, myself: str) -> Any:
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == myself


def _check_inside(core: Core, captured: Captured) -> None:
    """What becomes a part of a function must not be used elsewhere, and a lambda has no place for it."""
    for helper in captured.inside:
        if not isinstance(core.function, cst.FunctionDef):
            raise Declined(CANNOT_PASS_CAPTURED())
        others = (*captured.inside, core.function)
        for use in uses(core.module, helper):
            if not any(core.module.holds(each, use) for each in others):
                raise Declined(CANNOT_PASS_CAPTURED())


class _Move:
    def __init__(self, edits: Edits, core: Core, captured: Captured, templates: Mapping[str, str]) -> None:
        self.edits = edits
        self.core = core
        self.captured = captured
        self.module = core.module
        self.passed = {name: name for name in captured.names}
        self.templates = templates
        parameters = {each.name.value for each in _parameters(core.function)} if core.function else set()
        for attribute in captured.attributes:
            if attribute in parameters | set(captured.names):
                raise Declined(CANNOT_PASS_CAPTURED())
            self.passed[attribute] = f"{captured.myself}.{attribute}"

    def write(self) -> None:
        edits, module, home, taken = self.edits, self.module, self.captured.home, set[str]()
        new: list[New] = []
        for helper in left_behind(module, self.captured.along, home):
            new += move_statement(edits, module, helper, home, "traced", taken)
        if self.core.function is not None:
            self._grow(self.core.function)
        if isinstance(self.core.function, cst.FunctionDef):
            self._check_name(self.core.function, home)
            self._pass_where_used(self.core.function)
            new.append(take_out(edits, module, self.core.function))
        if self.core.wrapping is not None:
            new.append(self._wrapped(self.core.wrapping, taken))
        place(edits, module, home, new)
        self._close_up([*self.captured.along, *self.captured.inside, self.core.function])

    def _close_up(self, gone: Sequence[cst.CSTNode | None]) -> None:
        """A block whose first statements are gone does not start with a blank line."""
        blocks = {id(block): block for each in gone if each is not None and (block := self.module.parent(each))}
        for block in blocks.values():
            body: list[Any] = list(block.body) if isinstance(block, cst.IndentedBlock) else []
            kept = next((each for each in body if all(each is not other for other in gone)), None)
            if kept is not None and kept is not body[0]:
                self.edits.amend(self.module, kept, _without_blank)

    def _check_name(self, definition: cst.FunctionDef, home: Home) -> None:
        name = definition.name.value
        if len(binders_seen(self.module, name, definition)) != 1:
            raise Declined(CANNOT_PASS_CAPTURED())
        if collides(self.module, name, scope_of(self.module, definition), home.scope):
            raise Declined(CANNOT_PASS_CAPTURED())

    def _grow(self, function: Function) -> None:
        """The parameters, the attributes that they stand for, and the helpers that become a part of it."""
        edits, module = self.edits, self.module
        names = list(self.passed)
        edits.amend(module, function.params, lambda parameters: _with_keyword_only(parameters, names))
        pieces = [function.body, *(value_of(helper) for helper in self.captured.inside)]
        for piece in pieces:
            for node in walk(piece):
                if self.captured.myself is not None and _is_attribute(node, self.captured.myself):
                    edits.replace(module, node, cst.Name(node.attr.value))  # type: ignore[attr-defined]  # likewise
        if self.captured.inside:
            ordered = sorted(self.captured.inside, key=module.line)
            moved = [take_out(edits, module, helper) for helper in ordered]
            edits.amend(module, function.body, lambda body: _starting_with(body, indented(moved)))

    def _pass_where_used(self, definition: cst.FunctionDef) -> None:
        for use in uses(self.module, definition):
            if use is definition.name or (self.core.wrapping and self.module.holds(self.core.wrapping, use)):
                continue
            if self.module.holds(definition, use):
                raise Declined(CANNOT_PASS_CAPTURED())  # it calls itself
            for name in (*self.captured.names, *([self.captured.myself] if self.captured.myself else [])):
                if binders_seen(self.module, name, use) != binders_seen(self.module, name, definition):
                    raise Declined(CANNOT_PASS_CAPTURED())
            self._pass_at(use)

    def _pass_at(self, use: cst.BaseExpression) -> None:
        """Give the values to a call of it; where it is no call, a partial holds them."""
        call = self.module.parent(use)
        if isinstance(call, cst.Call) and call.func is use:
            self.edits.amend(self.module, call, self._giving)
        else:
            self.edits.amend(self.module, use, lambda node: self._giving(self._partial_of(node)))

    def _partial_of(self, node: cst.BaseExpression) -> cst.Call:
        made = self.edits.expression(self.module, f"{self.edits.partial(self.module)}(made)", made=node)
        assert isinstance(made, cst.Call)
        return made

    def _giving(self, call: cst.Call) -> cst.Call:
        for name, code in self.passed.items():
            template = self.templates.get(name, "value")
            value = self.edits.expression(self.module, template, value=cst.parse_expression(code))
            call = with_keyword(call, name, value)
        return call

    def _wrapped(self, wrapping: cst.Call, taken: set[str]) -> New:
        """The wrapper is applied at the new home; in its place stands what that gave, with the values."""
        edits, module = self.edits, self.module
        function = self.core.function
        named = function.name.value if isinstance(function, cst.FunctionDef) else "lambda" if function else None
        if named is None and self.core.partials:
            named = module.code(self.core.partials[-1].args[0].value).rpartition(".")[2]
        wanted = f"traced_{named}" if named and named.isidentifier() else "traced_function"
        name = fresh_name(module, wanted, taken)
        given = [argument for call in reversed(self.core.partials) for argument in call.args[1:]]
        for call in self.core.partials:
            edits.replace(module, call, lambda node: node.args[0].value)
        outer = module.parent(wrapping)
        called = isinstance(outer, cst.Call) and outer.func is wrapping
        plain: cst.BaseExpression = cst.Name(name)
        if not called:
            plain = _with_arguments(self._giving(self._partial_of(plain)), given, at=1)
        elif isinstance(outer, cst.Call):
            edits.amend(module, outer, lambda node: _with_arguments(self._giving(node), given, at=0))
        made = cut_out(edits, module, wrapping, plain)
        return assignment(edits, module, name, made)


def _without_blank(node: Any) -> Any:
    lines = list(node.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return node.with_changes(leading_lines=lines)


def _parameters(function: Function) -> Iterable[cst.Param]:
    parameters = function.params
    yield from (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)


def _with_keyword_only(parameters: cst.Parameters, names: Sequence[str]) -> cst.Parameters:
    star = parameters.star_arg if isinstance(parameters.star_arg, cst.Param | cst.ParamStar) else cst.ParamStar()
    new = [cst.Param(cst.Name(name)) for name in names]
    return (
        parameters.with_changes(star_arg=star, kwonly_params=[*parameters.kwonly_params, *new]) if new else parameters
    )


def _starting_with(body: cst.BaseSuite, statements: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    block = as_block(body)
    first = block.body[0] if block.body else None
    documented = (
        isinstance(first, cst.SimpleStatementLine)
        and isinstance(first.body[0], cst.Expr)
        and isinstance(first.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )
    cut = 1 if documented else 0
    return block.with_changes(body=[*block.body[:cut], *statements, *block.body[cut:]])


def _with_arguments(call: cst.Call, given: Sequence[cst.Arg], at: int) -> cst.Call:
    """What was bound by position comes first (behind `at` others), what was bound by keyword last."""
    plain = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in given if each.keyword is None]
    for each in given:
        if each.keyword is not None:
            call = with_keyword(call, each.keyword.value, each.value)
    arguments = list(call.args)
    return call.with_changes(args=[*arguments[:at], *plain, *arguments[at:]])
