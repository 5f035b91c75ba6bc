"""What a function that is jitted again and again closes over becomes an argument of one that is jitted once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Change, Example, Recipe, Settled
from traceonce.fix.case import Case
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.recipes.array_argument import is_static_by_itself
from traceonce.frameworks.jax.words import BECOMES_STATIC
from traceonce.words.notes.common import CURRENT_VALUE_PASSED

if TYPE_CHECKING:
    from traceonce.fix.source.module import Module

NAME = "captured_argument"
_TRANSPARENT = frozenset(
    f"jax.{name}" for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "checkpoint", "remat", "jit")
)
_MAPPING = frozenset({"jax.vmap"})
NUMBER, _ARRAY, STATIC, _OBJECT = "number", "array", "static", "object"
_CONTAINERS = ("list", "dict", "tuple", "OrderedDict", "FrozenDict")


def propose(case: Case) -> Iterator[Candidate]:
    function = case.diagnosis.function
    causes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.NEW_FUNCTION]
    if not causes or function.library or function.loop:
        return
    differs = next((cause.differs for cause in causes if cause.differs), ())
    kinds = read_kinds(case)
    names = [_plain(path) for path in differs]
    given = ", ".join(["…", *(f"{name}={name}" for name in names if name.isidentifier())])
    snippet = f"{function.short_name}({given})  # jitted once; closed-over values are arguments"
    for variant in _variants(kinds, by_itself=is_static_by_itself(case.diagnosis)):
        for nearest in (True, False):
            kept = {*variant.static, *variant.movable}
            all_given = bool(names) and set(names) <= kinds.keys() and not kept & set(names)
            left = predict_traces(case.events, one_object=True) if all_given else None
            fixed = [name for name in variant.static if kinds[name] != STATIC]
            notes = (CURRENT_VALUE_PASSED(), *([BECOMES_STATIC(names=fixed)] if fixed else []))
            change = _change(case, variant, nearest)
            yield Candidate(NAME, "review", (CauseCode.NEW_FUNCTION,), change, left, snippet, notes, passes_state=True)


class _Variant(NamedTuple):
    """Which of the names are static, and which objects are made where the function is.

    `whole`: the object whose method makes it is passed as it is, as a pytree.
    """

    static: tuple[str, ...] = ()
    movable: tuple[str, ...] = ()
    whole: bool = False


def _variants(kinds: Mapping[str, str], *, by_itself: bool) -> Iterator[_Variant]:
    """Objects are moved, else passed; whole numbers and objects are static where they cannot be arguments."""

    def named(kind: str) -> tuple[str, ...]:
        return tuple(sorted(name for name, each in kinds.items() if each == kind))

    fixed, wholes, objects = ((), (), named(_OBJECT)) if by_itself else map(named, (STATIC, NUMBER, _OBJECT))
    if objects:
        yield _Variant(fixed, objects)
    yield _Variant(fixed)
    if wholes:
        yield _Variant((*fixed, *wholes), objects)
    if objects and not by_itself:
        yield _Variant((*fixed, *objects))
    if not by_itself:
        yield _Variant(fixed, objects, whole=True)


def _plain(path: str) -> str:
    """`data` of ``data (bound by partial)``; `x` of ``self.x``."""
    return path.partition(" ")[0].rpartition(".")[2]


def read_kinds(case: Case) -> dict[str, str]:
    """What is read from outside: arrays, numbers that could be arrays, and what only Python can hold."""
    found: dict[str, str] = {}
    for event in case.events:
        for path, text in event.reads.items():
            kind = _kind(text)
            name = _plain(path)
            if found.get(name) != STATIC:
                found[name] = kind
    return found


def _numbers(case: Case) -> set[str]:
    texts = {_plain(path): text for event in case.events for path, text in event.reads.items()}
    return {name for name, text in texts.items() if re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", text)}


def _kind(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        type_name = text.partition(" ")[0]
        plain = type_name in ("function", "method", "partial", "code", "module", "type", "builtin_function_or_method")
        if plain or type_name == "PjitFunction":
            return STATIC
        return _ARRAY if "rray" in text or type_name in _CONTAINERS else _OBJECT
    if isinstance(value, float | complex) or (isinstance(value, int) and not isinstance(value, bool)):
        return NUMBER if isinstance(value, int) else _ARRAY
    return _ARRAY if isinstance(value, list | dict) else STATIC


def _change(case: Case, variant: _Variant, nearest: bool) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.hoisting.captures import pass_captured
        from traceonce.fix.source.compile_sites import find_creation
        from traceonce.frameworks.jax.recipes.pytree_class import reached_methods, register
        from traceonce.frameworks.jax.recipes.static_options import add_static_names

        creation = find_creation(case, edits)

        def make_static(names: Sequence[str]) -> None:
            chosen = [name for name in names if name in variant.static]
            if chosen:
                add_static_names(edits, creation, chosen)

        def register_class(module: Module, definition: cst.ClassDef, read: set[str]) -> None:
            kinds = {name: kind not in (STATIC, NUMBER) for name, kind in read_kinds(case).items()}
            methods = set().union(*(reached_methods(definition, name) for name in read))
            register(edits, module, definition, kinds, methods)

        by_itself = is_static_by_itself(case.diagnosis)  # what is no array is static then
        templates = dict.fromkeys(_numbers(case), "jnp.asarray(value)") if by_itself else {}
        pass_captured(
            edits,
            creation,
            _TRANSPARENT,
            _MAPPING,
            nearest=nearest,
            make_static=make_static,
            templates=templates,
            movable=variant.movable,
            register=register_class if variant.whole else None,
        )

    return change


_FIT = """\
{functools}import jax
import jax.numpy as jnp


