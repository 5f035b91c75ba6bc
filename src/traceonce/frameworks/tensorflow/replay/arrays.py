"""Tensors that are changed for calls beyond the run."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.replay.perturbations import Arrays


class TensorFlowArrays(Arrays):
    """A ragged tensor has rows; a sparse one has room for one more."""

    def __init__(self, tensorflow: Any) -> None:
        self._tf = tensorflow

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self._tf.Tensor) and hasattr(value, "numpy")

    def kind_of(self, value: Any) -> str | None:
        if isinstance(value, self._tf.Variable):
            return f"variable {value.dtype.name}"
        return f"tensor {value.dtype.name}" if isinstance(value, self._tf.Tensor) else None

    def like(self, value: Any, number: float) -> Any:
        return self._tf.constant(number, value.dtype)

    def shape(self, value: Any) -> list[int] | None:
        if isinstance(value, self._tf.RaggedTensor):
            return [int(value.nrows())]
        if isinstance(value, self._tf.SparseTensor):
            return [int(size) for size in value.dense_shape]
        return super().shape(value)

    def size(self, value: Any) -> float:
        if isinstance(value, self._tf.RaggedTensor):
            return float(self._tf.size(value.flat_values))
        if isinstance(value, self._tf.SparseTensor):
            return float(self._tf.size(value.values))
        return super().size(value)

    def longer(self, value: Any, axis: int) -> Any:
        tf = self._tf
        if isinstance(value, tf.SparseTensor):
            more = tf.one_hot(axis, value.dense_shape.shape[0], dtype=tf.int64)
            return tf.SparseTensor(value.indices, value.values, value.dense_shape + more)
        if isinstance(value, tf.RaggedTensor):
            return tf.concat([value, value[-1:]], 0)
        if self.is_array(value):
            return tf.concat([value, tf.gather(value, [value.shape[axis] - 1], axis=axis)], axis)
        return super().longer(value, axis)
