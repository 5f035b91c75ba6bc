"""What is known of a framework without importing it: one descriptor in each framework's home, found by the registry.

All of it but the name may be left out. A framework that another package brings has the same place for everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from traceonce.causes.dialect import Dialect
from traceonce.facts import Cause, CauseCode, Diagnosis, FunctionId


class Package(NamedTuple):
    """A package that code of ours uses: the modules that are it, and names to import it under, the usual one first."""

    modules: frozenset[str]
    names: tuple[str, ...]

    @property
    def module(self) -> str:
        """The one to import."""
        return min(self.modules, key=len)


@dataclass(frozen=True)
class Source:
    """What stands in a program for the framework.

    `wrapper` is what wraps functions, as it is usually written; `wraps` are the dotted names under which it can be
    imported; `given_as` is the keyword for the function that it wraps. `options` are its parameters that people give by
    position, `old_options` former names of them. `methods` compile what they are called on (``model.compile()``).
    `pure` are packages whose functions (in lower case, without "random") give the same each time. `transforms` make one
    function of another: what is wrapped is known by the inner one. `packages` are those that code of ours uses, by the
    name that it is written with.
    """

    wrapper: str
    wraps: frozenset[str] = frozenset()
    given_as: str = ""
    options: tuple[str, ...] = ()
    old_options: Mapping[str, str] = field(default_factory=dict)
    methods: frozenset[str] = frozenset()
    pure: tuple[str, ...] = ()
    transforms: frozenset[str] = frozenset()
    packages: Mapping[str, Package] = field(default_factory=dict)


@dataclass(frozen=True)
class Kit:
    """The repairs of one framework, as modules, in the order in which they are tried; `advice` is never written.

    `of_arguments` treat the arguments themselves; each of `of_objects` treats the function, or the objects given to it,
    for these causes, and goes together with one of the former. `along` are recipes that only come with another one.
    `of_failures` let a program run that fails while it is traced. `of_libraries`: what a library wrote, and the program
    itself wraps (``compile(Sequential(…))``), can be changed where it is wrapped and called. `replayed`: its cache is
    known so well that traces can be counted by replaying signatures; else they are as many as were seen.
    """

    recipes: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    of_arguments: tuple[str, ...] = ()
    of_objects: Mapping[str, frozenset[CauseCode]] = field(default_factory=dict)
    along: tuple[str, ...] = ()
    of_failures: tuple[str, ...] = ()
    of_libraries: bool = False
    replayed: bool = True


def within(package: str, *names: str) -> tuple[str, ...]:
    """Modules of a package, by their full names."""
    return tuple(f"{package}.{name}" for name in names)


SHARED_ADVICE = within("traceonce.fix.recipes", "leave_it", "library_report")  # for functions of any framework


def _no_record(cause: Cause, diagnosis: Diagnosis) -> str | None:  # as a framework's own
    return None


def _not_told(function: FunctionId) -> str | None:
    return None


@dataclass(frozen=True)
class Framework:
    """One framework.

    `module` is the import that brings it in, `distributions` are the names it is installed under, `title` is how people
    write it. `along` are modules that it loads when it is first used, which takes about as long as the framework
    itself; `companions` are packages on top of it whose versions are worth knowing, with their titles.

    `notes` are modules that define what its recipes say (`words.sentence`).

    `record` gives the slug of the record that explains a cause. `records` is a base of records (a folder with
    ``records/<domain>/*.json``) that a framework from another package brings. `made_by` says what compiled a function,
    where messages of ours tell it; `mentions` and `ours` are expressions (RE2) that find the framework named in a text,
    and in a message of ours.
    """

    name: str
    title: str
    module: str
    distributions: tuple[str, ...]
    along: tuple[str, ...] = ()
    companions: Mapping[str, str] = field(default_factory=dict)
    dialect: Dialect = field(default_factory=Dialect)
    source: Source = field(default_factory=lambda: Source(""))
    kit: Kit | None = None
    notes: tuple[str, ...] = ()
    record: Callable[[Cause, Diagnosis], str | None] = _no_record
    records: str | None = None
    made_by: Callable[[FunctionId], str | None] = _not_told
    mentions: str | None = None
    ours: str | None = None
