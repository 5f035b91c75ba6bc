"""What is made anew for each call, and jits or is static, is made once: settings, solvers, samplers, optimisers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import KEPT, Candidate, Change, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.words import MADE_ONCE_KEEPS_STATE
from traceonce.words.notes.common import CACHED_BY_ARGUMENTS
from traceonce.words.notes.declined import NOTHING_IS_MADE

NAME = "kept_object"
_MAKINGS = (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE)


def propose(case: Case) -> Iterator[Candidate]:
    static = sorted(
        cause.path
        for cause in case.diagnosis.causes
        if cause.code in (CauseCode.STATIC_ARGUMENT, CauseCode.IDENTITY) and _are_objects(case, cause.path)
    )
    codes = [code for code in _MAKINGS if code in case.codes]
    if not static and not codes:
        return
    causes = tuple(codes) or (CauseCode.STATIC_ARGUMENT,)
    named = static[0] if static else "made"
    once, cached = f"{named} = …  # once, outside of loops and of functions that run again", "@functools.cache"
    keeps = MADE_ONCE_KEEPS_STATE()
    given = frozenset(Effect("kept", path) for path in static)
    if not case.diagnosis.function.library:
        for inner in (False, True) if static else ():
            yield Candidate(
                NAME, "review", causes, _at_arguments(case, static, inner), None, once, (keeps,), effects=given
            )
    if codes or case.diagnosis.function.library:
        effects = KEPT if codes else given
        change = _at_call_sites(case, cached=False)
        yield Candidate(NAME, "review", causes, change, None, once, (keeps,), effects=effects)
        notes = (keeps, CACHED_BY_ARGUMENTS())
        change = _at_call_sites(case, cached=True)
        yield Candidate(NAME, "review", causes, change, None, cached, notes, effects=effects)


def _are_objects(case: Case, path: str) -> bool:
    leaves = leaves_at(case.signatures, path)
    return bool(leaves) and all(leaf.kind == "object" for leaf in leaves)


def _at_arguments(case: Case, paths: Sequence[str], inner: bool) -> Change:
    """What the calls of the function pass."""

    def change(edits: Edits) -> None:
        from traceonce.fix.hoisting.kept_objects import made_object, move_makings, object_given_to
        from traceonce.fix.source.passed_arguments import find_arguments

        for path in paths:
            made: dict[str, list[cst.BaseExpression]] = {}
            root, _, attribute = path.rpartition(".")
            for argument in find_arguments(case, edits, root if root.isidentifier() else path):
                if root.isidentifier():
                    making = object_given_to(argument.module, argument.node.value, attribute)
                else:
                    making = made_object(argument.module, argument.node.value)
                if making is not None:
                    made.setdefault(argument.module.file, []).append(making)
            if not made:
                raise Declined(NOTHING_IS_MADE())
            for file, makings in made.items():
                move_makings(edits, edits.module(file), makings, inner=inner)

    return change


def _at_call_sites(case: Case, *, cached: bool) -> Change:
    """The objects whose methods lead to the function, in the program's own lines."""

    def change(edits: Edits) -> None:
        from traceonce.fix.hoisting.kept_objects import cache_makings, move_makings, objects_used_at

        lines: dict[str, set[int]] = {}
        for site in case.diagnosis.call_sites:
            if site.file in edits.sources:
                lines.setdefault(site.file, set()).add(site.line)
        makings = {
            file: [made for line in sorted(found) for made in objects_used_at(edits.module(file), line)]
            for file, found in lines.items()
        }
        if not any(makings.values()):
            raise Declined(NOTHING_IS_MADE())
        for file, found in makings.items():
            if cached:
                cache_makings(edits, edits.module(file), found)
            else:
                move_makings(edits, edits.module(file), found, inner=False)

    return change


_SETTINGS = """\
import functools

import jax
import jax.numpy as jnp


class Settings:
    def __init__(self, depth, activation):
        self.depth = depth
        self.activation = activation


@functools.partial(jax.jit, static_argnames="settings")
def forward(x, settings):
    for _ in range(settings.depth):
        x = settings.activation(x)
    return x

{before}
for scale in range(4):{inside}
    print(forward(scale * jnp.ones(2), settings).round(3))
"""
_MADE = "settings = Settings(2, lambda x: jnp.tanh(x) / 2)"

RECIPE = Recipe(
    name=NAME,
    title="Create the object once",
    what="Moves the creation of an object (settings, a solver, a sampler, an optimizer, a model) out of the loop "
    "or function that repeats it. If its arguments vary, `functools.lru_cache` keeps one object per value.",
    why="Code that a library jits per object recompiles for every new object. So does a function that takes the "
    "object as a static argument, unless the object equals an earlier one.",
    beware="All calls share the object, including any state it keeps.",
    propose=propose,
    examples=(
        Example(
            title="Settings that hold a function",
            function="forward",
            traces_before=4,
            traces_after=1,
            program=_SETTINGS.format(before="", inside=f"\n    {_MADE}"),
            repaired=_SETTINGS.format(before=f"\n{_MADE}", inside=""),
        ),
    ),
)
