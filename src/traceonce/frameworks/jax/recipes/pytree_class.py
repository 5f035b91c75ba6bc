"""The source of a class whose objects become pytrees: arrays are arguments of a trace, the rest is compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.wrappers import innermost_given, meaning, resolve_wrapper, wrapped_argument
from traceonce.frameworks.jax.words import CLASS_IS_DERIVED, EQUALITY_BY_HAND, HAS_ITS_OWN, OBJECT_IS_CHANGED

_DATACLASSES = {"dataclasses.dataclass", "flax.struct.dataclass"}
_REGISTERS = {"jax.tree_util.register_pytree_node_class", "jax.tree_util.register_dataclass", "flax.struct.dataclass"}
OTHERS = "*"  # those whose kind was not seen
_LITERALS = (cst.Integer, cst.BaseString, cst.Lambda, cst.Dict, cst.Set)
_OWN = ("tree_flatten", "tree_unflatten", "__getattr__", "__setattr__", "__getstate__")


class Parts(NamedTuple):
    """The attributes of an object: those that hold arrays, and the others."""

    arrays: tuple[str, ...]
    rest: tuple[str, ...]


def register(
    edits: Edits, module: Module, definition: cst.ClassDef, kinds: Mapping[str, bool], methods: set[str]
) -> None:
    """Make the class a pytree, if it is none yet: `kinds` says which attributes are arrays, `methods` are traced."""
    name = definition.name.value
    for method in _methods(definition):
        if method.name.value in methods and any(True for _ in _set_in(method)):
            raise Declined(OBJECT_IS_CHANGED(name=f"{name}.{method.name.value}"))
    if any(meaning(module, each.decorator) & _REGISTERS for each in definition.decorators):
        return
    if any(not isinstance(each.value, cst.Name) or each.value.value != "object" for each in definition.bases):
        raise Declined(CLASS_IS_DERIVED(name=name))
    for statement in definition.body.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value in _OWN:
            raise Declined(HAS_ITS_OWN(name=name, method=statement.name.value))
        if module.code(statement).strip().startswith("__slots__"):
            raise Declined(EQUALITY_BY_HAND(name=name))
    parts = _divide(module, definition, kinds)
    code = _written(parts)
    blank = cst.EmptyLine(indent=False)
    new = [each.with_changes(leading_lines=[blank]) for each in edits.statements(module, code, definition)]
    edits.append(module, definition, *new)
    decorator = cst.Decorator(edits.expression(module, "jax.tree_util.register_pytree_node_class", definition))
    edits.amend(module, definition, lambda node: node.with_changes(decorators=[decorator, *node.decorators]))


def reached_methods(definition: cst.ClassDef, first: str) -> set[str]:
    """The methods that a method calls on `self`, itself among them."""
    by_name = {method.name.value: method for method in _methods(definition)}
    found, waiting = set[str](), [first]
    while waiting:
        name = waiting.pop()
        if name in found or name not in by_name:
            continue
        found.add(name)
        waiting += [node.attr.value for node in walk(by_name[name]) if isinstance(node, cst.Attribute)]
    return found


def _methods(definition: cst.ClassDef) -> Iterator[cst.FunctionDef]:
    for statement in as_block(definition.body).body:
        if isinstance(statement, cst.FunctionDef):
            yield statement


def _set_in(method: cst.FunctionDef) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """The attributes of `self` that a method sets, and to what."""
    if not method.params.params:
        return
    myself = method.params.params[0].name.value
    for node in walk(method.body):
        targets: list[Any] = []
        value = None
        if isinstance(node, cst.Assign):
            targets, value = [each.target for each in node.targets], node.value
        elif isinstance(node, cst.AnnAssign | cst.AugAssign):
            targets = [node.target]
            value = node.value if isinstance(node, cst.AnnAssign) else None
        for target in targets:
            several = isinstance(target, cst.Tuple | cst.List)
            for part in [each.value for each in target.elements] if several else [target]:
                if isinstance(part, cst.Attribute) and isinstance(part.value, cst.Name) and part.value.value == myself:
                    yield part.attr.value, None if several else value


def _divide(module: Module, definition: cst.ClassDef, kinds: Mapping[str, bool]) -> Parts:
    values: dict[str, list[cst.BaseExpression | None]] = {}
    for name, annotated in _fields(module, definition):
        values.setdefault(name, []).append(annotated)
    for method in _methods(definition):
        for name, value in _set_in(method):
            values.setdefault(name, []).append(value)
    arrays, rest = list[str](), list[str]()
    names = {method.name.value for method in _methods(definition)}
    for name, given in values.items():
        if any(value is not None and _is_wrapped(module, value, names) for value in given):
            continue  # a function of the object's own: nothing that a trace reads
        known = kinds.get(name)
        supposed = kinds.get(OTHERS, False) and not any(isinstance(value, _LITERALS) for value in given)
        is_array = known if known is not None else supposed or any(_makes_array(module, value) for value in given)
        (arrays if is_array else rest).append(name)
    return Parts(tuple(arrays), tuple(rest))


def _fields(module: Module, definition: cst.ClassDef) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """The fields of a dataclass."""
    decorators = [each.decorator for each in definition.decorators]
    named = [each.func if isinstance(each, cst.Call) else each for each in decorators]
    if not any(meaning(module, each) & _DATACLASSES for each in named):
        return
    for statement in as_block(definition.body).body:
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name):
                yield part.target.value, part.annotation.annotation


def _makes_array(module: Module, value: cst.BaseExpression | None) -> bool:
    """Is it surely an array, or a float, by how it is written? ``jnp.zeros(3)``, ``0.5``, and ``jax.Array``, a type."""
    if isinstance(value, cst.Float):
        return True
    if isinstance(value, cst.BinaryOperation):
        return _makes_array(module, value.left) or _makes_array(module, value.right)
    expression = value.func if isinstance(value, cst.Call) else value
    names = meaning(module, expression) if isinstance(expression, cst.Name | cst.Attribute) else set()
    if isinstance(value, cst.Call):
        return any(name.startswith(("jax.numpy.", "numpy.", "jax.random.")) for name in names)
    return bool(names & {"jax.Array", "jax.numpy.ndarray", "numpy.ndarray"}) or (
        isinstance(value, cst.Name) and value.value == "float"
    )


def _is_wrapped(module: Module, value: cst.BaseExpression, methods: set[str]) -> bool:
    """Is it ``jax.jit(self.loss)``, or a method of the object?"""
    given = value
    if isinstance(value, cst.Call) and resolve_wrapper(module, value.func) is not None:
        argument = wrapped_argument(value)
        given = innermost_given(module, argument.value) if argument is not None else value
        return True
    return isinstance(given, cst.Attribute) and given.attr.value in methods


def _written(parts: Parts) -> str:
    return "\n".join([
        "def tree_flatten(self):",
        f"    return {_tuple([f'self.{name}' for name in parts.arrays])}, "
        f"{_tuple([f'self.{name}' for name in parts.rest])}",
        "",
        "@classmethod",
        "def tree_unflatten(cls, rest, arrays):",
        "    self = object.__new__(cls)",
        *_filled(parts.arrays, "arrays"),
        *_filled(parts.rest, "rest"),
        "    return self",
    ])  # fmt: skip


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' * (len(items) == 1)})"


def _filled(names: tuple[str, ...], source: str) -> list[str]:
    """By `vars`, since a frozen class lets nothing be set."""
    if not names:
        return []
    listed = _tuple([f'"{name}"' for name in names])
    return [f"    vars(self).update(zip({listed}, {source}))"]