def squared_error(slope, x, y):
    return jnp.mean((slope * x - y) ** 2)

{made}
def fit(x, y):
    slope = 0.0
    gradient = {gradient}
    for _ in range(3):
        slope = slope - 0.1 * gradient(slope)
    return slope


x = jnp.arange(4.0)
for target in (1.0, 2.0, 3.0, 4.0):
    print(round(float(fit(x, target * x)), 4))
"""
_STEP = """\
import jax
import jax.numpy as jnp

{before}
def scores(boundaries, values):
    result = []
    for boundary in boundaries:
{inside}        result.append(float(above({values})))
    return result


print(scores((0.5, 1.5, 2.5), jnp.arange(4.0)))
"""

RECIPE = Recipe(
    name=NAME,
    title="Turn closed-over values into arguments",
    what="Moves a function that is jitted once per closed-over value out of the loop, function or method, and "
    "passes those values by keyword. Values bound by a `partial` are passed too.",
    why="JAX caches compiled code per jitted Python function and compiles in every value it closes over. One "
    "function that takes the values as arguments is traced once for all of them.",
    beware="The former constant becomes an argument. A number that decides a shape or an `if` becomes static, "
    "and costs one trace per value.",
    propose=propose,
    settled=Settled(frozenset({CauseCode.NEW_FUNCTION}), one_function=True),
    examples=(
        Example(
            title="The gradient of a partial, one per data set",
            function="squared_error [grad]",
            traces_before=4,
            traces_after=1,
            program=_FIT.format(
                functools="import functools\n",
                made="",
                gradient="jax.jit(jax.grad(functools.partial(squared_error, x=x, y=y)))",
            ),
            repaired=_FIT.format(
                functools="import functools\n",
                made="\ntraced_squared_error = jax.jit(jax.grad(squared_error))\n\n",
                gradient="functools.partial(traced_squared_error, x=x, y=y)",
            ),
        ),
        Example(
            title="A function defined for each number",
            function="above",
            traces_before=3,
            traces_after=1,
            program=_STEP.format(
                before="",
                inside="""
        @jax.jit
        def above(x):
            return jnp.where(x > boundary, x, 0.0).sum()

""",
                values="values",
            ),
            repaired=_STEP.format(
                before="""
@jax.jit
def above(x, *, boundary):
    return jnp.where(x > boundary, x, 0.0).sum()

""",
                inside="",
                values="values, boundary=boundary",
            ),
        ),
    ),
)
