"""The variables of the program: those alive, oldest first."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.facts.replay import Value
from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.replay.here import Problems
from traceonce.frameworks.base.replay.values import Values


class Variables:
    """Notes every variable when it is made, weakly. `is_ours` tells those that are not the program's."""

    def __init__(self, places: Any, problems: Problems, is_ours: Callable[[Any], bool]) -> None:
        self._module = places.resource_variable_ops
        self._eager_tensor = places.ops.EagerTensor
        self._problems = problems
        self._is_ours = is_ours
        self._made: list[weakref.ref[Any]] = []

    def place(self, hooks: Hooks) -> None:
        hooks.place(self._module.BaseResourceVariable, "__init__", self._hook)

    def alive(self) -> list[Any]:
        """Those that can be read now. What is garbage is gone: else chance would decide which are still there."""
        gc.collect()
        handles: set[int] = set()
        found = []
        for variable in self._living():
            handle = variable._handle
            if id(handle) not in handles:
                handles.add(id(handle))
                found.append(variable)
        return found

    def read(self, values: Values) -> tuple[Value, ...]:
        return tuple(values.read_leaf(variable) for variable in self.alive())

    def save(self) -> Callable[[], None]:
        """Remember the values; calling the result puts them back."""
        saved = [(weakref.ref(variable), variable.read_value()) for variable in self.alive()]

        def restore() -> None:
            for reference, value in saved:
                variable = reference()
                if variable is not None:
                    with self._problems.kept():
                        variable.assign(value)

        return restore

    def _living(self) -> Iterator[Any]:
        for reference in list(self._made):
            variable: Any = reference()
            if variable is None or self._is_ours(variable):
                continue
            # In a graph there are stand-ins for variables; the one itself has a handle that is not symbolic.
            if isinstance(getattr(variable, "_handle", None), self._eager_tensor) and _is_initialized(variable):
                yield variable

    def _hook(self, original: Any) -> Any:
        stand_in = self._module._UnreadVariable  # what `assign` returns: the same variable again

        def __init__(variable: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it stands in for one
            original(variable, *args, **kwargs)
            if not isinstance(variable, stand_in):
                with self._problems.kept():
                    self._made.append(weakref.ref(variable))

        return __init__


def _is_initialized(variable: Any) -> bool:
    try:
        return bool(variable.is_initialized())
    except Exception:  # its resource is gone
        return False
