"""A static number that is another one at every call becomes an argument like any other, where the body allows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts import CauseCode, Diagnosis, Leaf
from traceonce.facts.event import package_path
from traceonce.facts.replay import Site
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_words
from traceonce.fix.recipes.library_report import library_of
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import LIFTABLE, SignatureChange, each_leaf, predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.words import VALUE_NOT_IN_PYTHON
from traceonce.words.notes.declined import NO_CALL_GIVES

NAME = "array_argument"
DTYPES = {"int": "int32", "float": "float32"}

_STATIC_BY_ITSELF = ("equinox",)  # their jit makes static what is no array


def is_static_by_itself(diagnosis: Diagnosis) -> bool:
    """Is it compiled by a library that takes for static what is no array, so that there is no `static_argnames`?"""
    sites = [package_path(site.via or "").partition("/")[0] for site in diagnosis.call_sites]
    through = bool(sites) and all(package in _STATIC_BY_ITSELF for package in sites)
    return through or library_of(diagnosis) in _STATIC_BY_ITSELF


def varying_numbers(case: Case) -> list[str]:
    """The static parameters that are a number each time, and not always the same.

    Read off the signatures: where the function is made anew each time, that hides what else is new.
    """
    varying = {leaf.path for one in case.signatures for leaf in one.leaves if leaf.static}
    return sorted(path for path in varying if path.isidentifier() and _are_numbers(case, path))


def propose(case: Case) -> Iterator[Candidate]:
    paths = varying_numbers(case)
    if not paths or case.diagnosis.function.library:
        return
    if is_static_by_itself(case.diagnosis):
        yield _given_as_arrays(case, paths)
        return
    yield _candidate(case, paths)
    if len(paths) > 1:
        yield from (_candidate(case, [path]) for path in paths)


def _are_numbers(case: Case, path: str) -> bool:
    """Is it always a number, and not always the same?"""
    leaves = leaves_at(case.signatures, path)
    plain = all(leaf.static and leaf.type_name in LIFTABLE for leaf in leaves)
    return plain and len({leaf.value for leaf in leaves}) > 1


def _candidate(case: Case, paths: Sequence[str]) -> Candidate:
    names = enumerate_words(paths)
    notes = (VALUE_NOT_IN_PYTHON(names=paths),)
    snippet = f"@jax.jit  # without {names} among its static arguments"
    left = predict_traces(case.events, as_arrays(frozenset(paths)))
    return Candidate(NAME, "review", (CauseCode.STATIC_ARGUMENT,), _change(case, paths), left, snippet, notes)


def _given_as_arrays(case: Case, paths: Sequence[str]) -> Candidate:
    """What is static for being a number is an array where the function is called."""
    diagnosis = case.diagnosis
    # Calls through a library's wrapper are known by their lines.
    seen = tuple(Site(diagnosis.function, each.file, each.line, count=each.count) for each in diagnosis.call_sites)
    called = case._replace(sites=case.sites or seen)

    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        for path in paths:
            arguments = find_arguments(called, edits, path)
            if not arguments:
                raise Declined(NO_CALL_GIVES(path=path))
            for argument in arguments:
                wrap_argument(edits, argument, "jnp.asarray(value)")

    given = ", ".join(f"{path}=jnp.asarray({path})" for path in paths)
    return Candidate(
        NAME,
        "review",
        (CauseCode.STATIC_ARGUMENT,),
        change,
        predict_traces(case.events, as_arrays(frozenset(paths))),
        f"{diagnosis.function.short_name}({given})",
        (VALUE_NOT_IN_PYTHON(names=paths),),
        effects=frozenset(Effect("lifted", path) for path in paths),
    )


def as_arrays(paths: frozenset[str]) -> SignatureChange:
    """Static numbers at these paths are arrays, as JAX sees a Python number."""

    def changed(leaf: Leaf) -> Leaf:
        if leaf.path not in paths or not leaf.static or leaf.type_name not in LIFTABLE:
            return leaf
        return Leaf(leaf.path, "tensor", dtype=DTYPES[leaf.type_name], shape=(), weak=True, type_name=leaf.type_name)

    return each_leaf(changed)


def _change(case: Case, paths: Sequence[str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.frameworks.jax.recipes.static_options import make_dynamic

        make_dynamic(edits, case, paths)

    return change


RECIPE = Recipe(
    name=NAME,
    title="Pass a static number as a regular argument",
    what="Removes a number that changes from call to call from `static_argnames` or `static_argnums`. Under Equinox's "
    "`filter_jit`, where everything but arrays is static, it passes the number as an array.",
    why="JAX compiles static values in, so every new value retraces and recompiles. Passed as a regular "
    "argument, a Python number is a scalar array, and one trace serves all values.",
    beware="A value that decides a shape, a Python `if` or a `range` must stay static: tracing without it fails, "
    "and the change is refuted. A number that takes only a few values may stay static.",
    propose=propose,
    treats_arguments=True,
    shown_by_probes=True,
    examples=(
        Example(
            title="A step counter that is static",
            function="update",
            traces_before=6,
            traces_after=1,
            program='''\
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("step",))
def update(weights, step):
    return weights - 0.1 * step


weights = jnp.ones(3)
for step in range(6):
    weights = update(weights, step)
print(weights)
''',
            repaired='''\
import functools

import jax
import jax.numpy as jnp


@jax.jit
def update(weights, step):
    return weights - 0.1 * step


weights = jnp.ones(3)
for step in range(6):
    weights = update(weights, step)
print(weights)
''',
        ),
    ),
)  # fmt: skip
