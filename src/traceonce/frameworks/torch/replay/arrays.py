"""Tensors that are changed for calls beyond the run, and what kinds of arguments there are."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.replay.perturbations import Arrays


class TorchArrays(Arrays):
    """Tensors with numbers in them: no fake ones, no sparse ones."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def is_array(self, value: Any) -> bool:
        torch = self._torch
        return isinstance(value, torch.Tensor) and value.layout is torch.strided and value.device.type != "meta"

    def kind_of(self, value: Any) -> str | None:
        if not isinstance(value, self._torch.Tensor):
            return None
        return f"tensor {str(value.dtype).removeprefix('torch.')}"

    def like(self, value: Any, number: float) -> Any:
        return self._torch.full_like(value, number, requires_grad=False)

    def kind(self, value: Any) -> str:
        if not isinstance(value, self._torch.Tensor):
            return super().kind(value)
        if value.dtype is self._torch.bool:
            return "b"
        return "f" if value.is_floating_point() else "c" if value.is_complex() else "i"

    def limits(self, value: Any) -> tuple[int, int]:
        if not isinstance(value, self._torch.Tensor):
            return super().limits(value)
        limits = self._torch.iinfo(value.dtype)
        return int(limits.min), int(limits.max)

    def longer(self, value: Any, axis: int) -> Any:
        if not isinstance(value, self._torch.Tensor):
            return super().longer(value, axis)
        plain = value.detach()
        last = plain.narrow(axis, plain.shape[axis] - 1, 1)
        return self._torch.cat([plain, last], axis).requires_grad_(value.requires_grad)
