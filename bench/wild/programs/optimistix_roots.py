"""Roots of one equation for many parameters, which are closed over: each call hands a new function to Optimistix."""

import jax.numpy as jnp
import optimistix as optx

solver = optx.Newton(rtol=1e-5, atol=1e-5)
for c in (1.0, 1.5, 2.0, 2.5, 3.0, 3.5):
    found = optx.root_find(lambda y, args: y**3 + y - c, solver, jnp.asarray(1.0))
    print(c, round(float(found.value), 4))
