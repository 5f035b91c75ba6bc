"""Which parameters `jax.jit` takes as static: making one static where it is jitted, and making it an argument.

They stand in `static_argnames` and `static_argnums`, each a single one or several; JAX adds to either what it finds in
the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import libcst as cst

from traceonce.facts.signature import PARAMETERS
from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.source.compile_sites import Creation, find_creation, has_option, option_calls, set_option
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.wrappers import is_partial
from traceonce.frameworks.jax.words import (
    PARAMETERS_UNKNOWN,
    STATIC_NOT_FOUND,
    STATIC_OPTIONS_ELSEWHERE,
    STATIC_OPTIONS_NOT_WRITTEN_OUT,
    STATIC_OPTIONS_SHARED,
)

NAMES, NUMBERS = "static_argnames", "static_argnums"


def make_static(edits: Edits, case: Case, names: Sequence[str]) -> None:
    """These parameters are static from now on."""
    creation = find_creation(case, edits)
    call = creation.call
    if call is None:
        _wrap_bare(edits, creation, names)
        return
    parameters = _parameters(case)
    parameters += [name for name in names if name not in parameters]  # new ones come last
    new: dict[str, list[Any]] = {NAMES: list(names), NUMBERS: [parameters.index(name) for name in names]}
    options = [option for option in (NAMES, NUMBERS) if has_option(creation, option)]
    for option in options or [NAMES]:  # where there are both, JAX adds nothing by itself
        given = _option(call, option)
        if given is None and options:
            raise Declined(STATIC_OPTIONS_ELSEWHERE(option=option))
        known = _listed(given.value, option) if given is not None else []
        set_option(edits, creation, option, _written(list(dict.fromkeys([*known, *new[option]]))))


def add_static_names(edits: Edits, creation: Creation, names: Sequence[str]) -> None:
    """These parameters, which are given by keyword only, are static from now on."""
    call = creation.call
    if call is None:
        _wrap_bare(edits, creation, names)
        return
    given = _option(call, NAMES)
    known = _listed(given.value, NAMES) if given is not None else []
    set_option(edits, creation, NAMES, _written(list(dict.fromkeys([*known, *names]))))


def make_dynamic(edits: Edits, case: Case, names: Sequence[str]) -> None:
    """These parameters are arguments like any other from now on."""
    creation = find_creation(case, edits)
    parameters = _parameters(case)
    found = False
    for call, option in itertools.product(option_calls(creation), (NAMES, NUMBERS)):
        given = _option(call, option)
        listed = _listed(given.value, option) if given is not None else []
        left = [each for each in listed if _name_of(each, parameters) not in names]
        if len(left) == len(listed):
            continue
        found = True
        if left:
            set_option(edits, creation._replace(call=call), option, _written(left))
        else:
            _remove(edits, creation, call, option)
    if not found:
        raise Declined(STATIC_NOT_FOUND(names=names))


def _wrap_bare(edits: Edits, creation: Creation, names: Sequence[str]) -> None:
    """``@jax.jit`` as a partial, which every version of JAX takes as a decorator."""
    assert isinstance(creation.node, cst.Decorator)
    module, bare = creation.module, creation.node.decorator
    code = f"{edits.partial(module, bare)}(wrapper, {NAMES}={_written(names)})"
    edits.replace(module, bare, lambda node: edits.expression(module, code, creation.node, wrapper=node))


def _option(call: cst.Call, name: str) -> cst.Arg | None:
    return next((each for each in call.args if each.keyword is not None and each.keyword.value == name), None)


def _listed(value: cst.BaseExpression, option: str) -> list[Any]:
    """What is written there: names, or numbers."""
    elements = value.elements if isinstance(value, cst.Tuple | cst.List | cst.Set) else None
    parts = [element.value for element in elements] if elements is not None else [value]
    found: list[Any] = []
    for part in parts:
        sign = -1 if isinstance(part, cst.UnaryOperation) and isinstance(part.operator, cst.Minus) else 1
        plain = part.expression if isinstance(part, cst.UnaryOperation) else part
        if isinstance(plain, cst.SimpleString) and isinstance(plain.evaluated_value, str):
            found.append(plain.evaluated_value)
        elif isinstance(plain, cst.Integer):
            found.append(sign * plain.evaluated_value)
        else:
            raise Declined(STATIC_OPTIONS_NOT_WRITTEN_OUT(option=option))
    return found


def _written(items: Sequence[Any]) -> str:
    texts = [f'"{item}"' if isinstance(item, str) else str(item) for item in items]
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


def _parameters(case: Case) -> list[str]:
    """The parameters of the function, in their order."""
    for container in case.events[-1].signature.structure:
        if container.path == "" and container.type_name == PARAMETERS:
            return list(container.keys)
    raise Declined(PARAMETERS_UNKNOWN())


def _name_of(item: Any, parameters: Sequence[str]) -> str:
    if isinstance(item, str):
        return item
    return parameters[item] if -len(parameters) <= item < len(parameters) else ""


def _remove(edits: Edits, creation: Creation, call: cst.Call, option: str) -> None:
    """Take an option out; what has no other one is the bare wrapper again."""
    module = creation.module
    if not module.holds(creation.node, call):
        raise Declined(STATIC_OPTIONS_SHARED(option=option, place=f"{module.file}:{module.line(call)}"))
    partial = is_partial(module, call.func)

    def without(node: Any) -> Any:
        if not isinstance(node, cst.Call):
            return node
        kept = [each for each in node.args if each.keyword is None or each.keyword.value != option]
        if len(kept) == 1 and partial:
            return kept[0].value
        if not kept:
            return node.func
        last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(args=[*kept[:-1], last])

    edits.amend(module, call, without)
