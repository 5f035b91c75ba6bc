"""A configuration object gets a trace type: equal contents, one trace, whichever object holds them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import msgspec

from traceonce.facts import CauseCode, Leaf
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe, Settled
from traceonce.fix.case import Case
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.homes import Home
from traceonce.fix.hoisting.placement import place, written
from traceonce.fix.project.classes import find_class
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import SignatureChange, by_contents, each_leaf, in_turn, predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.equality import compare_contents
from traceonce.fix.source.module import Module
from traceonce.frameworks.tensorflow.recipes.stable_home import CALLABLES, CODES
from traceonce.frameworks.tensorflow.words import HELPER_NAME_TAKEN, TRACE_TYPE_BY_HAND, TRACE_TYPE_THERE_ALREADY
from traceonce.words.notes.common import HOLDS_MORE_THAN_VALUES

HELPER = '''\
class _ByContents(tf.types.experimental.TraceType):
    """Objects of one class share a trace if all their attributes are equal, and of the same types."""

    def __init__(self, thing):
        self.thing = thing
        self.contents = type(thing), self.exactly(tuple(sorted(vars(thing).items())))

    def exactly(self, value):
        return tuple(map(self.exactly, value)) if type(value) is tuple else (type(value), value)

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.thing

    def cast(self, value, cast_context=None):
        return value

    def __eq__(self, other):
        return isinstance(other, _ByContents) and self.contents == other.contents

    def __hash__(self):
        return hash(self.contents)
'''
METHOD = """
def __tf_tracing_type__(self, context):
    return _ByContents(self)
"""
_HELPER_NAME = "_ByContents"


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library:
        return
    yield from _equality(case)
    found = {cause.path: _leaves(case, cause.path) for cause in case.diagnosis.causes if cause.code in CODES}
    paths = {path: leaves for path, leaves in found.items() if leaves and not _are_functions(leaves)}
    if not paths:
        return
    causes = tuple(code for code in CODES if code in case.codes)
    holding = {path: leaves for path, leaves in paths.items() if all(leaf.contents is not None for leaf in leaves)}
    classes = sorted({str(leaf.type_name) for leaves in holding.values() for leaf in leaves})
    for path in sorted({*paths} - {*holding}):
        note = HOLDS_MORE_THAN_VALUES(type=paths[path][-1].type_name or "object", path=path)
        yield Candidate("tracing_type", "advice", causes, notes=(note,))
    left = predict_traces(case.events, by_contents(frozenset(holding)))
    repeated = (len({leaf.contents for leaf in ls}) < len({leaf.identity for leaf in ls}) for ls in holding.values())
    if not any(repeated):
        return
    snippet = f"class {classes[0]}:\n    def __tf_tracing_type__(self, context):\n        return {_HELPER_NAME}(self)"
    yield Candidate("tracing_type", "review", causes, _change(case, classes), left, snippet)


def _equality(case: Case) -> Iterator[Candidate]:
    """Types, or objects that they hold, that do not even equal themselves: they are compared by contents, too."""
    paths = {cause.path for cause in case.diagnosis.causes if cause.code is CauseCode.UNEQUAL}
    leaves = [leaf for path in sorted(paths) for leaf in leaves_at(case.signatures, path) if leaf.unequal_by]
    classes = sorted({str(leaf.type_name) for leaf in leaves if leaf.type_name not in CALLABLES})
    if classes:
        snippet = f"class {classes[0]}:\n    # with __eq__ by what __hash__ compares, or by what __init__ sets"
        yield Candidate("tracing_type", "review", (CauseCode.UNEQUAL,), _equality_of(case, classes), None, snippet)


def _equality_of(case: Case, classes: list[str]) -> Change:
    def change(edits: Edits) -> None:
        for name in classes:
            compare_contents(edits, *find_class(edits, case, name))

    return change


def _equal(paths: frozenset[str]) -> SignatureChange:
    """The same as it would be: objects are compared by contents, and a type equals itself."""

    def equal(leaf: Leaf) -> Leaf:
        itself = leaf.unequal_by is not None and leaf.path in paths
        return msgspec.structs.replace(leaf, kind="spec", unequal_by=None, identity=None) if itself else leaf

    return in_turn(each_leaf(equal), by_contents(paths))


def _leaves(case: Case, path: str) -> list[Leaf]:
    """The objects seen at the path; one that was gone before anybody looked tells nothing."""
    leaves = leaves_at(case.signatures, path)
    return [leaf for leaf in leaves if leaf.kind == "object" and leaf.type_name != "collected object"]


def _are_functions(leaves: list[Leaf]) -> bool:
    return any(leaf.type_name in CALLABLES for leaf in leaves)


def _change(case: Case, classes: list[str]) -> Change:
    def change(edits: Edits) -> None:
        helped: list[Module] = []
        for name in classes:
            module, definition = find_class(edits, case, name)
            _check(module, definition)
            edits.append(module, definition, *_spaced(edits.statements(module, METHOD, at=definition)))
            if module not in helped and not _has_helper(module):
                helped.append(module)
                _add_helper(edits, module, definition)

    return change


def _check(module: Module, definition: cst.ClassDef) -> None:
    name = definition.name.value
    for statement in definition.body.body:
        code = module.code(statement).strip()
        if code.startswith("__slots__"):
            raise Declined(TRACE_TYPE_BY_HAND(name=name))
        if isinstance(statement, cst.FunctionDef) and statement.name.value == "__tf_tracing_type__":
            raise Declined(TRACE_TYPE_THERE_ALREADY(name=name))
    if any("slots" in module.code(decorator) for decorator in definition.decorators):
        raise Declined(TRACE_TYPE_BY_HAND(name=name))


def _has_helper(module: Module) -> bool:
    return any(
        isinstance(statement, cst.ClassDef) and statement.name.value == _HELPER_NAME for statement in module.tree.body
    )


def _add_helper(edits: Edits, module: Module, definition: cst.ClassDef) -> None:
    if fresh_name(module, _HELPER_NAME) != _HELPER_NAME:
        raise Declined(HELPER_NAME_TAKEN(name=_HELPER_NAME, file=module.file))
    top = definition if module.parent(definition) is module.tree else None
    outermost = top or next(node for node in module.ancestors(definition) if module.parent(node) is module.tree)
    place(edits, module, Home(outermost, module.tree), written(edits.statements(module, HELPER)))


def _spaced(statements: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
    blank = cst.EmptyLine(indent=False)
    return [statement.with_changes(leading_lines=[blank]) for statement in statements]


_CONFIG = Example(
    title="A configuration rebuilt for each call",
    program="""\
