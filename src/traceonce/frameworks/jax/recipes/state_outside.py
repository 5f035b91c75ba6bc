"""A statement that changes Python state in the body, where only a trace runs it, moves out to the calls."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.closures.beside_calls import moving_out
from traceonce.words.notes.common import CHANGED_AT_EACH_CALL

NAME = "state_outside"


def propose(case: Case) -> Iterator[Candidate]:
    paths = list(dict.fromkeys(each.path for each in case.diagnosis.causes if each.code is CauseCode.SIDE_EFFECT))
    if not paths or case.diagnosis.function.library:
        return
    name = case.diagnosis.function.short_name
    snippet = f"{name}(…)\n… {paths[0]} …  # here, next to each call, no longer in {name}"
    for template, returning in ((None, False), ("value", False), (None, True)):
        change = moving_out(case, paths, template, returning=returning)
        notes = (CHANGED_AT_EACH_CALL(names=paths),)
        codes = (CauseCode.SIDE_EFFECT,)
        yield Candidate(NAME, "review", codes, change, None, snippet, notes, untraced=returning)


_LIST = Example(
    title="A list that collects losses",
    program="""\
import jax
import jax.numpy as jnp

losses = []


@jax.jit
def loss_of(weight, x):
    loss = (weight * x - 1.0) ** 2
    losses.append(loss)
    return loss


for number in range(4):
    loss_of(0.5, jnp.float32(number))
print([round(float(loss), 3) for loss in losses])
""",
    function="loss_of",
    traces_before=1,
    repaired="""\
import jax
import jax.numpy as jnp

losses = []


@jax.jit
def loss_of(weight, x):
    loss = (weight * x - 1.0) ** 2
    return loss


for number in range(4):
    loss = loss_of(0.5, jnp.float32(number))
    losses.append(loss)
print([round(float(loss), 3) for loss in losses])
""",
    traces_after=1,
)

_COUNTER = Example(
    title="A counter that the body reads",
    program="""\
import jax
import jax.numpy as jnp

steps = 0


@jax.jit
def decayed(x):
    global steps
    steps += 1
    return x / steps


for number in range(4):
    print(decayed(jnp.float32(number)))
print(steps)
""",
    function="decayed",
    traces_before=1,
    repaired="""\
import jax
import jax.numpy as jnp

steps = 0


@jax.jit
def decayed(x, steps):
    return x / steps


for number in range(4):
    steps += 1
    print(decayed(jnp.float32(number), steps=steps))
print(steps)
""",
    traces_after=1,
)

_RETURNED = Example(
    title="A computed value, returned as well",
    program="""\
import jax
import jax.numpy as jnp

history = []


@jax.jit
def step(weight, x):
    slope = 2 * x * (weight * x - 1.0)
    history.append(slope)
    return weight - 0.1 * slope


weight = jnp.float32(0.0)
for number in range(4):
    weight = step(weight, jnp.float32(number))
print(weight.round(4), [round(float(slope), 3) for slope in history])
""",
    function="step",
    traces_before=1,
    repaired="""\
import jax
import jax.numpy as jnp

history = []


@jax.jit
def step(weight, x):
    slope = 2 * x * (weight * x - 1.0)
    return weight - 0.1 * slope, slope


weight = jnp.float32(0.0)
for number in range(4):
    weight, slope = step(weight, jnp.float32(number))
    history.append(slope)
print(weight.round(4), [round(float(slope), 3) for slope in history])
""",
    traces_after=1,
)

RECIPE = Recipe(
    name=NAME,
    title="Change state outside the function",
    what="Moves a statement that changes Python state (a list, a counter) from the body to each call, passes the "
    "values that the body reads, and returns those that the statement needs.",
    why="The Python code of a jitted function runs only during tracing. On calls served by compiled code the list "
    "holds tracers and the counter does not change, without a warning.",
    beware="Results change to what the source says. Calls added later need the same statement next to them. Calls "
    "inside a `grad`, a `vmap` or a `scan` are not changed.",
    propose=propose,
    examples=(_LIST, _COUNTER, _RETURNED),
)
