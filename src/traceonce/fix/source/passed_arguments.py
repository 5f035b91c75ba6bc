"""Where the calls of a function give one of its parameters: the expressions, as written."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import libcst as cst

from traceonce.facts.replay import Site
from traceonce.facts.signature import ARGUMENTS, KEYWORD_ONLY, KEYWORDS, PARAMETERS
from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.source.callees import callee_of, last_name
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.framework_names import source_of
from traceonce.fix.source.module import Module
from traceonce.words.notes.declined import (
    CALL_NOT_FOUND,
    CALL_NOT_SEEN,
    CALL_WRITTEN_OTHERWISE,
    CALLED_THROUGH,
    GIVEN_THROUGH,
    LIBRARY_BETWEEN,
    NOT_A_PARAMETER,
    NOT_GIVEN_BY_A_CALL,
    NOT_WRITTEN_OUT,
    SEVERAL_CALLS,
)

Given: TypeAlias = cst.Arg | cst.DictElement | cst.Element
Key: TypeAlias = str | int


class Argument(NamedTuple):
    """What one call gives. `node.value` is the expression; the node is part of a literal where the path is nested."""

    module: Module
    call: cst.Call
    node: Given
    site: Site


def find_arguments(case: Case, edits: Edits, path: str) -> list[Argument]:
    """The expression given for a parameter, or for a part of it (``batch['lr']``), at every call that gives it."""
    name = case.diagnosis.function.short_name
    if not case.sites:
        raise Declined(CALL_NOT_SEEN(name=name))
    parameter, keys = _split_path(path)
    found: dict[cst.CSTNode, Argument] = {}
    for site in case.sites:
        module = edits.module(site.file)
        call = find_call(case, edits, site)
        given = _given_for(case, edits, module, call, parameter, keys)
        if given is not None:
            argument, rest = given
            node = _part(module, argument, rest, path)
            found.setdefault(node, Argument(module, call, node, site))
    return list(found.values())


def wrap_argument(edits: Edits, argument: Argument, code: str) -> None:
    """Put code around what a call gives; `value` stands for that in the code."""
    module, node = argument.module, argument.node.value
    edits.replace(module, node, lambda value: edits.expression(module, code, node, value=value))


def find_call(case: Case, edits: Edits, site: Site) -> cst.Call:
    """The call at a site, which must be one of the function itself."""
    module = edits.module(site.file)
    place = f"{site.file}:{site.line}"
    name = case.diagnosis.function.short_name
    callee = callee_of(case, edits, module)
    if site.span is not None:
        call = module.at(site.span, cst.Call)
        if not isinstance(call, cst.Call):
            raise Declined(CALL_WRITTEN_OTHERWISE(place=place, name=name))
    else:
        here = [node for node in module.nodes(cst.Call) if callee.is_called_by(node)]
        starting = [node for node in here if module.line(node) == site.line]
        around = [node for node in here if module.line(node) <= site.line <= module.place(node).end.line]
        candidates = starting or around
        if len(candidates) != 1:
            if not candidates:
                raise Declined(CALL_NOT_FOUND(place=place, name=name))
            raise Declined(SEVERAL_CALLS(place=place, count=len(candidates), name=name))
        call = candidates[0]
    if not callee.is_called_by(call) and not _is_subscript(site, call):
        raise Declined(CALLED_THROUGH(name=name, code=f"{module.code(call.func)}(…)", place=place))
    if not site.direct and not callee.decorated:
        raise Declined(LIBRARY_BETWEEN(place=place, name=name))
    return call


def _is_subscript(site: Site, call: cst.Call) -> bool:
    """``steps[0](x)``: the name does not tell, but the run saw this very call reach the function."""
    return site.span is not None and isinstance(call.func, cst.Subscript)


def _given_for(
    case: Case, edits: Edits, module: Module, call: cst.Call, parameter: str, keys: tuple[Key, ...]
) -> tuple[cst.Arg, tuple[Key, ...]] | None:
    """The argument of the call, and what is left of the path inside it; None where the call leaves it out."""
    kinds = {container.path: container for container in case.events[-1].signature.structure}
    names = list(kinds[""].keys) if "" in kinds and kinds[""].type_name == PARAMETERS else []
    if parameter not in names:
        raise Declined(NOT_A_PARAMETER(name=parameter, function=case.diagnosis.function.short_name))
    only = kinds["*"].keys if "*" in kinds and kinds["*"].type_name == KEYWORD_ONLY else ()
    kind = kinds[parameter].type_name if parameter in kinds else ""
    hidden = _hidden_first(case, edits, call, names)
    if kind == KEYWORDS and keys:
        return _keyword(module, call, str(keys[0]), keys[1:])
    if kind == ARGUMENTS and keys:
        index = names.index(parameter) + int(keys[0]) + hidden
        return _positional(module, call, index, keys[1:])
    if parameter in only:
        return _keyword(module, call, parameter, keys)
    found = _positional(module, call, names.index(parameter) + hidden, keys)
    return found or _keyword(module, call, parameter, keys)


def _positional(
    module: Module, call: cst.Call, index: int, keys: tuple[Key, ...]
) -> tuple[cst.Arg, tuple[Key, ...]] | None:
    position = 0
    for argument in call.args:
        if argument.star == "*":
            place = f"{module.file}:{module.line(call)}"
            raise Declined(GIVEN_THROUGH(place=place, code=f"*{module.code(argument.value)}"))
        if argument.keyword is None and not argument.star:
            if position == index:
                return argument, keys
            position += 1
    return None


def _keyword(
    module: Module, call: cst.Call, name: str, keys: tuple[Key, ...]
) -> tuple[cst.Arg, tuple[Key, ...]] | None:
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == name:
            return argument, keys
    for argument in call.args:
        if argument.star == "**":
            place = f"{module.file}:{module.line(call)}"
            raise Declined(GIVEN_THROUGH(place=place, code=f"**{module.code(argument.value)}"))
    return None


def _hidden_first(case: Case, edits: Edits, call: cst.Call, names: list[str]) -> int:
    """By how much positions are off: ``Model.step(model, x)`` gives `self`, ``model.step(x)`` does not."""
    function = case.diagnosis.function
    owner = function.name.partition(" [")[0].rpartition(".")[0].rpartition(".")[2]
    if (
        source_of(case.diagnosis.backend).binds_self
        and names[:1] == ["self"]
        and not isinstance(call.func, cst.Attribute)
    ):
        return -1  # ``model(x)`` runs ``forward(self, x)``, and ``compiled = wrapper(trainer.step)`` is bound
    if not isinstance(call.func, cst.Attribute) or owner in ("", "<locals>"):
        return 0
    through_class = last_name(call.func.value) == owner
    if names[:1] == ["self"]:
        return 0 if through_class else -1
    if not through_class or function.file is None or function.line is None:
        return 0
    definition = edits.module(function.file).function_at(function.line, function.short_name)
    if not isinstance(definition, cst.FunctionDef) or not definition.params.params:
        return 0
    static = any(last_name(each.decorator) in ("staticmethod", "classmethod") for each in definition.decorators)
    return 0 if static or definition.params.params[0].name.value in names else 1


def _split_path(path: str) -> tuple[str, tuple[Key, ...]]:
    """``batch['lr'][0]`` as the parameter and the keys into it; an attribute is a key like any other."""
    try:
        node: ast.expr = ast.parse(path, mode="eval").body
    except SyntaxError:
        raise Declined(NOT_GIVEN_BY_A_CALL(path=path)) from None
    keys: list[Key] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            keys.append(node.attr)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            keys.append(node.slice.value)  # type: ignore[arg-type]  # a text or a number, as paths are written
        else:
            raise Declined(NOT_GIVEN_BY_A_CALL(path=path))
        node = node.value
    return node.id, tuple(reversed(keys))


def _part(module: Module, node: Given, keys: tuple[Key, ...], path: str) -> Given:
    """The part of a literal that the keys lead to."""
    for key in keys:
        found = _element(node.value, key)
        if found is None:
            written = module.code(node.value)
            raise Declined(NOT_WRITTEN_OUT(path=path, place=f"{module.file}:{module.line(node)}", code=written))
        node = found
    return node


def _element(value: cst.BaseExpression, key: Key) -> Given | None:
    if isinstance(value, cst.Dict):
        plain = [each for each in value.elements if isinstance(each, cst.DictElement)]
        if len(plain) < len(value.elements):
            return None
        return _only(each for each in plain if _constant(each.key) == key)
    if isinstance(value, cst.List | cst.Tuple) and isinstance(key, int):
        elements = [each for each in value.elements if isinstance(each, cst.Element)]
        return elements[key] if len(elements) == len(value.elements) and key < len(elements) else None
    if isinstance(value, cst.Call) and isinstance(key, str):
        return _only(each for each in value.args if each.keyword is not None and each.keyword.value == key)
    return None


def _only(found: Iterable[Given]) -> Given | None:
    listed = list(found)
    return listed[0] if len(listed) == 1 else None


def _constant(node: cst.BaseExpression) -> object:
    if isinstance(node, cst.SimpleString | cst.Integer):
        return node.evaluated_value
    return None
