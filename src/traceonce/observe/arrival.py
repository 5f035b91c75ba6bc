"""Wait for the program's own import of a framework; a program that never imports one pays nothing.

A finder at the head of `sys.meta_path` lets everyone else find the module, and runs a callback once the module has been
executed. It then takes itself out.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

Callback = Callable[[str], None]


class Arrivals(importlib.abc.MetaPathFinder):
    """Calls back when one of the awaited modules has been imported."""

    def __init__(self, awaited: Sequence[str], arrived: Callback) -> None:
        self._awaited = set(awaited)
        self._arrived = arrived
        self._looking: set[str] = set()

    def start(self) -> None:
        present = [name for name in self._awaited if name in sys.modules]
        sys.meta_path.insert(0, self)
        for name in present:
            self._done(name)

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._awaited or fullname in self._looking:
            return None
        self._looking.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        except (ImportError, ValueError):
            return None
        finally:
            self._looking.discard(fullname)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            _after_execution(spec.loader, fullname, self._done)
        return spec

    def _done(self, name: str) -> None:
        if name in self._awaited:
            self._awaited.discard(name)
            if not self._awaited:
                self.stop()
            self._arrived(name)


def _after_execution(loader: importlib.abc.Loader, name: str, done: Callback) -> None:
    """Run `done` after the loader has executed the module. The loader instance is the module's own."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module  # the instance attribute set below
        execute(module)
        done(name)

    loader.exec_module = exec_module  # type: ignore[method-assign]  # this one instance only
