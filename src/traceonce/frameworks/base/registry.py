"""Which backends there are; none is imported until it is asked for."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from traceonce.errors import BackendUnavailable

if TYPE_CHECKING:
    from traceonce.causes.dialect import Dialect
    from traceonce.frameworks.base.backend import Backend
    from traceonce.frameworks.base.descriptor import Framework

ENTRY_POINTS = "traceonce.frameworks"
EARLIER_ENTRY_POINTS = "traceonce.backends"  # as the group was called once


class Known(NamedTuple):
    """A backend that could be loaded: the framework's import name, and where our side of it lives."""

    name: str
    module: str
    target: str


BUILT_IN = (
    Known("tensorflow", "tensorflow", "traceonce.frameworks.tensorflow:TensorFlow"),
    Known("jax", "jax", "traceonce.frameworks.jax:Jax"),
    Known("torch", "torch", "traceonce.frameworks.torch:Torch"),
)


@cache
def known_backends() -> tuple[Known, ...]:
    """The built-in backends, then those that other packages register under `traceonce.frameworks`.

    An entry point is named after the module whose import it waits for, ``mlx = "mypackage:MlxBackend"``, and the
    framework has that name. To find them, all installed packages are looked through, which takes a while: once in a
    process.
    """
    found = {known.module: known for known in BUILT_IN}
    installed = importlib.metadata.entry_points()
    for point in installed.select(group=ENTRY_POINTS):
        found.setdefault(point.name, Known(point.name, point.name, point.value))
    for point in installed.select(group=EARLIER_ENTRY_POINTS):
        if point.name not in found:
            found[point.name] = Known(point.name, point.name, point.value)
            _warn_of_the_earlier_group(point.name)
    return tuple(found.values())


def _warn_of_the_earlier_group(name: str) -> None:
    """Never an error, whatever filters say: whoever only has the package must not fail."""
    message = f"{name}: the entry-point group {EARLIER_ENTRY_POINTS} is called {ENTRY_POINTS} now"
    with contextlib.suppress(DeprecationWarning):
        warnings.warn(message, DeprecationWarning, stacklevel=3)


def find_backend(name: str) -> Backend | None:
    """The backend of this name; None where there is none. For a built-in one, no package is looked through."""
    known = {known.name: known for known in BUILT_IN}.get(name)
    if known is None:
        known = next((known for known in known_backends() if known.name == name), None)
    return load_backend(known) if known is not None else None


@cache
def framework_of(name: str) -> Framework:
    """What is known of the framework of this name: its name alone, where it is not known here.

    Where what another package brings cannot be loaded, a report does without it; of ours, an error is an error.
    """
    from traceonce.frameworks.base.descriptor import Framework

    try:
        backend = find_backend(name)
        if backend is not None:
            return backend.framework
    except Exception:
        if any(known.name == name for known in BUILT_IN):
            raise
    return Framework(name, name, name, (name,))


def known_frameworks() -> list[Framework]:
    return [framework_of(known.name) for known in known_backends()]


def package_titles() -> dict[str, str]:
    """How people write the packages that a recording names in its environment, frameworks first."""
    known = known_frameworks()
    titles = {each.module: each.title for each in known}
    for each in known:
        titles |= each.companions
    return {**titles, "python": "Python"}


def titles() -> list[str]:
    """How people write the frameworks that there are."""
    return [each.title for each in known_frameworks()]


def wrappers() -> list[str]:
    """What they wrap functions with, as it is usually written."""
    return [each.source.wrapper for each in known_frameworks() if each.source.wrapper]


def example_error() -> str:
    """An error as users meet it, to show what can be asked about."""
    return next((each.example for each in known_frameworks() if each.example), "")


def dialect_of(name: str) -> Dialect:
    return framework_of(name).dialect


def load_backend(known: Known) -> Backend:
    module, _, attribute = known.target.partition(":")
    backend: Backend = getattr(importlib.import_module(module), attribute)()
    if backend.framework.name != known.name:  # or nothing of its descriptor would ever be found
        raise BackendUnavailable(f"its descriptor has the name {backend.framework.name!r}; it must be {known.name!r}")
    return backend


def how_to_install(known: Known) -> str:
    """The command that brings a framework in, in the builds that are tried here; users may choose their own."""
    return f"pip install 'traceonce[{known.name}]'" if known in BUILT_IN else f"pip install {known.module}"


def not_installed() -> list[Known]:
    """The frameworks that could be watched if they were there. None is imported to see that."""
    return [known for known in known_backends() if importlib.util.find_spec(known.module) is None]


def advise_on_import(error: str) -> str:
    """What to install, where an error says that a framework could not be imported because it is not there; else ""."""
    missing = re.search(r"No module named '(\w+)", error)
    known = next((known for known in known_backends() if missing and known.module == missing[1]), None)
    return f"{known.name} is not installed here: {how_to_install(known)}" if known is not None else ""


def installed_version(backend: Backend) -> tuple[str, str] | None:
    """The distribution and version under which a framework is installed, without importing it."""
    for distribution in backend.framework.distributions:
        try:
            return distribution, importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None
