"""Import what was copied from its copy, whatever else would find the original.

The folders of `sys.path` are exchanged for their copies (`observed_run`), but a package that is installed in editable
mode may be found by a finder of its own, which knows the original folder; and a library that is to be repaired has its
copy in a place that nobody else looks into.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType


class CopiedModules:
    """The first finder: `libraries` are packages with the folder that their copy lies in, `moved` folders and copies.

    Below a package its own path leads on, so only what is at the top of a dotted name is looked for here.
    """

    def __init__(self, libraries: Mapping[str, str], moved: Mapping[str, str], note: Path) -> None:
        self._libraries = libraries
        self._moved = {folder + os.sep: copy + os.sep for folder, copy in moved.items()}
        self._note = note
        self._looking = False

    def install(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in self._libraries:
            with self._note.open("a", encoding="utf-8") as note:
                note.write(f"{fullname}\n")
            return PathFinder.find_spec(fullname, [self._libraries[fullname]])
        return None if path is not None or self._looking else self._from_copy(fullname, target)

    def _from_copy(self, name: str, target: ModuleType | None) -> ModuleSpec | None:
        """Where a finder that is not Python's own leads into a folder that was copied."""
        others = [each for each in sys.meta_path if each is not self and not _is_pythons(each)]
        if not others or PathFinder.find_spec(name) is not None:
            return None
        self._looking = True
        try:
            found = (each.find_spec(name, None, target) for each in others if hasattr(each, "find_spec"))
            spec = next((spec for spec in found if spec is not None), None)
        finally:
            self._looking = False
        if spec is None:
            return None
        place = next(iter(spec.submodule_search_locations or ()), spec.origin or "")
        copied = next((copy + place[len(root) :] for root, copy in self._moved.items() if place.startswith(root)), None)
        return PathFinder.find_spec(name, [os.path.dirname(copied)]) if copied is not None else None


def _is_pythons(finder: object) -> bool:
    return getattr(finder, "__module__", "").startswith("_frozen_importlib")
