"""What a body draws from: random generators and iterators. Traced once, it draws once, and every call gets the same.

How far such a thing has come is told without running anything of the user's, and without moving it on. A generator
(of `yield`) does not say, so it is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import itertools
import random
import sys
import types
from typing import Any

ITERATOR, RANDOM = "iterator", "random numbers"


def describe_source(value: Any) -> tuple[str, str] | None:
    """What it is, and how far it has come, as text; None for anything else."""
    try:
        state = _random_state(value)
        if state is not None:
            return RANDOM, hashlib.blake2b(repr(state).encode(), digest_size=6).hexdigest()
        if type(value) is itertools.count:
            return ITERATOR, repr(value)
        if type(value).__module__ == "builtins" and hasattr(type(value), "__next__"):
            left = value.__length_hint__() if hasattr(type(value), "__length_hint__") else None
            return (ITERATOR, f"{left} item{'s' * (left != 1)} left") if left is not None else None
    except Exception:  # a generator in a state that it does not tell
        return None
    return None


def load_numpys() -> None:
    """NumPy loads its generators when they are first asked for, which may be in the trace: have them before."""
    if "numpy" in sys.modules:
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy.random")


def _random_state(value: Any) -> Any:
    if value is random or type(value) is random.Random:
        return value.getstate()
    numpy = sys.modules.get("numpy.random")
    if numpy is None:
        return None
    if isinstance(value, types.ModuleType):
        return _whole(numpy.get_state(legacy=False)) if value is numpy else None
    if type(value) is numpy.Generator:
        return _whole(value.bit_generator.state)
    return _whole(value.get_state(legacy=False)) if type(value) is numpy.RandomState else None


def _whole(state: Any) -> Any:
    """With all numbers of an array, which its text leaves out."""
    if isinstance(state, dict):
        return {key: _whole(part) for key, part in state.items()}
    return state.tobytes() if hasattr(state, "tobytes") else state
