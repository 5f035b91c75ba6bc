"""The parameters and buffers of the program's modules, with their gradients: those alive, oldest first."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.facts.replay import Value
from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.replay.here import Problems
from traceonce.frameworks.base.replay.values import Values


class Modules:
    """Notes every module when it is made, weakly."""

    def __init__(self, torch: Any, problems: Problems) -> None:
        self._torch = torch
        self._problems = problems
        self._made: list[weakref.ref[Any]] = []
        self._stopped = False

    def place(self, hooks: Hooks) -> None:
        hooks.place(self._torch.nn.Module, "__init__", self._hook)

    def stop(self) -> None:
        """Note no more: dynamo may have put a wrapper of its own around ours, which then stays where it is."""
        self._stopped = True

    def read(self, values: Values) -> tuple[Value, ...]:
        return tuple(values.read_leaf(tensor) for tensor in self._with_gradients())

    def save(self) -> Callable[[], None]:
        """Remember the values; calling the result puts them back, in the same tensors."""
        torch = self._torch
        saved = [
            (
                weakref.ref(tensor),
                tensor.detach().clone(),
                None if tensor.grad is None else tensor.grad.detach().clone(),
            )
            for tensor in self._tensors()
        ]
        attributes = [(weakref.ref(module), dict(_numbers(module))) for module in self._living()]

        def restore() -> None:
            with torch.no_grad():
                for reference, value, gradient in saved:
                    tensor = reference()
                    if tensor is not None and tensor.shape == value.shape:
                        with self._problems.kept():
                            tensor.data.copy_(value)
                            tensor.grad = None if gradient is None else gradient.clone()
            for owner, numbers in attributes:
                module = owner()
                if module is not None:
                    module.__dict__.update(numbers)

        return restore

    def _with_gradients(self) -> Iterator[Any]:
        for tensor in self._tensors():
            yield tensor
            if tensor.is_leaf and tensor.grad is not None:
                yield tensor.grad

    def _tensors(self) -> Iterator[Any]:
        """Each once, though modules share them."""
        seen: set[int] = set()
        for module in self._living():
            for tensor in (*module._parameters.values(), *module._buffers.values()):
                if tensor is not None and id(tensor) not in seen and not self._is_lazy(tensor):
                    seen.add(id(tensor))
                    yield tensor

    def _is_lazy(self, tensor: Any) -> bool:
        return isinstance(tensor, self._torch.nn.parameter.UninitializedTensorMixin)

    def _living(self) -> list[Any]:
        """What is garbage is gone: else chance would decide which are still there."""
        gc.collect()
        found = (reference() for reference in list(self._made))
        return [module for module in found if module is not None and "_parameters" in module.__dict__]

    def _hook(self, original: Any) -> Any:
        is_compiling = self._torch.compiler.is_dynamo_compiling

        def __init__(module: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it stands in for one
            original(module, *args, **kwargs)
            if self._stopped or is_compiling():  # dynamo reads this code, too
                return
            with self._problems.kept():
                self._made.append(weakref.ref(module))

        return __init__


def _numbers(module: Any) -> Iterator[tuple[str, Any]]:
    """The plain numbers that a module keeps, as counters do."""
    for name, value in module.__dict__.items():
        if type(value) in (int, float, bool):
            yield name, value
