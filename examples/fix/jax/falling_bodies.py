"""A factory closes a step over a mass and a drag, through a helper; one step is made for each body."""

import jax
import jax.numpy as jnp


def make_step(mass, drag):
    def slope(state):
        speed = state[1]
        return jnp.stack([speed, -9.81 - drag * speed / mass])

    @jax.jit
    def step(state, dt):
        half = state + 0.5 * dt * slope(state)
        return state + dt * slope(half)

    return step


def fall(mass):
    step = make_step(mass, 0.2)
    state = jnp.array([100.0, 0.0])
    for _ in range(5):
        state = step(state, 0.1)
    return state


for mass in (0.5, 1.0, 2.0, 4.0, 8.0):
    height, speed = fall(mass)
    print(f"{mass} kg: {height:.3f} m, {speed:.3f} m/s")
