"""Results as plain data: tensors without their history, on the CPU."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.replay import values

_BY_BITS = {"bfloat16": "int16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}  # NumPy has no names for them


class TorchValues(values.Values):
    """Reads what PyTorch gives; its containers are Python's own."""

    def __init__(self, torch: Any) -> None:
        super().__init__()
        self._torch = torch

    def flatten(self, result: Any) -> list[Any]:
        if isinstance(result, dict):
            return [leaf for key in sorted(result, key=repr) for leaf in self.flatten(result[key])]
        if isinstance(result, (list, tuple)):
            return [leaf for part in result for leaf in self.flatten(part)]
        return [result]

    def array_of(self, leaf: Any) -> Any:
        import numpy as np

        return leaf if isinstance(leaf, (self._torch.Tensor, np.ndarray, np.generic)) else None

    def numbers(self, array: Any) -> tuple[Any, str]:
        torch = self._torch
        if not isinstance(array, torch.Tensor):
            return super().numbers(array)
        dtype = str(array.dtype).removeprefix("torch.")
        plain = array.detach()
        plain = (plain.to_dense() if plain.layout is not torch.strided else plain).resolve_conj().resolve_neg().cpu()
        if dtype not in _BY_BITS:
            return plain.numpy(), dtype
        if plain.numel() > values.MOST_ELEMENTS:  # it will be summed up
            return plain.float().numpy(), dtype
        return plain.contiguous().view(getattr(torch, _BY_BITS[dtype])).numpy(), dtype
