"""A function that is made again for each value that it closes over is made once, and gets those values as arguments.

1. The definition (or the lambda) moves out of the loops and functions around it. The names that it reads of those
   become parameters by keyword; so does ``self.x``, as `x`. What a `partial` around it binds is a parameter already.
2. Functions that it needs move along. Those that read such names, too, become a part of its body.
3. Where it was called by its name, the call passes the values, as they are then; anywhere else stands a `partial` of
   it. So a value is read when the call is made, never earlier than before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.captured_values import (
    Captured,
    Core,
    check_inside,
    find_captured,
    find_core,
    is_attribute,
    read_of_object,
)
from traceonce.fix.hoisting.collisions import collides, fresh_name
from traceonce.fix.hoisting.homes import Home
from traceonce.fix.hoisting.placement import New, cut_out, indented, place, take_out
from traceonce.fix.hoisting.relocation import (
    assignment,
    left_behind,
    move_statement,
    uses,
    value_of,
)
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.compile_sites import Creation, has_option
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.keywords import with_keyword
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.scopes import is_label, method_of, scope_of
from traceonce.words.notes.declined import (
    CANNOT_PASS_CAPTURED,
    SIGNATURE_WOULD_GROW,
)


def pass_captured(
    edits: Edits,
    creation: Creation,
    transparent: frozenset[str],
    mapping: frozenset[str],
    *,
    nearest: bool,
    make_static: Callable[[Sequence[str]], None] | None = None,
    templates: Mapping[str, str] | None = None,
    movable: Collection[str] = (),
    register: Callable[[Module, cst.ClassDef, set[str]], None] | None = None,
) -> None:
    """Move the function out and pass what it closes over; `nearest`: no further than it must.

    `transparent` is what makes one function of another, and hands keyword arguments on as they are; `mapping` maps
    over all arguments. `make_static` is
    given the names of all that is passed then, before anything is written. `templates` says of some names how a
    call passes their ``value``. What makes the `movable` ones moves along, where that reads nothing of those scopes.
    `register` makes a class, of which these attributes and methods are read, one whose objects can be passed.
    """
    for option in creation.source.per_argument:
        if has_option(creation, option):
            raise Declined(SIGNATURE_WOULD_GROW(option=option))
    core = find_core(creation, transparent, mapping)
    captured = find_captured(core, nearest=nearest, movable=movable, whole=register is not None)
    bound = [argument for call in core.partials for argument in call.args[1:]]
    made = any(not isinstance(helper, cst.FunctionDef) for helper in captured.along)
    if not captured.names and not captured.attributes and not captured.owner and not bound and not made:
        raise Declined(CANNOT_PASS_CAPTURED())
    if any(argument.star for argument in bound):
        raise Declined(CANNOT_PASS_CAPTURED())
    if make_static is not None:
        named = [argument.keyword.value for argument in bound if argument.keyword is not None]
        make_static([*captured.names, *captured.attributes, *named])
    if core.function is not None:
        check_inside(core, captured)
    if register is not None:
        method = method_of(core.module, core.wrapping or core.function or creation.node)
        assert method is not None
        register(core.module, method[1], read_of_object(core, captured))
    _Move(edits, core, captured, templates or {}).write()


class _Move:
    def __init__(self, edits: Edits, core: Core, captured: Captured, templates: Mapping[str, str]) -> None:
        self.edits = edits
        self.core = core
        self.captured = captured
        self.module = core.module
        self.passed = {name: name for name in captured.names}
        self.templates = templates
        parameters = {each.name.value for each in _parameters(core.function)} if core.function else set()
        if captured.owner is not None and captured.myself is not None:
            self.passed[captured.owner] = captured.myself
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
            new += self._moved(self.core.function, home, taken)
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

    def _moved(self, definition: cst.FunctionDef, home: Home, taken: set[str]) -> list[New]:
        """The definition keeps its name, which reports call it by; where that means another thing, it gets a maker."""
        name = definition.name.value
        if len(binders_seen(self.module, name, definition)) != 1:
            raise Declined(CANNOT_PASS_CAPTURED())
        collision = collides(self.module, name, scope_of(self.module, definition), home.scope)
        if collision and self.core.wrapping is not None:
            raise Declined(CANNOT_PASS_CAPTURED())
        self._pass_where_used(definition, fresh_name(self.module, f"traced_{name}", taken) if collision else name)
        return list(move_statement(self.edits, self.module, definition, home, "traced", taken, rename=False))

    def _grow(self, function: Function) -> None:
        """The parameters, the attributes that they stand for, and the helpers that become a part of it."""
        edits, module = self.edits, self.module
        names = list(self.passed)
        grow = _with_positional if self.core.maps else _with_keyword_only
        edits.amend(module, function.params, lambda parameters: grow(parameters, names))
        axes = ["0"] * len(list(_parameters(function))) + ["None"] * len(names)
        in_axes = edits.expression(module, f"({', '.join(axes)})")
        for call in self.core.maps:
            edits.amend(module, call, lambda node: with_keyword(node, "in_axes", in_axes))
        pieces = [function.body, *(value_of(helper) for helper in self.captured.inside)]
        for piece in pieces:
            for node in walk(piece):
                if self.captured.owner is not None:
                    if isinstance(node, cst.Name) and node.value == self.captured.myself and not is_label(module, node):
                        edits.replace(module, node, cst.Name(self.captured.owner))
                elif self.captured.myself is not None and is_attribute(node, self.captured.myself):
                    edits.replace(module, node, cst.Name(node.attr.value))  # type: ignore[attr-defined]  # likewise
        if self.captured.inside:
            ordered = sorted(self.captured.inside, key=module.line)
            moved = [take_out(edits, module, helper) for helper in ordered]
            edits.amend(module, function.body, lambda body: _starting_with(body, indented(moved)))

    def _pass_where_used(self, definition: cst.FunctionDef, name: str) -> None:
        for use in uses(self.module, definition):
            if use is definition.name or (self.core.wrapping and self.module.holds(self.core.wrapping, use)):
                continue
            if self.module.holds(definition, use):
                raise Declined(CANNOT_PASS_CAPTURED())  # it calls itself
            for read in (*self.captured.names, *([self.captured.myself] if self.captured.myself else [])):
                if binders_seen(self.module, read, use) != binders_seen(self.module, read, definition):
                    raise Declined(CANNOT_PASS_CAPTURED())
            self._pass_at(use, name)

    def _pass_at(self, use: cst.Name, name: str) -> None:
        """Give the values to a call of it; where it is no call, a partial holds them."""
        call = self.module.parent(use)
        if isinstance(call, cst.Call) and call.func is use:
            self._check_call(call)
            self.edits.amend(self.module, call, self._giving)
            self.edits.amend(self.module, use, lambda node: node.with_changes(value=name))
        else:
            self.edits.amend(self.module, use, lambda _: self._held(cst.Name(name)))

    def _held(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The function with the values: a partial, or a lambda where they are passed by position."""
        if not self.core.maps:
            return self._giving(self._partial_of(node))
        code = self.edits.expression(self.module, "lambda *args: made(*args)", made=node)
        assert isinstance(code, cst.Lambda)
        assert isinstance(code.body, cst.Call)
        return code.with_changes(body=self._giving(code.body))

    def _partial_of(self, node: cst.BaseExpression) -> cst.Call:
        made = self.edits.expression(self.module, f"{self.edits.partial(self.module)}(made)", made=node)
        assert isinstance(made, cst.Call)
        return made

    def _check_call(self, call: cst.Call) -> None:
        """What is passed by position comes last: all others must stand there, too."""
        count = len(list(_parameters(self.core.function))) if self.core.function is not None else 0
        if self.core.maps and (len(call.args) != count or any(each.keyword or each.star for each in call.args)):
            raise Declined(CANNOT_PASS_CAPTURED())

    def _giving(self, call: cst.Call) -> cst.Call:
        for name, code in self.passed.items():
            template = self.templates.get(name, "value")
            value = self.edits.expression(self.module, template, value=cst.parse_expression(code))
            if self.core.maps:
                call = call.with_changes(args=[*call.args, cst.Arg(value)])
            else:
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
            plain = self._held(plain)
            plain = _with_arguments(plain, given, at=1) if isinstance(plain, cst.Call) else plain
        elif isinstance(outer, cst.Call):
            self._check_call(outer)
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


