"""A loop of JAX's that is run eagerly, with a body made anew each time, is compiled with the function around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.facts.diagnosis import SiteCount
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.words import CALLER_HAS_EFFECTS, CALLER_NOT_FOUND, CALLER_RUNS_ONCE

if TYPE_CHECKING:
    from traceonce.fix.source.module import Module

NAME = "jit_caller"


def propose(case: Case) -> Iterator[Candidate]:
    function = case.diagnosis.function
    anew = case.codes & {CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE, CauseCode.STATIC_ARGUMENT}
    if not case.diagnosis.call_sites or not anew or not (function.loop is not None or function.library):
        return
    snippet = "@jax.jit  # above the function that runs the loop"
    for static in (True, False):
        change = _change(case, static=static)
        notes = (CALLER_RUNS_ONCE(),)
        yield Candidate(NAME, "review", tuple(sorted(anew)), change, None, snippet, notes, untraced=True)


def _change(case: Case, *, static: bool) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.source.module import walk
        from traceonce.fix.source.scopes import scope_of

        def around(site: SiteCount) -> tuple[Module, cst.FunctionDef]:
            module = edits.module(site.file)
            calls = [
                node
                for node in module.nodes(cst.Call)
                if module.place(node).start.line <= site.line <= module.place(node).end.line
            ]
            scopes = {id(scope): scope for call in calls for scope in [scope_of(module, call)]}
            found = list(scopes.values())
            if len(found) != 1 or not isinstance(found[0], cst.FunctionDef):
                raise Declined(CALLER_NOT_FOUND(place=f"{site.file}:{site.line}"))
            return module, found[0]

        callers = {id(definition): (module, definition) for module, definition in map(around, _own_sites(case, edits))}
        if not callers:
            raise Declined(CALLER_NOT_FOUND(place=f"{case.diagnosis.function.file}:{case.diagnosis.function.line}"))
        for module, definition in callers.values():
            if definition.decorators or isinstance(scope_of(module, definition), cst.ClassDef):
                raise Declined(CALLER_NOT_FOUND(place=f"{module.file}:{module.line(definition)}"))
            if any(isinstance(node, cst.Yield | cst.Await | cst.Global | cst.Nonlocal) for node in walk(definition)):
                raise Declined(CALLER_NOT_FOUND(place=f"{module.file}:{module.line(definition)}"))
            if _changes_what_is_outside(module, definition):
                raise Declined(CALLER_HAS_EFFECTS(name=definition.name.value))
            names = _static_by_use(definition) if static else []
            code = "jax.jit"
            if names:
                listed = ", ".join(f'"{name}"' for name in names) + "," * (len(names) == 1)
                code = f"{edits.partial(module, definition)}(jax.jit, static_argnames=({listed}))"
            decorator = cst.Decorator(edits.expression(module, code, definition))
            edits.amend(module, definition, _decorated_with(decorator))

    return change


def _changes_what_is_outside(module: Module, definition: cst.FunctionDef) -> bool:
    """Does it print, or change what it has not made itself? That would happen once, while it is traced."""
    from traceonce.fix.source.module import walk

    parameters = {each.name.value for each in (*definition.params.params, *definition.params.kwonly_params)}
    own = module.names_bound_in(definition) - parameters

    def is_own(node: cst.BaseExpression) -> bool:
        while isinstance(node, cst.Attribute | cst.Subscript):
            node = node.value
        return isinstance(node, cst.Name) and node.value in own

    for node in walk(definition.body):
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            called = node.value.func
            if not (isinstance(called, cst.Attribute) and is_own(called.value)):
                return True
        target = node.target if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign) else None
        if isinstance(target, cst.Attribute | cst.Subscript) and not is_own(target):
            return True
    return False


def _decorated_with(decorator: cst.Decorator) -> Any:
    return lambda node: node.with_changes(decorators=[decorator, *node.decorators])


def _own_sites(case: Case, edits: Edits) -> list[SiteCount]:
    return [site for site in case.diagnosis.call_sites if site.file in edits.sources]


_SIZES = ("length", "shape", "num", "maxiter", "num_steps")


def _static_by_use(definition: cst.FunctionDef) -> list[str]:
    """The parameters whose value Python needs: called, counted up to, a number of steps, or a flag by their default."""
    from traceonce.fix.source.module import walk

    needed: set[str] = set()
    for node in walk(definition.body):
        if not isinstance(node, cst.Call):
            continue
        if isinstance(node.func, cst.Name):
            needed.add(node.func.value)
        ranged = isinstance(node.func, cst.Name) and node.func.value == "range"
        for argument in node.args:
            sized = argument.keyword is not None and argument.keyword.value in _SIZES
            if (ranged or sized) and isinstance(argument.value, cst.Name):
                needed.add(argument.value.value)
    parameters = [*definition.params.params, *definition.params.kwonly_params]
    return [each.name.value for each in parameters if each.name.value in needed or _is_flag(each)]


def _is_flag(parameter: cst.Param) -> bool:
    default = parameter.default
    return isinstance(default, cst.BaseString) or (isinstance(default, cst.Name) and default.value in ("True", "False"))


_SIMULATE = """\
{functools}import jax
import jax.numpy as jnp

{decorator}
def simulate(state, rate, steps):
    def body(state, _):
        return state - rate * state, None

    return jax.lax.scan(body, state, None, length=steps)[0]


for number in range(4):
    print(simulate(jnp.ones(2), 0.1 * number, 5).round(3))
"""

RECIPE = Recipe(
    name=NAME,
    title="Jit the function that runs the loop",
    what="Adds `jax.jit` to the function that runs a `scan`, `while_loop` or `fori_loop`, its own or a "
    "library's. Parameters that Python needs (a length, a function) become static.",
    why="Outside `jit`, the body of a loop is compiled on its own, and a body that is redefined for each call "
    "recompiles each time. Inside a jitted function the loop is part of that function's trace.",
    beware="The whole function is then traced: its Python code, side effects included, runs once.",
    propose=propose,
    examples=(
        Example(
            title="A scan whose body is defined in the function",
            function="simulate.<locals>.body [scan]",
            traces_before=4,
            traces_after=0,
            program=_SIMULATE.format(functools="import functools\n\n", decorator=""),
            repaired=_SIMULATE.format(
                functools="import functools\n\n",
                decorator='\n@functools.partial(jax.jit, static_argnames=("steps",))',
            ),
        ),
    ),
)
