"""Runs a JAX program with another library's limit of one trace on every function that it jits.

    PYTHON bench/peer_limits.py chex|equinox PROGRAM

As the libraries say it: the check goes below `jax.jit`. Needs nothing of ours.
"""

import functools
import runpy
import sys

import jax

if sys.argv[1] == "chex":
    import chex

    guard = functools.partial(chex.assert_max_traces, n=1)
else:
    import equinox

    guard = functools.partial(equinox.debug.assert_max_traces, max_traces=1)

real = jax.jit
jax.jit = lambda function, **options: real(guard(function), **options)
runpy.run_path(sys.argv[2], run_name="__main__")
