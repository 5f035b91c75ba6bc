"""Results of TensorFlow functions as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from traceonce.facts.error_text import main_line
from traceonce.frameworks.base.replay.values import Values, message_of, nest


class TensorFlowValues(Values):
    """`as_traced` turns Python numbers and NumPy into tensors, as a traced function does."""

    def __init__(self, tensorflow: Any, *, as_traced: bool = False) -> None:
        super().__init__()
        self._tf = tensorflow
        self._as_traced = as_traced

    def flatten(self, result: Any) -> list[Any]:
        leaves: list[Any] = self._tf.nest.flatten(result, expand_composites=True)
        return leaves

    def structure(self, thing: Any) -> Iterator[str]:
        tf, name = self._tf, type(thing).__name__
        if isinstance(thing, tf.Variable):
            yield "*"
        elif isinstance(thing, tf.__internal__.CompositeTensor):
            yield f"{name}[{len(tf.nest.flatten(thing, expand_composites=True))}]"
        elif _is_other_nest(tf, thing):
            yield f"{name}[{len(tf.nest.flatten(thing))}]"
        else:
            yield from nest(thing, self.structure)

    def array_of(self, leaf: Any) -> Any:
        import numpy as np

        if isinstance(leaf, self._tf.Variable):
            return leaf.read_value()
        if isinstance(leaf, (self._tf.Tensor, np.ndarray, np.generic)):
            return leaf
        if self._as_traced:
            try:
                return self._tf.convert_to_tensor(leaf)
            except (TypeError, ValueError):
                return None
        return None

    def error_name(self, error: BaseException) -> str:
        """Of an error that AutoGraph has put into another type, its own."""
        name = super().error_name(error)
        if name == "MultilineMessageKeyError":
            return "KeyError"
        own = main_line(message_of(error)).partition(":")[0] if name == "StagingError" else name
        return own if own.isidentifier() else name


def _is_other_nest(tf: Any, thing: Any) -> bool:
    """Does TensorFlow look into it, though it is no plain container (attrs, dataclasses)?"""
    if "".join(nest(thing, lambda _: ())) != "*" or isinstance(thing, tf.Tensor):
        return False
    return bool(tf.nest.is_nested(thing))
