"""Repairs of programs with `jax.jit`."""
