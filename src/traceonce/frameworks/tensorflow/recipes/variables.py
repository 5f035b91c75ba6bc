"""A value that changes becomes a `tf.Variable`: made where it was first set, assigned wherever it was set again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.hoisting.homes import Home, runs_again
from traceonce.fix.hoisting.placement import place, written
from traceonce.fix.project.modules import file_meant
from traceonce.fix.project.related import related_files
from traceonce.fix.source.binders import binders_seen
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.module import Module
from traceonce.fix.source.scopes import scope_of
from traceonce.frameworks.tensorflow.words import (
    BOUND_OTHERWISE,
    DECLARED_AGAIN,
    ENTRY_OF_CONTAINER,
    FIRST_SETTING_UNCLEAR,
    NO_CLASS_SETS_IT,
    SET_TOGETHER,
    SETTING_NOT_FOUND,
    SEVERAL_CLASSES_HAVE_IT,
)

_METHODS = {cst.AddAssign: "assign_add", cst.SubtractAssign: "assign_sub"}


class _Setting(NamedTuple):
    """One place that sets the value: ``target = value``, ``target: T = value``, ``target += value``, or a parameter."""

    module: Module
    statement: Any
    target: cst.BaseExpression


def make_variable(edits: Edits, case: Case, path: str, dtype: str) -> None:
    """Turn the name or the attribute at `path` into a variable of this dtype, everywhere in the project."""
    root, _, attribute = path.rpartition(".")
    if "[" in path:
        raise Declined(ENTRY_OF_CONTAINER(path=path))
    file = _module_meant(edits, case, root) if root else None
    if file is not None:
        settings = list(_of_module(edits, case, edits.module(file), attribute))
    else:
        settings = list(_of_attribute(edits, case, attribute) if root else _of_name(edits, case, path))
    of_object = root and file is None
    first = [setting for setting in settings if _is_first(setting, attribute if of_object else None)]
    if len(first) != 1:
        raise Declined(FIRST_SETTING_UNCLEAR(path=path, count=len(first)))
    for setting in settings:
        if setting is first[0]:
            _initialise(edits, setting, dtype)
        else:
            _assign(edits, setting)


def _module_meant(edits: Edits, case: Case, root: str) -> str | None:
    """The file, where the value is an attribute of a module of the project."""
    module, definition = find_definition(case.diagnosis.function, edits)
    return file_meant(edits, module, root, definition.body)


def _of_module(edits: Edits, case: Case, owner: Module, name: str) -> Iterator[_Setting]:
    """Where the module itself sets the name, and where others set it through the module."""
    for binder in binders_seen(owner, name, owner.tree.body[0]) if owner.tree.body else ():
        yield _setting(owner, binder, name)
    for setting in _attributes(edits, case, name):
        target = setting.target
        assert isinstance(target, cst.Attribute)
        holder = setting.module.code(target.value)
        if file_meant(edits, setting.module, holder, setting.statement) == owner.file:
            yield setting


def _of_name(edits: Edits, case: Case, name: str) -> Iterator[_Setting]:
    module, definition = find_definition(case.diagnosis.function, edits)
    found = binders_seen(module, name, definition.body)
    if not found:
        raise Declined(SETTING_NOT_FOUND(name=name))
    for binder in found:
        yield _setting(module, binder, name)
    stem = module.file.rpartition("/")[2].removesuffix(".py")
    for setting in _attributes(edits, case, name):
        if setting.module is not module and setting.module.code(setting.target) == f"{stem}.{name}":
            yield setting


def _setting(module: Module, binder: cst.CSTNode, name: str) -> _Setting:
    if isinstance(binder, cst.Param) and _is_plain_parameter(module, binder):
        return _Setting(module, binder, binder.name)
    statement = module.parent(binder) if isinstance(binder, cst.AssignTarget) else binder
    if isinstance(statement, cst.Assign) and len(statement.targets) > 1:
        raise Declined(SET_TOGETHER(name=name, line=module.line(binder)))
    target = getattr(binder, "target", None)
    settable = isinstance(statement, cst.Assign | cst.AugAssign | cst.AnnAssign)
    if not settable or not isinstance(target, cst.Name | cst.Attribute):
        raise Declined(BOUND_OTHERWISE(name=name, line=module.line(binder)))
    return _Setting(module, statement, target)


def _is_plain_parameter(module: Module, parameter: cst.Param) -> bool:
    """Of a function with a body, and neither ``*args`` nor ``**kwargs``."""
    parameters = module.parent(parameter)
    return isinstance(module.parent(parameters) if parameters else None, cst.FunctionDef) and parameter.star in (
        "",
        None,
    )


def _attributes(edits: Edits, case: Case, name: str) -> Iterator[_Setting]:
    """Every place of the project that sets an attribute of this name."""
    for file in related_files(edits, case, f".{name}"):
        try:
            module = edits.module(file)
        except Declined:  # it cannot be parsed
            continue
        for kind in (cst.AssignTarget, cst.AugAssign, cst.AnnAssign):
            for node in module.nodes(kind):
                target = node.target  # type: ignore[attr-defined]  # all three have one
                if isinstance(target, cst.Attribute) and target.attr.value == name:
                    yield _setting(module, node, name)


def _of_attribute(edits: Edits, case: Case, name: str) -> list[_Setting]:
    found = list(_attributes(edits, case, name))
    classes = {owner for setting in found if (owner := _own_class(setting)) is not None}
    if len(classes) > 1:
        names = ", ".join(sorted(owner.name.value for owner in classes))
        raise Declined(SEVERAL_CLASSES_HAVE_IT(name=name, classes=names))
    if not classes:
        raise Declined(NO_CLASS_SETS_IT(path=f"self.{name}"))
    return found


def _own_class(setting: _Setting) -> cst.ClassDef | None:
    """The class whose method sets an attribute of `self` here."""
    method = scope_of(setting.module, setting.statement)
    owner = scope_of(setting.module, method) if isinstance(method, cst.FunctionDef) else None
    if not isinstance(method, cst.FunctionDef) or not isinstance(owner, cst.ClassDef) or not method.params.params:
        return None
    assert isinstance(setting.target, cst.Attribute)
    return owner if setting.module.code(setting.target.value) == method.params.params[0].name.value else None


def _is_first(setting: _Setting, attribute: str | None) -> bool:
    """Is the value set here before it is set anywhere else, and once?"""
    module, statement = setting.module, setting.statement
    if isinstance(statement, cst.Param):
        return True
    if isinstance(statement, cst.AugAssign) or getattr(statement, "value", None) is None:
        return False
    scope = scope_of(module, statement)
    if attribute is not None:
        return _own_class(setting) is not None and isinstance(scope, cst.FunctionDef) and scope.name.value == "__init__"
    if isinstance(setting.target, cst.Attribute):
        return False
    found = binders_seen(module, module.code(setting.target), statement)
    if any(isinstance(binder, cst.Param) for binder in found):
        return False
    earliest = min(found, key=module.line)
    inner: cst.CSTNode = statement
    for outer in module.ancestors(statement):
        if outer is scope:
            break
        if runs_again(outer, inner) or isinstance(outer, cst.If | cst.Try):
            return False
        inner = outer
    return earliest in (statement, *statement.children)


def _initialise(edits: Edits, setting: _Setting, dtype: str) -> None:
    module, statement = setting.module, setting.statement
    made = f"tf.Variable(value, dtype=tf.{dtype}, trainable=False)"
    if isinstance(statement, cst.Param):
        _initialise_parameter(edits, module, statement, made)
        return

    def made_variable(node: Any) -> Any:
        value = edits.expression(module, made, at=statement, value=node.value)
        if isinstance(node, cst.AnnAssign):  # what was declared a number is none any more
            return cst.Assign([cst.AssignTarget(node.target)], value)
        return node.with_changes(value=value)

    edits.expression(module, made, at=statement, value=statement.value)  # an import must be asked for before the end
    edits.amend(module, statement, made_variable)


def _initialise_parameter(edits: Edits, module: Module, parameter: cst.Param, made: str) -> None:
    """What comes in becomes a variable of the same name, before anything else is done."""
    function = next(outer for outer in module.ancestors(parameter) if isinstance(outer, cst.FunctionDef))
    name = parameter.name.value
    new = edits.statements(module, f"{name} = {made}", at=function.body, value=cst.Name(name))

    body = function.body
    start = 1 if function.get_docstring() is not None else 0
    if isinstance(body, cst.IndentedBlock) and len(body.body) > start:
        place(edits, module, Home(body.body[start], function), written(new))
    else:
        edits.amend(module, body, lambda node: _beginning_with(as_block(node), new))


def _beginning_with(block: cst.IndentedBlock, new: list[cst.BaseStatement]) -> cst.IndentedBlock:
    return block.with_changes(body=[*new, *block.body])


def _assign(edits: Edits, setting: _Setting) -> None:
    module, statement = setting.module, setting.statement
    target = module.code(setting.target)
    if statement.value is None:
        raise Declined(DECLARED_AGAIN(name=target, line=module.line(statement)))
    code = f"{target}.assign(value)"
    if isinstance(statement, cst.AugAssign):
        method = _METHODS.get(type(statement.operator))
        sign = module.code(statement.operator).strip().removesuffix("=")
        code = f"{target}.{method}(value)" if method else f"{target}.assign({target} {sign} value)"

    edits.replace(module, statement, lambda node: cst.Expr(edits.expression(module, code, value=node.value)))
