"""An object that is static, or that jits its own method, becomes a pytree: its arrays are arguments of the trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.recipes.captured_argument import NUMBER, STATIC, read_kinds
from traceonce.frameworks.jax.recipes.pytree_class import OTHERS
from traceonce.frameworks.jax.words import NOT_A_METHOD_JITTED, OBJECT_IS_A_PYTREE

NAME = "pytree"
_CALLABLES = ("function", "partial", "method")


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library:
        return
    objects: dict[str, str] = {}
    for cause in case.diagnosis.causes:
        leaves = leaves_at(case.signatures, cause.path) if cause.code is CauseCode.STATIC_ARGUMENT else []
        if leaves and all(leaf.static and leaf.kind == "object" for leaf in leaves):
            types = {str(leaf.type_name) for leaf in leaves}
            if len(types) == 1 and not types & set(_CALLABLES) and cause.path.isidentifier():
                objects[cause.path] = types.pop()
    kinds = read_kinds(case)
    for path, class_name in objects.items():
        for kind in _numbers_as(kinds):
            change = _made_dynamic(case, path, class_name, kind)
            snippet = f"@jax.tree_util.register_pytree_node_class\nclass {class_name}:  # and {path} no longer static"
            note = OBJECT_IS_A_PYTREE(type=class_name)
            yield Candidate(NAME, "review", (CauseCode.STATIC_ARGUMENT,), change, None, snippet, (note,))
    if CauseCode.NEW_FUNCTION in case.codes or CauseCode.NEW_INSTANCE in case.codes:
        owner, _, method = case.diagnosis.function.name.partition(" [")[0].rpartition(".")
        owner = owner.rpartition(".")[2]
        if not owner or owner == "<locals>" or "[" in case.diagnosis.function.name:
            return
        code = CauseCode.NEW_FUNCTION if CauseCode.NEW_FUNCTION in case.codes else CauseCode.NEW_INSTANCE
        for kind in _numbers_as(kinds):
            snippet = f"@jax.tree_util.register_pytree_node_class\nclass {owner}:  # and @jax.jit above def {method}"
            note = OBJECT_IS_A_PYTREE(type=owner)
            change = _decorated(case, owner, method, kind)
            yield Candidate(NAME, "review", (code,), change, None, snippet, (note,))


def _numbers_as(kinds: Mapping[str, str]) -> Iterator[dict[str, bool]]:
    """Whole numbers are compared; if that does not help, they are arrays, too, or what was not seen is."""
    fixed = {name: kind not in (STATIC, NUMBER) for name, kind in kinds.items()}
    yield fixed
    if NUMBER in kinds.values():
        yield {name: kind != STATIC for name, kind in kinds.items()}
    yield {**fixed, OTHERS: True}


def _made_dynamic(case: Case, path: str, class_name: str, kinds: Mapping[str, bool]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.project.classes import find_class
        from traceonce.frameworks.jax.recipes.pytree_class import reached_methods, register
        from traceonce.frameworks.jax.recipes.static_options import make_dynamic

        module, definition = find_class(edits, case, class_name)
        method = case.diagnosis.function.short_name
        register(edits, module, definition, kinds, reached_methods(definition, method))
        make_dynamic(edits, case, [path])

    return change


def _decorated(case: Case, owner: str, name: str, kinds: Mapping[str, bool]) -> Change:
    """``jax.jit(self.loss)`` is the method itself, which is jitted in its class."""

    def change(edits: Edits) -> None:
        from traceonce.fix.project.classes import find_class
        from traceonce.fix.source.compile_sites import find_creation
        from traceonce.fix.source.wrappers import wrapped_argument
        from traceonce.frameworks.jax.recipes.pytree_class import reached_methods, register

        creation = find_creation(case, edits)
        node = creation.node
        argument = wrapped_argument(node) if isinstance(node, cst.Call) else None
        if argument is None or not isinstance(node, cst.Call) or len(node.args) != 1:
            raise Declined(NOT_A_METHOD_JITTED(name=name))
        module, definition = find_class(edits, case, owner)
        methods = [
            each
            for each in definition.body.body
            if isinstance(each, cst.FunctionDef) and each.name.value == name and not each.decorators
        ]
        given = argument.value
        if len(methods) != 1 or not isinstance(given, cst.Attribute) or given.attr.value != name:
            raise Declined(NOT_A_METHOD_JITTED(name=name))
        register(edits, module, definition, kinds, reached_methods(definition, name))
        jit = cst.Decorator(edits.expression(module, creation.source.wrapper, methods[0]))
        edits.amend(module, methods[0], lambda method: method.with_changes(decorators=[jit]))
        edits.replace(creation.module, node, given)

    return change


_MODEL = """\
import functools

import jax
import jax.numpy as jnp


{registered}class Kernel:
    def __init__(self, points, length):
        self.points = points
        self.length = length

    @{decorator}
    def __call__(self, x):
        return jnp.exp(-(((self.points - x) / self.length) ** 2)).sum()
{methods}

for length in (0.5, 1.0, 2.0, 4.0):
    kernel = Kernel(jnp.arange(3.0), length)
    print(round(float(kernel(1.0)), 4))
"""
_METHODS = """
    def tree_flatten(self):
        return (self.points, self.length), ()

    @classmethod
    def tree_unflatten(cls, rest, arrays):
        self = object.__new__(cls)
        vars(self).update(zip(("points", "length"), arrays))
        return self
"""


def _example(made: Sequence[str]) -> str:
    registered, decorator, methods = made
    return _MODEL.format(registered=registered, decorator=decorator, methods=methods)


RECIPE = Recipe(
    name=NAME,
    title="Register the class as a pytree",
    what="Registers a class with `jax.tree_util.register_pytree_node_class`: its arrays and floats become traced "
    "arguments, and its other attributes are compared. `self` is no longer static; a method that each object "
    "jitted for itself is jitted once, in the class.",
    why="A static object is looked up by `==`, and everything it holds is compiled in. Every new object "
    "retraces, and changes to its attributes go unnoticed. A pytree is read on every call.",
    beware="The trace receives a copy of the object, so attributes set by a traced method would be lost; such "
    "methods are left unchanged. Attributes that are not arrays must be hashable.",
    propose=propose,
    treats_arguments=True,
    examples=(
        Example(
            title="A model rebuilt with other numbers",
            function="Kernel.__call__",
            traces_before=4,
            traces_after=1,
            program=_example(("", "functools.partial(jax.jit, static_argnums=0)", "")),
            repaired=_example(("@jax.tree_util.register_pytree_node_class\n", "jax.jit", _METHODS)),
        ),
    ),
)
