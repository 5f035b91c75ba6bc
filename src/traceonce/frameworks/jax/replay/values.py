"""Results of jitted functions as plain data, and arrays that are changed for calls beyond the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from traceonce.frameworks.base.replay.perturbations import Arrays
from traceonce.frameworks.base.replay.values import Values, nest


class JaxValues(Values):
    """`as_traced` turns Python numbers and NumPy into arrays, as a jitted function does."""

    def __init__(self, jax: Any, *, as_traced: bool = False) -> None:
        super().__init__()
        self._jax = jax
        self._as_traced = as_traced

    def flatten(self, result: Any) -> list[Any]:
        leaves: list[Any] = self._jax.tree_util.tree_leaves(result, is_leaf=lambda part: part is None)
        return leaves

    def structure(self, thing: Any) -> Iterator[str]:
        text = "".join(nest(thing, lambda part: ()))
        if text != "*" or thing is None or self._jax.tree_util.all_leaves([thing]):
            yield from nest(thing, self.structure)
        else:  # a class of the program's that is a node of trees
            yield f"{type(thing).__name__}[{len(self.flatten(thing))}]"

    def array_of(self, leaf: Any) -> Any:
        import numpy as np

        jax = self._jax
        if isinstance(leaf, jax.Array):
            is_key = jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)
            return jax.random.key_data(leaf) if is_key else leaf
        if self._as_traced and isinstance(leaf, (bool, int, float, complex, np.ndarray, np.generic)):
            return jax.numpy.asarray(leaf)
        return leaf if isinstance(leaf, (np.ndarray, np.generic)) else None


class JaxArrays(Arrays):
    """JAX's arrays, those with plain numbers in them."""

    def __init__(self, jax: Any) -> None:
        self._jax = jax

    def is_array(self, value: Any) -> bool:
        jax = self._jax
        if not isinstance(value, jax.Array) or isinstance(value, jax.core.Tracer):
            return False
        return not jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)

    def kind_of(self, value: Any) -> str | None:
        if not isinstance(value, self._jax.Array):
            return None
        weak = "weak " if getattr(value, "weak_type", False) else ""
        return f"{weak}tensor {value.dtype}"

    def like(self, value: Any, number: float) -> Any:
        return self._jax.numpy.asarray(number, value.dtype)

    def kind(self, value: Any) -> str:
        if isinstance(value, float):
            return "f"
        numpy = self._jax.numpy
        if numpy.issubdtype(value.dtype, numpy.floating):  # also those that NumPy does not have
            return "f"
        return super().kind(value)

    def longer(self, value: Any, axis: int) -> Any:
        if not self.is_array(value):
            return super().longer(value, axis)
        numpy = self._jax.numpy
        last = numpy.take(value, numpy.array([value.shape[axis] - 1]), axis=axis)
        return numpy.concatenate([value, last], axis)
