"""A `while` that runs until Heron's method has settled: it needs a value that a trace does not know."""

import jax
import jax.numpy as jnp


@jax.jit
def root(number, tolerance):
    guess = number
    steps = jnp.int32(0)
    while abs(guess * guess - number) > tolerance and steps < 50:
        guess = 0.5 * (guess + number / guess)
        steps += 1
    return guess, steps


for number in (2.0, 9.0, 50.0, 1000.0):
    guess, steps = root(jnp.float32(number), 0.001)
    print(f"{number}: {guess:.3f} in {steps}")
