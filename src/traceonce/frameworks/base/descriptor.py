"""What is known of a framework without importing it: one descriptor in each framework's home, found by the registry.

All of it but its names may be left out. A framework that another package brings has the same place for everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from traceonce.causes.dialect import Dialect
from traceonce.facts import Cause, CauseCode, Diagnosis, FunctionId, Signature, TraceEvent

if TYPE_CHECKING:  # a recording is read without loading repairs
    from traceonce.causes.example import Example
    from traceonce.fix.kit import Kit


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
    position, `old_options` former names of them; `per_argument` list something for each
    argument of the function. `methods` compile what they are called on (``model.compile()``).
    `pure` are packages whose functions (in lower case, without "random") give the same each time. `transforms` make one
    function of another: what is wrapped is known by the inner one. `packages` are those that code of ours uses, by the
    name that it is written with. `binds_self`: what is wrapped may be an object or a bound method, so that a plain call
    ``model(x)`` runs ``forward(self, x)``. `through` are wrappers of other packages that wrap with this one's.
    """

    wrapper: str
    wraps: frozenset[str] = frozenset()
    given_as: str = ""
    options: tuple[str, ...] = ()
    old_options: Mapping[str, str] = field(default_factory=dict)
    per_argument: tuple[str, ...] = ()
    methods: frozenset[str] = frozenset()
    pure: tuple[str, ...] = ()
    transforms: frozenset[str] = frozenset()
    packages: Mapping[str, Package] = field(default_factory=dict)
    binds_self: bool = False
    through: frozenset[str] = frozenset()


# From an event with the framework's own words for why it traced, and the signatures that its earlier graphs serve, by
# the framework's names for them, to causes.
ExplainReasons: TypeAlias = Callable[[TraceEvent, Mapping[str, Signature]], tuple[Cause, ...]]


def _no_record(cause: Cause, diagnosis: Diagnosis) -> str | None:  # as a framework's own
    return None


def _not_told(function: FunctionId) -> str | None:
    return None


@dataclass(frozen=True)
class Framework:
    """One framework.

    `name` is what the registry and the events know it by; of another package's, that of its entry point.
    `module` is the import that brings it in, `distributions` are the names it is installed under, `title` is how people
    write it. `along` are modules that it loads when it is first used, which takes about as long as the framework
    itself; `companions` are packages on top of it whose versions are worth knowing, with their titles.
    `per_model` are those whose functions are made for one model each, and traced for each anew.

    `configured_by` are prefixes of environment variables that it reads when it is imported; those in `logged_by` decide
    only about what is logged.

    `says_of_traces` is an expression (`re`) that finds the lines of a log in which it says itself that it has traced,
    or compiled, again: with fewer traces there are fewer of them.

    `default_of` are packages that load a framework by the name in an environment variable, and this one without it.
    `inside` are attributes under which what it makes keeps the Python function, or the object, that it was made of.

    `kit` loads its repairs. `explain_reasons` reads what the framework itself says of a trace.

    `notes` are modules that define what its recipes say (`words.sentence`).

    `record` gives the slug of the record that explains a cause. `records` is a base of records (a folder with
    ``records/<domain>/*.json``) that a framework from another package brings. `made_by` says what compiled a function,
    where messages of ours tell it; `mentions` and `ours` are expressions (RE2) that find the framework named in a text,
    and in a message of ours. `example` is an error of its own, as its users meet it; `examples` make causes happen.
    """

    name: str
    title: str
    module: str
    distributions: tuple[str, ...]
    along: tuple[str, ...] = ()
    companions: Mapping[str, str] = field(default_factory=dict)
    per_model: frozenset[str] = frozenset()
    configured_by: tuple[str, ...] = ()
    logged_by: tuple[str, ...] = ()
    says_of_traces: str | None = None
    default_of: Mapping[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)
    source: Source = field(default_factory=lambda: Source(""))
    kit: Callable[[], Kit] | None = None
    explain_reasons: ExplainReasons | None = None
    notes: tuple[str, ...] = ()
    record: Callable[[Cause, Diagnosis], str | None] = _no_record
    records: str | None = None
    made_by: Callable[[FunctionId], str | None] = _not_told
    mentions: str | None = None
    ours: str | None = None
    example: str = ""
    examples: Mapping[CauseCode, Example] = field(default_factory=dict)
