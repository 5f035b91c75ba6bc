"""A class whose objects are static arguments gets `__eq__` and `__hash__`: equal contents, one trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from traceonce.facts import CauseCode, Leaf
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.project.classes import find_class
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import by_contents, predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.equality import compare_contents, own_method
from traceonce.fix.source.module import Module
from traceonce.fix.source.wrappers import meaning
from traceonce.frameworks.jax.words import (
    CLASS_IS_DERIVED,
    DATACLASS_HAS_OPTIONS,
    EQUALITY_BY_HAND,
    HAS_ITS_OWN,
    KEEP_STATIC_OBJECT_UNCHANGED,
)
from traceonce.words.notes.common import HOLDS_MORE_THAN_VALUES

NAME = "static_equality"
# With the types, since 1, True and 1.0 are equal and have the same hash.
METHODS = """
def _key(self):
    return tuple((name, type(value), value) for name, value in sorted(vars(self).items()))


def __eq__(self, other):
    return type(other) is type(self) and other._key() == self._key()


def __hash__(self):
    return hash((type(self), self._key()))
"""


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library:
        return
    causes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.STATIC_ARGUMENT]
    found = {cause.path: leaves_at(case.signatures, cause.path) for cause in causes}
    objects = {path: leaves for path, leaves in found.items() if leaves and all(map(_is_object, leaves))}
    hashed = {path: leaves for path, leaves in objects.items() if any(leaf.unequal_by for leaf in leaves)}
    if hashed:
        yield _by_hash(case, hashed)
        objects = {path: leaves for path, leaves in objects.items() if path not in hashed}
    holding = {path: leaves for path, leaves in objects.items() if all(leaf.contents is not None for leaf in leaves)}
    for path in sorted({*objects} - {*holding}):
        note = HOLDS_MORE_THAN_VALUES(type=objects[path][-1].type_name or "object", path=path)
        yield Candidate(NAME, "advice", (CauseCode.STATIC_ARGUMENT,), notes=(note,))
    repeated = (len({leaf.contents for leaf in ls}) < len({leaf.identity for leaf in ls}) for ls in holding.values())
    if not any(repeated):
        return
    classes = sorted({str(leaf.type_name) for leaves in holding.values() for leaf in leaves})
    left = predict_traces(case.events, by_contents(frozenset(holding)))
    snippet = f"class {classes[0]}:  # with __eq__ and __hash__ by what it holds"
    notes = (KEEP_STATIC_OBJECT_UNCHANGED(),)
    yield Candidate(NAME, "review", (CauseCode.STATIC_ARGUMENT,), _change(case, classes), left, snippet, notes)


def _by_hash(case: Case, hashed: Mapping[str, list[Leaf]]) -> Candidate:
    """Classes with a `__hash__` of contents, and an `__eq__` of identity."""
    classes = sorted({str(leaf.type_name) for leaves in hashed.values() for leaf in leaves if leaf.unequal_by})

    def change(edits: Edits) -> None:
        for name in classes:
            compare_contents(edits, *find_class(edits, case, name))

    snippet = f"class {classes[0]}:  # with __eq__ by what __hash__ compares"
    notes = (KEEP_STATIC_OBJECT_UNCHANGED(),)
    return Candidate(NAME, "review", (CauseCode.STATIC_ARGUMENT,), change, None, snippet, notes)


def _is_object(leaf: Leaf) -> bool:
    return leaf.static and leaf.kind == "object" and leaf.type_name not in ("function", "partial", "method")


def _change(case: Case, classes: list[str]) -> Change:
    def change(edits: Edits) -> None:
        for name in classes:
            module, definition = find_class(edits, case, name)
            if any(own_method(definition, method) for method in ("__eq__", "__hash__")):
                compare_contents(edits, module, definition)
                continue
            _check(module, definition)
            decorator = next((each for each in definition.decorators if _is_dataclass(module, each)), None)
            if decorator is not None:
                _freeze(edits, module, decorator)
            else:
                edits.append(module, definition, *_spaced(edits.statements(module, METHODS)))

    return change


def _check(module: Module, definition: cst.ClassDef) -> None:
    name = definition.name.value
    for statement in definition.body.body:
        if module.code(statement).strip().startswith("__slots__"):
            raise Declined(EQUALITY_BY_HAND(name=name))
        if isinstance(statement, cst.FunctionDef) and statement.name.value == "_key":
            raise Declined(HAS_ITS_OWN(name=name, method=statement.name.value))
    if definition.bases:
        raise Declined(CLASS_IS_DERIVED(name=name))


def _is_dataclass(module: Module, decorator: cst.Decorator) -> bool:
    expression = decorator.decorator
    named = expression.func if isinstance(expression, cst.Call) else expression
    return "dataclasses.dataclass" in meaning(module, named)


def _freeze(edits: Edits, module: Module, decorator: cst.Decorator) -> None:
    """``@dataclass(eq=False)``, which compares objects by identity, as ``@dataclass(frozen=True)``."""
    expression = decorator.decorator
    given = expression.args if isinstance(expression, cst.Call) else ()
    if not isinstance(expression, cst.Call) or [each.keyword.value for each in given if each.keyword] != ["eq"]:
        raise Declined(DATACLASS_HAS_OPTIONS())
    frozen = edits.expression(module, "make(frozen=True)", make=expression.func)
    edits.replace(module, expression, frozen)


def _spaced(statements: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
    blank = cst.EmptyLine(indent=False)
    return [statement.with_changes(leading_lines=[blank]) for statement in statements]


_CONFIG = """\
import functools

