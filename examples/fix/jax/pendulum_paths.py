"""A scan that is run eagerly: its body is another function for every pendulum."""

import jax
import jax.numpy as jnp


def swing(angle, length, steps=40):
    def body(state, _):
        angle, speed = state
        speed = speed - 0.02 * 9.81 / length * jnp.sin(angle)
        angle = angle + 0.02 * speed
        return (angle, speed), angle

    _, path = jax.lax.scan(body, (angle, jnp.zeros(())), None, length=steps)
    return path


for number in range(5):
    path = swing(jnp.float32(0.3), 1.0 + 0.5 * number)
    print(number, path[-1].round(4), path.min().round(4))