import tensorflow as tf


class Config:
    def __init__(self, depth, rate):
        self.depth = depth
        self.rate = rate


@tf.function
def step(x, config):
    for _ in range(config.depth):
        x = x * config.rate
    return x


for rate in (0.5, 0.5, 0.5, 2.0):
    print(step(tf.ones([2]), Config(depth=2, rate=rate)).numpy())
""",
    function="step",
    traces_before=4,
    repaired=f"""\
import tensorflow as tf


{HELPER}

class Config:
    def __init__(self, depth, rate):
        self.depth = depth
        self.rate = rate

    def __tf_tracing_type__(self, context):
        return _ByContents(self)


@tf.function
def step(x, config):
    for _ in range(config.depth):
        x = x * config.rate
    return x


for rate in (0.5, 0.5, 0.5, 2.0):
    print(step(tf.ones([2]), Config(depth=2, rate=rate)).numpy())
""",
    traces_after=2,
)

_FROZEN = Example(
    title="A frozen dataclass",
    program="""\
import dataclasses
import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Options:
    axis: int = 0
    keepdims: bool = False


@tf.function
def total(x, options):
    return tf.reduce_sum(x, axis=options.axis, keepdims=options.keepdims)


for keepdims in (False, True, False, True):
    print(total(tf.ones([2, 3]), Options(1, keepdims)).shape)
""",
    function="total",
    traces_before=4,
    repaired=f"""\
import dataclasses
import tensorflow as tf


{HELPER}

@dataclasses.dataclass(frozen=True)
class Options:
    axis: int = 0
    keepdims: bool = False

    def __tf_tracing_type__(self, context):
        return _ByContents(self)


@tf.function
def total(x, options):
    return tf.reduce_sum(x, axis=options.axis, keepdims=options.keepdims)


for keepdims in (False, True, False, True):
    print(total(tf.ones([2, 3]), Options(1, keepdims)).shape)
""",
    traces_after=2,
)

_TYPES = """\
import tensorflow as tf


class Range:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def __tf_tracing_type__(self, context):
        return RangeType(self.low, self.high)


class RangeType(tf.types.experimental.TraceType):
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return Range(self.low, self.high)

    def __hash__(self):
        return hash((self.low, self.high))
{equality}

@tf.function
def rescale(x, span):
    return (x - span.low) / (span.high - span.low)


for high in (2.0, 2.0, 4.0, 2.0):
    print(rescale(tf.ones([2]), Range(0.0, high)).numpy())
"""
_IS = """
    def __eq__(self, other):
        return self is other
"""
_BY_HASH = """
    def __eq__(self, other):
        return type(other) is type(self) and (other.low, other.high) == (self.low, self.high)
"""
_UNEQUAL = Example(
    title="A type that never equals itself",
    program=_TYPES.format(equality=_IS),
    function="rescale",
    traces_before=4,
    repaired=_TYPES.format(equality=_BY_HASH),
    traces_after=2,
)

RECIPE = Recipe(
    name="tracing_type",
    title="Compare a configuration by value",
    what="Adds `__tf_tracing_type__` to the class of an object argument, so that TensorFlow compares its "
    "contents instead of its identity. A type that does not equal itself gets an `__eq__` over the fields that its "
    "`__hash__` or its `__init__` names.",
    why="TensorFlow compares an object of an unknown class with `==` while both objects are alive, and never "
    "matches one that was garbage-collected. `__hash__` alone changes nothing, and `__eq__` does not help "
    "objects created at the call.",
    beware="Everything the function reads from the object must be an instance attribute of a plain type: "
    "numbers, strings or tuples of those. Class attributes are not compared. Tensors and variables do not "
    "belong in it.",
    propose=propose,
    settled=Settled(frozenset({CauseCode.IDENTITY, CauseCode.COLLECTED, CauseCode.UNEQUAL}), _equal),
    examples=(_CONFIG, _FROZEN, _UNEQUAL),
)
