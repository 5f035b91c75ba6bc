"""What stands in a program for each framework that is known here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from traceonce.frameworks.base.descriptor import Package, Source
from traceonce.frameworks.base.registry import framework_of, known_frameworks


@cache
def all_sources() -> tuple[Source, ...]:
    return tuple(framework.source for framework in known_frameworks())


@cache
def all_packages() -> Mapping[str, Package]:
    """The packages that code of ours uses, by the name that it is written with."""
    return {usual: package for source in all_sources() for usual, package in source.packages.items()}


def source_of(backend: str) -> Source:
    """A framework that nobody told us of has no wrapper that a file could be searched for."""
    return framework_of(backend).source
