"""Energies at several temperatures, compiled anew in every turn."""

import jax
import jax.numpy as jnp

spins = jnp.sin(jnp.arange(64.0))


def energy(state, field):
    return -jnp.sum(state * jnp.roll(state, 1)) - field * jnp.sum(state)


for step in range(8):
    compiled = jax.jit(lambda state: energy(state, 0.25))
    spins = spins * 0.9
    print(f"{step}: {compiled(spins):.4f}")
