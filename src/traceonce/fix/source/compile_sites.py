"""Where the wrapper of a framework is applied to a function, and how its options are set there."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from traceonce.facts.replay import Making
from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.source.binders import binders_seen, imported_by
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.framework_names import source_of
from traceonce.fix.source.keywords import positional_option, same_option, with_keyword
from traceonce.fix.source.module import Function, Module
from traceonce.fix.source.wrappers import (
    Wrapper,
    assigned_value,
    innermost_given,
    is_partial,
    meaning,
    readers,
    resolve_wrapper,
    wrapped_argument,
)
from traceonce.frameworks.base.descriptor import Source
from traceonce.words.notes.declined import (
    OPTIONS_PASSED_THROUGH,
    OPTIONS_SHARED,
    SEVERAL_WRAPPINGS,
    WRAPPED_ELSEWHERE,
    WRAPPING_NOT_SEEN,
    WRAPPING_UNCLEAR,
    WRAPS_OTHERS_TOO,
)

_CALLED_OBJECT = ("__call__", "call", "forward")  # what runs when an object is called, also one of a framework
_IMPORTS = (cst.Import, cst.ImportFrom)


class Creation(NamedTuple):
    """The one place that makes the function.

    `node` is the decorator, or the call that is given the function. `definition` is the function itself where it stands
    in the same file. `call` is where the options stand; None where there are none yet. `method`: the call is one of a
    method that compiles its own object (``model.compile()``), and gives nothing.
    """

    module: Module
    node: cst.Decorator | cst.Call
    definition: Function | None
    call: cst.Call | None
    source: Source
    method: bool = False


def find_creation(case: Case, edits: Edits) -> Creation:
    """The place that makes the function of the case, by where it was seen to happen."""
    function, source = case.diagnosis.function, source_of(case.diagnosis.backend)
    wrapper = source.wrapper
    places = sorted({(making.file, making.line) for making in case.makings})
    through = _made_through(case, edits, source) if not places else None
    if through is not None:
        return through
    if not places:
        raise Declined(WRAPPING_NOT_SEEN(wrapper=wrapper, name=function.short_name))
    if len({(making.file, making.line, making.span) for making in case.makings}) > 1:
        listed = ", ".join(f"{file}:{line}" for file, line in places)
        raise Declined(SEVERAL_WRAPPINGS(wrapper=wrapper, places=listed))
    making = case.makings[0]
    module = edits.module(making.file)
    expression = module.at(making.span) if making.span is not None else _by_line(module, making, case)
    if expression is None:
        raise Declined(WRAPPING_UNCLEAR(place=f"{making.file}:{making.line}", wrapper=wrapper))
    outer = module.parent(expression)
    if isinstance(outer, cst.Decorator):
        return _decorated(module, outer, source)
    if not isinstance(expression, cst.Call):
        raise Declined(WRAPPING_UNCLEAR(place=f"{making.file}:{making.line}", wrapper=wrapper))
    return _called(module, expression, case, source)


def _made_through(case: Case, edits: Edits, source: Source) -> Creation | None:
    """Where another package's wrapper, which wraps with the framework's own, is applied to the function."""
    if not source.through or case.diagnosis.function.file not in edits.sources:
        return None
    module, definition = find_definition(case.diagnosis.function, edits)
    for decorator in definition.decorators if isinstance(definition, cst.FunctionDef) else ():
        if meaning(module, decorator.decorator) & source.through:
            return Creation(module, decorator, definition, None, source)
    for call in module.nodes(cst.Call):
        argument = wrapped_argument(call) if meaning(module, call.func) & source.through else None
        given = innermost_given(module, argument.value) if argument is not None else None
        named = isinstance(given, cst.Name) and binders_seen(module, given.value, given) == [definition]
        if given is definition or named:
            return Creation(module, call, definition, call, source)
    return None


def _decorated(module: Module, decorator: cst.Decorator, source: Source) -> Creation:
    wrapper = resolve_wrapper(module, decorator.decorator)
    if wrapper is None or wrapper.source != source:
        written = f"@{module.code(decorator.decorator)}"
        raise Declined(WRAPPED_ELSEWHERE(wrapper=source.wrapper, code=written))
    definition = module.parent(decorator)
    assert isinstance(definition, cst.FunctionDef)
    return Creation(module, decorator, definition, _option_call(wrapper), source)


def _option_call(wrapper: Wrapper) -> cst.Call | None:
    """Where options stand, and more can be added; a partial of another place is given more where it is used."""
    if wrapper.calls and (wrapper.direct or wrapper.kind == "bound"):
        return wrapper.calls[-1]
    return None


def _called(module: Module, call: cst.Call, case: Case, source: Source) -> Creation:
    wrapper = resolve_wrapper(module, call.func)
    if wrapper is None and isinstance(call.func, cst.Attribute) and call.func.attr.value in source.methods:
        return Creation(module, call, None, call, source, method=True)
    argument = wrapped_argument(call)
    if wrapper is None or wrapper.source != source or argument is None:
        written = f"{module.code(call.func)}(…)"
        raise Declined(WRAPPED_ELSEWHERE(wrapper=source.wrapper, code=written))
    definition = _wrapped_definition(module, call, argument.value, case)
    return Creation(module, call, definition, call if wrapper.kind == "free" else wrapper.calls[-1], source)


def _wrapped_definition(module: Module, call: cst.Call, given: cst.BaseExpression, case: Case) -> Function | None:
    """The definition of the function that is given to the wrapper, if it is surely the one of the case."""
    function = case.diagnosis.function
    name = function.short_name
    definition = module.function_at(function.line, name) if function.file == module.file and function.line else None
    given = innermost_given(module, given)
    if isinstance(given, cst.Lambda) and name == "<lambda>":
        return given
    if isinstance(given, cst.Attribute) and given.attr.value == name:
        return definition
    is_object = name in _CALLED_OBJECT or function.library
    if is_object and isinstance(given, cst.Call | cst.Attribute):  # wrapped where it is made, or kept
        return definition
    if isinstance(given, cst.Name):
        value = assigned_value(module, given)
        if isinstance(value, cst.Lambda) and name == "<lambda>":
            return value
        if is_object and _is_made_here(module, given, call):
            return definition
        if _stands_for(module, given, call, name, definition):
            return definition
    raise Declined(WRAPS_OTHERS_TOO(place=f"{module.file}:{module.line(call)}", code=module.code(given)))


def _is_made_here(module: Module, given: cst.Name, call: cst.Call) -> bool:
    """Is the name assigned what is wrapped, also where it is then assigned the wrapped one (``m = wrapper(m)``)?"""
    bound = binders_seen(module, given.value, given)
    made = [binder for binder in bound if module.parent(binder) not in [*module.ancestors(call)]]
    return bool(made) and all(
        isinstance(binder, cst.AssignTarget) and isinstance(module.parent(binder), cst.Assign) for binder in made
    )


def _stands_for(module: Module, given: cst.Name, call: cst.Call, name: str, definition: cst.CSTNode | None) -> bool:
    """Does the name mean this function, and can it mean nothing else (as the target of a loop, or a parameter)?"""
    bound = [
        binder
        for binder in binders_seen(module, given.value, given)
        if not (isinstance(binder, cst.AssignTarget) and module.parent(binder) in [*module.ancestors(call)])
    ]
    if definition is not None:
        return definition in bound and all(isinstance(binder, cst.FunctionDef) for binder in bound)
    imported = [each for binder in bound if isinstance(binder, _IMPORTS) for each in imported_by(binder)]
    return all(isinstance(binder, _IMPORTS) for binder in bound) and any(
        each.name == given.value and each.what.rpartition(".")[2] == name for each in imported
    )


def _by_line(module: Module, making: Making, case: Case) -> cst.CSTNode | None:
    """Without a span: the decorator of the definition, or the one call on that line, known to wrap."""
    function = case.diagnosis.function
    if making.file == function.file and function.line is not None:
        definition = module.function_at(function.line, function.short_name)
        if isinstance(definition, cst.FunctionDef):
            first = module.line(definition.decorators[0]) if definition.decorators else module.line(definition)
            if first <= making.line <= module.line(definition):
                found = [each.decorator for each in definition.decorators if resolve_wrapper(module, each.decorator)]
                return found[0] if len(found) == 1 else None
    calls = [
        node
        for node in module.nodes(cst.Call)
        if module.line(node) <= making.line <= module.place(node).end.line
        and wrapped_argument(node) is not None
        and not isinstance(module.parent(node), cst.Decorator)
        and resolve_wrapper(module, node.func)
    ]
    return calls[0] if len(calls) == 1 else None


def has_option(creation: Creation, name: str) -> bool:
    """Is the option given where the function is made, also through a partial?"""
    return any(_gives(creation, call, name) for call in option_calls(creation))


def option_calls(creation: Creation) -> list[cst.Call]:
    """All calls in which its options stand, also those of partials."""
    wrapper = resolve_wrapper(creation.module, _wrapping_expression(creation))
    calls = [*(wrapper.calls if wrapper is not None else ()), *([creation.call] if creation.call is not None else [])]
    return list(dict.fromkeys(calls))


def _gives(creation: Creation, call: cst.Call, name: str) -> bool:
    module, source = creation.module, creation.source
    return any(
        same_option(source, argument.keyword.value, name)
        if argument.keyword is not None
        else not is_partial(module, call.func) and positional_option(source, index, argument) == name
        for index, argument in enumerate(call.args)
    )


def set_option(edits: Edits, creation: Creation, name: str, code: str) -> None:
    """Give the option, or give it this value. `code` is written with the usual names of packages."""
    module, call, source = creation.module, creation.call, creation.source
    value = edits.expression(module, code, at=creation.node)
    if call is None:
        assert isinstance(creation.node, cst.Decorator)
        bare = creation.node.decorator
        edits.amend(module, bare, lambda node: with_keyword(_as_call(node, bare), name, value, source))
        return
    _check_options(module, creation, call)
    partial = is_partial(module, call.func)
    edits.amend(module, call, lambda node: with_keyword(node, name, value, source, partial=partial))


def _as_call(node: cst.BaseExpression, bare: cst.BaseExpression) -> cst.Call:
    """The bare decorator as a call, unless an earlier option made it one."""
    if isinstance(node, cst.Call) and not isinstance(bare, cst.Call):
        return node
    return cst.Call(func=node)


def _check_options(module: Module, creation: Creation, call: cst.Call) -> None:
    for argument in call.args:
        if argument.star:
            raise Declined(OPTIONS_PASSED_THROUGH(code=f"{argument.star}{module.code(argument.value)}"))
    if module.holds(creation.node, call):
        return
    source: cst.CSTNode | None = _wrapping_expression(creation)
    while isinstance(source, cst.Name):
        if len(readers(module, source)) > 1:
            raise Declined(OPTIONS_SHARED(place=f"{module.file}:{module.line(call)}"))
        source = assigned_value(module, source)


def _wrapping_expression(creation: Creation) -> cst.BaseExpression:
    """What wraps the function: ``wrapper(option=True)``, `compiled`."""
    return creation.node.decorator if isinstance(creation.node, cst.Decorator) else creation.node.func
