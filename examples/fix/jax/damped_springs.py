"""How springs of several stiffness come to rest, integrated with Diffrax."""

import diffrax
import jax.numpy as jnp


def settle(stiffness, damping=0.4):
    def motion(t, y, args):
        position, velocity = y
        return velocity, -stiffness * position - damping * velocity

    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(motion),
        diffrax.Tsit5(),
        t0=0.0,
        t1=5.0,
        dt0=0.05,
        y0=(jnp.asarray(1.0), jnp.asarray(0.0)),
        saveat=diffrax.SaveAt(ts=jnp.linspace(0.0, 5.0, 6)),
    )
    return solution.ys[0]


for stiffness in (0.5, 1.0, 2.0, 4.0, 8.0):
    print(stiffness, jnp.round(settle(stiffness), 3))