import jax
import jax.numpy as jnp


class Config:
    def __init__(self, depth, rate):
        self.depth = depth
        self.rate = rate
{methods}

@functools.partial(jax.jit, static_argnames=("config",))
def apply(x, config):
    for _ in range(config.depth):
        x = x * config.rate
    return x


for rate in (0.5, 0.5, 0.5, 2.0, 0.5):
    print(apply(jnp.ones(2), Config(depth=2, rate=rate)))
"""
_WRITTEN = """
    def _key(self):
        return tuple((name, type(value), value) for name, value in sorted(vars(self).items()))

    def __eq__(self, other):
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self):
        return hash((type(self), self._key()))
"""
_DATACLASS = """\
import dataclasses
import functools

import jax
import jax.numpy as jnp


@dataclasses.dataclass({options})
class Window:
    width: int


@functools.partial(jax.jit, static_argnames="window")
def head(x, window):
    return x[: window.width].sum()


for width in (2, 2, 3, 3, 2):
    print(head(jnp.arange(5.0), Window(width)))
"""

_HASHED = """\
import functools

import jax
import jax.numpy as jnp


class Window:
    def __init__(self, width):
        self.width = width
        self.weights = {{at: 1 / (1 + at) for at in range(width)}}

    def __hash__(self):
        return hash(self.width)
{equality}

@functools.partial(jax.jit, static_argnames="window")
def smooth(x, window):
    if window.width > 2:
        x = x / 2
    return sum(x[at : at + 3] * weight for at, weight in window.weights.items())


for width in (2, 2, 3, 3, 2):
    print(smooth(jnp.arange(5.0), Window(width)))
"""
_BY_HASH = """
    def __eq__(self, other):
        return type(other) is type(self) and other.width == self.width
"""

RECIPE = Recipe(
    name=NAME,
    title="Compare static objects by value",
    what="Adds `__eq__` and `__hash__` to a class, or freezes a dataclass that compares by identity.",
    why="JAX looks static arguments up by `==` and `hash`. Objects of a plain class equal only themselves, so a "
    "configuration rebuilt per call retraces even though it prints the same. `__hash__` alone changes nothing: the "
    "class also gets an `__eq__` that compares the same values.",
    beware="Changes made to the object after it was passed go unnoticed. Objects that hold arrays or lists "
    "cannot be keys: keep one object, or pass the arrays as arguments.",
    propose=propose,
    treats_arguments=True,
    examples=(
        Example(
            title="A configuration rebuilt for each call",
            function="apply",
            traces_before=5,
            traces_after=2,
            program=_CONFIG.format(methods=""),
            repaired=_CONFIG.format(methods=_WRITTEN),
        ),
        Example(
            title="A dataclass compared by identity",
            function="head",
            traces_before=5,
            traces_after=2,
            program=_DATACLASS.format(options="eq=False"),
            repaired=_DATACLASS.format(options="frozen=True"),
        ),
        Example(
            title="A `__hash__` without `__eq__`",
            function="smooth",
            traces_before=5,
            traces_after=2,
            program=_HASHED.format(equality=""),
            repaired=_HASHED.format(equality=_BY_HASH),
        ),
    ),
)
