"""What a backend saw: one trace, one compilation, one backward graph."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

import msgspec

from traceonce.facts.signature import Signature

EventKind: TypeAlias = Literal["trace", "compile", "backward"]
Phase: TypeAlias = Literal["first", "retrace", "internal", "failed"]


_LIBRARY_FOLDERS = ("site-packages/", "dist-packages/")


def package_path(file: str) -> str:
    """A library's file from its package on, the same on every machine; any other file as it is."""
    for folder in _LIBRARY_FOLDERS:
        if folder in file:
            return file.rpartition(folder)[2]
    return file


def path_from(root: str, cwd: str, file: str) -> str:
    """A file of a program that ran in `cwd`, named from `root` where it lies below it; a library's from its package."""
    if package_path(file) != file:
        return package_path(file)
    path = os.path.normpath(os.path.join(cwd, file))
    return os.path.relpath(path, root) if path.startswith(os.path.join(root, "")) else path


# Functions that compile their body, or their branches, where they are not inside a compiled function.
LOOPS = frozenset({"scan", "while_loop", "fori_loop", "map", "cond", "switch", "associative_scan"})


class FunctionId(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A function as its author knows it: qualified name and place. Several function objects may share one."""

    name: str
    file: str | None = None
    line: int | None = None
    library: bool = False

    @property
    def short_name(self) -> str:
        """The last part of the qualified name, without a note such as ``[dataset]``."""
        return self.name.partition(" [")[0].rpartition(".")[2]

    @property
    def package(self) -> str | None:
        """The installed package that it belongs to, as it is imported; None for the user's own."""
        path = package_path(self.file or "")
        return path.partition("/")[0] if path != self.file else None

    @property
    def loop(self) -> str | None:
        """The loop that this is the body of, where it runs by itself: ``scan``, of ``step [scan]``."""
        last = self.name.rpartition(" [")[2].removesuffix("]").rpartition(", ")[2]
        return last if last in LOOPS and self.name.endswith("]") else None

    @property
    def key(self) -> str:
        return f"{self.name}|{self.file or ''}|{self.line or ''}"

    def is_called(self, name: str) -> bool:
        """Is this its qualified name, or the last part of it?"""
        return name in (self.name, self.short_name)


class Frame(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One line of a stack."""

    file: str
    line: int
    name: str = ""


class CallSite(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The user's own last line, and the library's line where a library made the call."""

    file: str
    line: int
    via: str | None = None


class TraceEvent(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="trace", gc=False):
    """One thing that a tracer did, written down when it ended.

    `id` counts the events of one process. `object` and `instance` number the function object and, for a method, the
    object that it is bound to. `call` is the number of this call among the counted calls of the function (None where
    nobody counts). `signature` is what was asked for, `traced` what the trace was made for where that is wider.
    `earlier` holds signatures that the function had traced before anybody watched. `dead` lists the identities of
    arguments that were garbage-collected since the last event. `bytes` is what tracing and the first run
    added to the memory of the process. `preparing_seconds` are those of the first run that are known to have gone into
    preparing the graph, and not into running it. `fingerprint` is equal for equal graphs, `wiring` also for those that
    differ in the sizes of what they captured; `graph` is the framework's own name for this one. `reads` are the values
    from outside that the first trace of an object read, `captured` the sizes of the arrays among them
    (``float32[40, 1]``). `made_at` is the user's line that made the function object (by the wrapper of the framework,
    or by what had a library do so), `known_as` what the user calls where a library made it
    (``model.fit (Sequential)``). `inner`: what was made there is another function, which called this one, and the
    framework compiled it by itself.
    `creates_variables` says that the trace has made some, and so cannot be taken back. `reasons` are the framework's
    own words for why what it had did not serve (such as the guard that failed, of each earlier compilation, the
    latest first). `graph_breaks` are the places at which it cut the function into several graphs, and why.
    """

    id: int
    backend: str
    function: FunctionId
    signature: Signature
    start: float
    kind: EventKind = "trace"
    phase: Phase = "first"
    ordinal: int = 0
    call: int | None = None
    traced: Signature | None = None
    earlier: tuple[Signature, ...] = ()
    dead: tuple[int, ...] = ()
    object: int | None = None
    instance: int | None = None
    fingerprint: str | None = None
    graph: str | None = None
    raw_reason: str | None = None
    seconds: float | None = None
    exclusive_seconds: float | None = None
    first_run_seconds: float | None = None
    steady_run_seconds: float | None = None
    nodes: int | None = None
    bytes: int | None = None
    call_site: CallSite | None = None
    stack: tuple[Frame, ...] = ()
    thread: str = "MainThread"
    process: str = ""
    error: str | None = None
    jit_compile: bool = False
    signed: bool = False
    reduce_retracing: bool = False
    parent: int | None = None
    reads: dict[str, str] = {}
    captured: dict[str, str] = {}
    made_at: CallSite | None = None
    known_as: str | None = None
    inner: bool = False
    creates_variables: bool = False
    reasons: tuple[str, ...] = ()
    graph_breaks: tuple[str, ...] = ()
    preparing_seconds: float | None = None
    wiring: str | None = None

    @property
    def served(self) -> Signature:
        """The signature whose calls this trace can serve."""
        return self.traced if self.traced is not None else self.signature

    @property
    def lost_in_first_run(self) -> float:
        """What the first run took beyond an ordinary run of this graph, as far as it is known."""
        ran, known = self.first_run_seconds or 0.0, self.preparing_seconds or 0.0
        return known if self.steady_run_seconds is None else max(ran - self.steady_run_seconds, known, 0.0)

    @property
    def unclear_in_first_run(self) -> float:
        """What else the first run took, where the graph ran once: an ordinary run, or more preparing."""
        if self.steady_run_seconds is not None:
            return 0.0
        return max((self.first_run_seconds or 0.0) - (self.preparing_seconds or 0.0), 0.0)
