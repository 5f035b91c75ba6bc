"""Wait for the program's own import of a framework; a program that never imports one pays nothing.

A finder at the head of `sys.meta_path` lets everyone else find the module, and runs a callback once the module has been
executed. It then takes itself out. This file imports nothing: it is loaded at the start of every process of a watched
program, before the program's own files, and must not bring in a module that one of them has the name of.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class Arrivals:
    """Calls back when one of the awaited modules has been imported."""

    def __init__(self, awaited: Sequence[str], arrived: Callable[[str], None]) -> None:
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
    ) -> ModuleSpec | None:
        if fullname not in self._awaited or fullname in self._looking:
            return None
        self._looking.add(fullname)
        try:
            others = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
            found = (finder.find_spec(fullname, path, target) for finder in others)
            spec = next((spec for spec in found if spec is not None), None)
        finally:
            self._looking.discard(fullname)
        # The loader of a module of the interpreter itself is a class that serves them all: leave it be.
        if spec is not None and hasattr(spec.loader, "exec_module") and not isinstance(spec.loader, type):
            _after_execution(spec.loader, fullname, self._done)
        return spec

    def _done(self, name: str) -> None:
        if name in self._awaited:
            self._awaited.discard(name)
            if not self._awaited:
                self.stop()
            self._arrived(name)


def is_being_imported(module: str) -> bool:
    """Is a module there, but not yet whole? It may have brought another one in: one framework may import another."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def _after_execution(loader: Any, name: str, done: Callable[[str], None]) -> None:
    """Run `done` after the loader has executed the module. The loader instance is the module's own."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        loader.__dict__.pop("exec_module", None)  # set below, or around ours by somebody else who waits
        try:
            execute(module)
        except BaseException as error:  # an import that fails must look as if we had not been there
            trace = error.__traceback__
            error.__traceback__ = trace.tb_next if trace is not None else None
            raise
        done(name)

    try:
        loader.exec_module = exec_module
    except AttributeError:  # a loader of a kind that we cannot wait for
        return
