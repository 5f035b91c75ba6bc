"""An installed library that is to be repaired: found by its name, without being imported, or refused with a reason."""

from __future__ import annotations

import difflib
import importlib.metadata
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import NamedTuple

from traceonce.errors import UsageError
from traceonce.frameworks.base.registry import known_frameworks

MOST_BYTES = 2**30  # of a library that is copied
_OURS = ("traceonce", "msgspec", "libcst", "click", "rich")  # they run beside the program, from where they lie


class Library(NamedTuple):
    """A package or a module of one file, as it is imported; `distribution` and `version` where they are known."""

    name: str
    location: Path
    distribution: str | None
    version: str | None

    @property
    def title(self) -> str:
        """``gpflow 2.11.2``"""
        return f"{self.distribution or self.name} {self.version}" if self.version else self.name

    def name_of(self, path: Path) -> str:
        """A file of it as recordings and patches name it: from the folder of the package's parent on."""
        return self.name + ".py" if path == self.location else f"{self.name}/{path.relative_to(self.location)}"

    def path_of(self, name: str) -> Path | None:
        """The installed file behind such a name; None where it belongs to something else."""
        if self.location.is_file():
            return self.location if name == self.name + ".py" else None
        package, _, rest = name.partition("/")
        return self.location / rest if package == self.name and rest else None


def find_libraries(names: Sequence[str], project: Sequence[Path]) -> list[Library]:
    """The libraries of these names, each once. `project` are folders whose files are the program's own already,
    that of its script among them."""
    found = {library.name: library for library in (_find(name, project) for name in names)}
    return list(found.values())


def _find(name: str, project: Sequence[Path]) -> Library:
    if "." in name:
        raise _refusal(name, f"name the whole package: --library {name.partition('.')[0]}")
    imported = importlib.metadata.packages_distributions()
    spec = _spec_of(name, project)
    if spec is None:
        raise _refusal(name, _where_else(name, imported))
    location = _location(name, spec)
    for folder in project:
        if folder == location or folder in location.parents:
            raise _refusal(name, f"is part of your project ({location}) and is fixed with it: leave out --library")
    return Library(name, location, *_installed_as(imported.get(name, [])))


def _installed_as(distributions: Sequence[str]) -> tuple[str, str] | tuple[None, None]:
    """The distribution and its version, where there is just one."""
    try:
        (distribution,) = set(distributions)
        return distribution, importlib.metadata.version(distribution)
    except (ValueError, importlib.metadata.PackageNotFoundError):
        return None, None


def _refusal(name: str, why: str) -> UsageError:
    return UsageError(f"--library {name}: {why}.")


def _spec_of(name: str, project: Sequence[Path]) -> ModuleSpec | None:
    own = PathFinder.find_spec(name, [str(folder) for folder in project])  # as the program itself would
    if own is not None and own.origin is not None:
        return own
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):  # it has been imported and is none of the kind, or has an odd name
        return None


def _where_else(name: str, imported: Mapping[str, Sequence[str]]) -> str:
    """What to say of a name that cannot be imported: the name of a distribution, or a slip of the pen."""
    same = [package for package, owners in imported.items() if _plain(name) in map(_plain, owners)]
    public = [package for package in same if not package.startswith("_")]
    if public:
        return f"is not an import name; that distribution provides {' or '.join(sorted(set(public)))}"
    near = difflib.get_close_matches(name, imported, 1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"no such package is installed for {sys.executable}{meant}"


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _location(name: str, spec: ModuleSpec) -> Path:
    """Its folder, or its one file, where that is Python source that a copy of can be run."""
    tracers = {module for each in known_frameworks() for module in (each.module, *each.along)}
    if name in tracers:
        raise _refusal(name, "is the tracing framework, or part of it; it cannot be fixed")
    if name in _OURS:
        raise _refusal(name, "is needed by traceonce itself; it cannot be replaced by a copy")
    origin, folders = spec.origin, [Path(os.path.realpath(each)) for each in spec.submodule_search_locations or ()]
    if origin in ("built-in", "frozen") or (origin and _is_pythons_own(origin)):
        raise _refusal(name, "is part of Python itself")
    if len(folders) > 1:
        raise _refusal(
            name,
            "is a namespace package spread over several folders; a copy would be incomplete: "
            + ", ".join(map(str, folders)),
        )
    location = folders[0] if folders else Path(os.path.realpath(origin or ""))
    if not location.exists():
        raise _refusal(name, f"is not a folder or file that can be copied ({origin or 'no origin'})")
    if not has_source(location):
        raise _refusal(name, f"is compiled: {location} has no Python source of it")
    size = _size(location)
    if size > MOST_BYTES:
        raise _refusal(name, f"is too large to copy for each run ({size / 2**30:.1f} GiB in {location})")
    return location


def _is_pythons_own(origin: str) -> bool:
    own = {os.path.realpath(sysconfig.get_path(each)) for each in ("stdlib", "platstdlib")}
    path = Path(os.path.realpath(origin))
    return any(str(parent) in own for parent in path.parents) and "site-packages" not in path.parts


def has_source(location: Path) -> bool:
    if location.is_file():
        return location.suffix == ".py"
    return any(name.endswith(".py") for _, _, names in os.walk(location) for name in names)


def _size(location: Path) -> int:
    if location.is_file():
        return location.stat().st_size
    files = (Path(folder, name) for folder, _, names in os.walk(location) for name in names)
    return sum(path.lstat().st_size for path in files)
