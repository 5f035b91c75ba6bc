"""What a framework must offer so that traceonce can watch it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from traceonce.errors import BackendUnavailable, TracingLimitReached
from traceonce.facts import Breach, Calls, Compiled, Finding, Inputs, Notice, Ran, TraceEvent
from traceonce.facts.replay import Probed, ReplayResult, ReplaySettings
from traceonce.frameworks.base.descriptor import Framework


class Sink(Protocol):
    """Where a backend reports. It never raises: an error on our side is no business of the user's program."""

    def write(self, entry: TraceEvent | Ran | Inputs | Calls | Finding | Notice) -> None: ...

    def permit(self, event: TraceEvent, *, made: bool) -> BaseException | None:
        """A trace is about to be made; or it has been `made`, and is about to be kept. May it?

        Returns what is to be raised in the program instead, where a limit is reached. A trace that was permitted before
        it was made is to be written when it has ended, as failed where it was not kept.
        """


class Watching(Protocol):
    """Hooks that are in place, to be derived from. `hook` says which, in a few words."""

    hook: str

    def renew(self) -> Callable[[str], int]:
        """Another observer joins: tell it, with the next event of each function, what was traced before.

        Returns the calls counted so far, by the key of a function, which may become known later.
        """
        return lambda key: 0

    def settle(self) -> None:
        """Report what can only be known at the end (calls, stale values) and stay in place."""
        return

    def stop(self) -> None:
        """Take every hook out again."""
        ...


class RunningReplay(Protocol):
    """A run whose results are kept, so that it can be compared with another run."""

    def is_tracing(self) -> bool:
        """Is a trace under way in this thread? What Python prints then is no output of the program."""
        ...

    def result(self) -> ReplayResult:
        """Everything so far."""
        ...

    def probe(self) -> Iterator[Probed]:
        """After the program has ended: calls that it did not make, one at each step."""
        ...

    def stop(self) -> None:
        """Take every hook out again."""


class CompilationReader(Protocol):
    """Reads the log of a program for compilations."""

    def take(self, line: bytes) -> Compiled | bool:
        """A compilation; or whether the line is to be kept from the user."""
        ...


class Backend(Protocol):
    """One framework, to be derived from. Looking at it imports nothing; `watch` is called once the program has imported
    the framework. What has an answer here may be left out."""

    framework: Framework

    def request_compilations(self, environment: dict[str, str]) -> CompilationReader | None:
        """Have the framework tell of compilations, through the environment of a program that is to start."""
        return None

    def watch(self, sink: Sink, *, compilations: bool = False) -> Watching:
        """The framework is there: put the hooks in place. Raises `BackendUnavailable` where none works here."""
        ...

    def replay(self, settings: ReplaySettings, enough: Callable[[], None]) -> RunningReplay:
        """The framework is there: keep the results of the user's functions, with fixed seeds.

        `enough` is called when so many calls were made as the settings want; it ends the program. Raises
        `BackendUnavailable` where that cannot be done here.
        """
        raise BackendUnavailable(f"{self.framework.title} cannot keep results, so there is nothing to compare")

    def limit_reached(self, message: str, breach: Breach) -> TracingLimitReached:
        """The error for a call that is refused: one of the framework's own, too, where it has one that fits."""
        return TracingLimitReached(message, breach)

    def check(self) -> None:
        """Trace a toy function twice (importing the framework); used by `traceonce doctor`."""
        ...


def imported(module: str, purpose: str) -> Any:
    """A framework that the program has imported; nothing of ours imports one."""
    framework = sys.modules.get(module)
    if framework is None:
        raise BackendUnavailable(f"{module} has not been imported, so there is nothing to {purpose}")
    return framework
