"""An equation solved up to ever later times, with a Python number for the end and new times to save at."""

import diffrax
import equinox as eqx
import jax.numpy as jnp


class Decay(eqx.Module):
    rate: float

    def __call__(self, t, y, args):
        return -self.rate * y


@eqx.filter_jit
def solve(field, y0, end, times):
    return diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Tsit5(),
        t0=0.0,
        t1=end,
        dt0=0.01,
        y0=y0,
        saveat=diffrax.SaveAt(ts=times),
        stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-6),
    ).ys


for end in (1, 2, 3, 4):
    ys = solve(Decay(0.5), jnp.ones(3), float(end), jnp.linspace(0.0, end, 10 * end))
    print(end, float(ys[-1, 0]))