def _with_positional(parameters: cst.Parameters, names: Sequence[str]) -> cst.Parameters:
    return parameters.with_changes(params=[*parameters.params, *(cst.Param(cst.Name(name)) for name in names)])


def _starting_with(body: cst.BaseSuite, statements: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    block = as_block(body)
    first = block.body[0] if block.body else None
    documented = (
        isinstance(first, cst.SimpleStatementLine)
        and isinstance(first.body[0], cst.Expr)
        and isinstance(first.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )
    cut = 1 if documented else 0
    new, rest = list(statements), list(block.body[cut:])
    if not documented:
        new[0] = _without_blank(new[0])
    if rest and isinstance(new[-1], cst.FunctionDef):
        rest[0] = rest[0].with_changes(
            leading_lines=[cst.EmptyLine(indent=False), *_without_blank(rest[0]).leading_lines]
        )
    return block.with_changes(body=[*block.body[:cut], *new, *rest])


def _with_arguments(call: cst.Call, given: Sequence[cst.Arg], at: int) -> cst.Call:
    """What was bound by position comes first (behind `at` others), what was bound by keyword last."""
    plain = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in given if each.keyword is None]
    for each in given:
        if each.keyword is not None:
            call = with_keyword(call, each.keyword.value, each.value)
    arguments = list(call.args)
    return call.with_changes(args=[*arguments[:at], *plain, *arguments[at:]])
