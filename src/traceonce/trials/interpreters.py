"""Which interpreter runs the trials of which framework: this one, or one for each version that was asked for."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from traceonce.errors import RecordError, UsageError
from traceonce.frameworks.base.registry import find_backend, how_to_install, installed_version, known_backends
from traceonce.knowledge.environments import parse_requirements, python_with
from traceonce.knowledge.evidence import framework_name
from traceonce.knowledge.trial_runner import TrialProcess


class Interpreter(NamedTuple):
    """An interpreter that has a framework installed; `python` is None where nothing has."""

    framework: str
    python: str | None


def interpreters(
    against: str | None,
    frameworks: Sequence[str],
    *,
    named: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[Interpreter]:
    """The interpreters to run these frameworks with. Environments are made when it is their turn, and `tell` is told.

    With `named`, somebody has asked for each of these frameworks: a version of each must be there.
    """
    if against is None:
        for framework in frameworks:
            yield Interpreter(framework, sys.executable if is_installed(framework) else None)
        return
    wanted = [(framework_required(requirement, frameworks), requirement) for requirement in parse_requirements(against)]
    for missing in set(frameworks) - {framework for framework, _ in wanted} if named else ():
        raise UsageError(f"--against: names no version of {framework_name(missing)}, whose records would also run.")
    for framework, requirement in wanted:
        yield Interpreter(framework, python_with(requirement, lambda text: tell(f"{text} …")))


def is_installed(framework: str) -> bool:
    backend = find_backend(framework)
    if backend is None:
        raise RecordError(f"there is no backend for {framework!r}, so its records cannot be run.")
    return installed_version(backend) is not None


def framework_required(requirement: str, frameworks: Sequence[str]) -> str:
    """The framework that is installed under this name; where there is only one, whatever the name is."""
    if len(frameworks) == 1:
        return frameworks[0]
    name = _normal(requirement.partition("==")[0])
    names = {
        _normal(distribution): framework
        for framework in frameworks
        if (backend := find_backend(framework)) is not None
        for distribution in backend.framework.distributions
    }
    if name not in names:
        known = ", ".join(sorted(names))
        raise UsageError(f"--against {requirement!r}: no records for this framework; known: {known}.")
    return names[name]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def start_trials(python: str, framework: str) -> TrialProcess:
    """A process that runs trials with the framework that this interpreter has."""
    environment = dict(os.environ)
    backend = find_backend(framework)
    if backend is None:
        raise RecordError(f"there is no backend for {framework!r}, so its records cannot be run.")
    backend.request_compilations(environment)
    return TrialProcess([python, "-m", "traceonce.trials.trial_server", framework], environment)


def describe_missing(framework: str) -> str:
    install = how_to_install(next(known for known in known_backends() if known.name == framework))
    return (
        f"{framework_name(framework)} is not installed here, so its records were not run; install it ({install}), "
        f"or name versions: --against {framework}==VERSION"
    )
