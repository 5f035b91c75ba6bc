"""A value that a function reads from outside becomes one of its parameters, and every call passes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.project.modules import file_meant, full_name, name_there
from traceonce.fix.project.related import related_files
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.callees import last_name
from traceonce.fix.source.compile_sites import find_creation, has_option
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.keywords import with_keyword
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.passed_arguments import find_arguments, find_call
from traceonce.fix.source.scopes import is_label, scope_of
from traceonce.words.notes.declined import (
    ASSIGNED_INSIDE,
    CALL_NOT_SEEN,
    EVALUATED_TWICE,
    MAY_CALL_IT_TOO,
    NOT_KNOWN_THERE,
    OWNER_UNCLEAR,
    READ_BY_ANOTHER,
    SIGNATURE_WOULD_GROW,
)


def pass_as_argument(edits: Edits, case: Case, path: str, template: str, *, moved: bool = False) -> None:
    """Give the function a parameter for what stands at `path`; `template` says how a call passes ``value``.

    `moved`: what the function does to it now is moved out along with this.
    """
    module, definition = find_definition(case.diagnosis.function, edits)
    creation = find_creation(case, edits)
    for option in creation.source.per_argument:
        if has_option(creation, option):
            raise Declined(SIGNATURE_WOULD_GROW(option=option))
    reads = _reads(module, definition, path)
    if not reads:
        raise Declined(READ_BY_ANOTHER(path=path, name=case.diagnosis.function.short_name))
    name = _parameter_name(module, definition, path, bound=not moved)
    for call in _calls(edits, case, module, definition, path):
        value = edits.expression(call.module, template, at=call.node, value=cst.parse_expression(call.value))
        edits.amend(call.module, call.node, _giving(name, value))
    edits.amend(module, definition.params, lambda parameters: with_parameter(parameters, name))
    for read in reads:
        if module.code(read) != name:
            edits.replace(module, read, cst.Name(name))


def _giving(name: str, value: cst.BaseExpression) -> Callable[[cst.Call], cst.Call]:
    return lambda call: with_keyword(call, name, value)


def _reads(module: Module, definition: Function, path: str) -> list[cst.CSTNode]:
    """The places in the function that read the value."""
    wanted = ast.dump(ast.parse(path, mode="eval"))
    return [
        node
        for node in walk(definition.body)
        if isinstance(node, cst.Name | cst.Attribute | cst.Subscript)
        and _dump(module, node) == wanted
        and not is_label(module, node)
    ]


def _dump(module: Module, node: cst.CSTNode) -> str | None:
    try:
        return ast.dump(ast.parse(module.code(node).strip(), mode="eval"))
    except SyntaxError:
        return None


def wanted_name(path: str) -> str:
    """`rate` for ``self.RATE``."""
    names: list[str] = re.findall(r"[A-Za-z_]\w*", path)
    return names[-1].lower().strip("_") or "value"


def _parameter_name(module: Module, definition: Function, path: str, *, bound: bool) -> str:
    wanted = wanted_name(path)
    own = module.names_bound_in(definition)
    taken = (own if bound else own - {path}) | (module.free_names(definition) - {path})
    if bound and path in own:
        raise Declined(ASSIGNED_INSIDE(path=path))
    return wanted if wanted not in taken and wanted.isidentifier() else f"{wanted}_now"


def with_parameter(parameters: cst.Parameters, name: str) -> cst.Parameters:
    """One more parameter without a default: the last, or by keyword only where it could not be the last."""
    new = cst.Param(cst.Name(name))
    plain = all(parameter.default is None for parameter in (*parameters.params, *parameters.posonly_params))
    if plain and not parameters.kwonly_params and not parameters.star_kwarg and not _star(parameters):
        return parameters.with_changes(params=[*parameters.params, new])
    star = _star(parameters) or cst.ParamStar()
    return parameters.with_changes(star_arg=star, kwonly_params=[*parameters.kwonly_params, new])


def _star(parameters: cst.Parameters) -> cst.Param | cst.ParamStar | None:
    return parameters.star_arg if isinstance(parameters.star_arg, cst.Param | cst.ParamStar) else None


class _Call(NamedTuple):
    """A call, and the code of the value as seen from there."""

    module: Module
    node: cst.Call
    value: str


def _calls(edits: Edits, case: Case, module: Module, definition: Function, path: str) -> Iterator[_Call]:
    """Every call of the function."""
    if not case.sites:
        raise Declined(CALL_NOT_SEEN(name=case.diagnosis.function.short_name))
    calls = {find_call(case, edits, site): edits.module(site.file) for site in case.sites}
    check_other_calls(edits, case, list(calls))
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    parameters = [parameter.name.value for parameter in definition.params.params]
    is_self = isinstance(scope_of(module, definition), cst.ClassDef) and parameters[:1] == [root]
    given: dict[cst.Call, cst.BaseExpression] = {}
    if root in parameters and not is_self:
        given = {argument.call: argument.node.value for argument in find_arguments(case, edits, root)}
    for call, owner in calls.items():
        place = f"{owner.file}:{owner.line(call)}"
        if is_self and isinstance(call.func, cst.Attribute):
            given[call] = call.func.value
        if root in parameters:
            if call not in given:
                raise Declined(OWNER_UNCLEAR(place=place, path=path[len(root) + 1 :]))
            code = owner.code(given[call])
        else:
            yield _Call(owner, call, _as_seen_at(edits, module, definition, path, owner, call))
            continue
        if not re.fullmatch(r"[\w.]+", code):
            raise Declined(EVALUATED_TWICE(code=code, place=place))
        yield _Call(owner, call, code + path[len(root) :])


def _as_seen_at(edits: Edits, module: Module, definition: Function, path: str, owner: Module, call: cst.Call) -> str:
    """The code of the value in the file of a call: the same name, or the same module of the project."""
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    if owner is module and binders_seen(module, root, definition) == binders_seen(module, root, call):
        return path
    holder, _, attribute = path.rpartition(".")
    file = file_meant(edits, module, holder, definition.body) if re.fullmatch(r"[\w.]+", holder) else None
    full = full_name(module, holder, definition.body)
    if file is None or full is None:
        raise Declined(NOT_KNOWN_THERE(name=root, place=f"{owner.file}:{owner.line(call)}"))
    return f"{name_there(edits, owner, call, file, full)}.{attribute}"


def check_other_calls(edits: Edits, case: Case, seen: list[cst.Call]) -> None:
    """Declined where a call that did not run might be one of the function: it would lack what the others are given."""
    name = case.diagnosis.function.short_name
    module, definition = find_definition(case.diagnosis.function, edits)
    own = binders_seen(module, name, definition)
    is_method = isinstance(scope_of(module, definition), cst.ClassDef)
    for file in related_files(edits, case, f"{name}("):
        other = edits.module(file)
        for node in other.nodes(cst.Call):
            if node in seen or last_name(node.func) != name:
                continue
            bare = isinstance(node.func, cst.Name)
            if bare and other is module and binders_seen(module, name, node) != own:
                continue  # another function of that name
            if not bare and other is module and not is_method:
                continue
            raise Declined(MAY_CALL_IT_TOO(place=f"{file}:{other.line(node)}"))
