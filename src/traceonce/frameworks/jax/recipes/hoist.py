"""A function that is jitted again and again is jitted once: it moves out of the loop, the function or the method."""

from __future__ import annotations

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Example, Recipe, Settled
from traceonce.fix.hoisting.proposal import propose

_IN_A_LOOP = Example(
    title="A function defined in a loop",
    program="""\
import jax
import jax.numpy as jnp

for epoch in range(4):
    # One step of the training.
    @jax.jit
    def step(x):
        return jnp.sum(x * 2.0)

    print(epoch, float(step(jnp.ones(3))))
""",
    function="step",
    traces_before=4,
    repaired="""\
import jax
import jax.numpy as jnp


# One step of the training.
@jax.jit
def step(x):
    return jnp.sum(x * 2.0)


for epoch in range(4):
    print(epoch, float(step(jnp.ones(3))))
""",
    traces_after=1,
)

_LAMBDA = Example(
    title="A fresh lambda at every call",
    program="""\
import jax
import jax.numpy as jnp


def normalise(batch):
    return jax.jit(lambda x: (x - x.mean()) / x.std())(batch)


for last in (4.0, 5.0, 6.0):
    print(normalise(jnp.array([1.0, 2.0, last])).round(3))
""",
    function="<lambda>",
    traces_before=3,
    repaired="""\
import jax
import jax.numpy as jnp

traced_lambda = jax.jit(lambda x: (x - x.mean()) / x.std())


def normalise(batch):
    return traced_lambda(batch)


for last in (4.0, 5.0, 6.0):
    print(normalise(jnp.array([1.0, 2.0, last])).round(3))
""",
    traces_after=1,
)

_GRADIENT = """\
import jax
import jax.numpy as jnp


def loss(weights, x, y):
    return jnp.mean((x @ weights - y) ** 2)

{made}
def train_step(weights, x, y):
    value, gradient = {gradient}(weights, x, y)
    return value, weights - 0.1 * gradient


weights = jnp.zeros(2)
x, y = jnp.array([[1.0, 2.0], [3.0, 4.0]]), jnp.array([1.0, 2.0])
for step in range(4):
    value, weights = train_step(weights, x, y)
    print(step, round(float(value), 4))
"""
_OF_A_GRADIENT = Example(
    title="A gradient jitted at every step",
    program=_GRADIENT.format(made="", gradient="jax.jit(jax.value_and_grad(loss))"),
    function="loss [value_and_grad]",
    traces_before=4,
    repaired=_GRADIENT.format(made="\ntraced_loss = jax.jit(jax.value_and_grad(loss))\n\n", gradient="traced_loss"),
    traces_after=1,
)

_FACTORY = Example(
    title="A factory that jits a function per number",
    program="""\
import jax
import jax.numpy as jnp


def make_power(exponent):
    @jax.jit
    def power(x):
        return x**exponent

    return power


for round in range(3):
    for exponent in (2, 3):
        print(float(make_power(exponent)(jnp.float32(2.0))))
""",
    function="make_power.<locals>.power",
    traces_before=6,
    repaired="""\
import functools
import jax
import jax.numpy as jnp


@functools.lru_cache(maxsize=None, typed=True)
def make_power(exponent):
    @jax.jit
    def power(x):
        return x**exponent

    return power


for round in range(3):
    for exponent in (2, 3):
        print(float(make_power(exponent)(jnp.float32(2.0))))
""",
    traces_after=2,
)

RECIPE = Recipe(
    name="hoist",
    title="Jit the function once",
    what="Moves the call to `jax.jit` out of a loop, function or method.",
    why="JAX caches compiled code per jitted Python function. A lambda, closure or partial that is created again "
    "is a new function with an empty cache, even if its code is the same.",
    beware="A function created once keeps the outside values it read during its first trace. If it must see a "
    "value change, pass that value as an argument.",
    propose=propose,
    settled=Settled(frozenset({CauseCode.NEW_FUNCTION}), one_function=True),
    only_moves=True,
    examples=(_IN_A_LOOP, _LAMBDA, _OF_A_GRADIENT, _FACTORY),
)
