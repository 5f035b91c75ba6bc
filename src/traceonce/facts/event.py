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
    """A function by its qualified name and place. Several function objects may share one."""

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
        """The import name of the installed package it belongs to; None for the user's own code."""
        path = package_path(self.file or "")
        return path.partition("/")[0] if path != self.file else None

    @property
    def loop(self) -> str | None:
        """The loop whose body this is, if the loop runs on its own: ``scan``, of ``step [scan]``."""
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
    """One event of a tracer, recorded when it ended.

    `id` numbers the events of one process. `object` and `instance` number the function object and, for a method, its
    object. `call` is the number of the call (None if calls are not counted). `signature` is the requested signature,
    `traced` the one the trace was made for, if wider. `earlier` are signatures traced before the recording began.
    `dead` lists identities of arguments garbage-collected since the last event. `bytes` is the memory that tracing
    and the first run added. `preparing_seconds` is the part of the first run known to have prepared the graph.
    `fingerprint` is equal for equal graphs, `wiring` also for graphs that differ only in the sizes of their captured
    arrays; `graph` is the framework's name for this one. `reads` are the outside values that the first trace of an
    object read, `captured` the sizes of the arrays among them (``float32[40, 1]``). `made_at` is the user's line that
    created the function object, `known_as` the user's call if a library created it (``model.fit (Sequential)``).
    `inner`: the function created there is another one, which called this one, and the framework compiled this one on
    its own. `creates_variables`: the trace has created variables, so it cannot be undone. `reasons` are the
    framework's own reasons for the miss (such as the failed guard of each earlier compilation, latest first).
    `graph_breaks` are the places where the graph was split, and why.
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
        """The signature whose calls this trace serves."""
        return self.traced if self.traced is not None else self.signature

    @property
    def lost_in_first_run(self) -> float:
        """How much longer the first run took than an ordinary run of this graph, if known."""
        ran, known = self.first_run_seconds or 0.0, self.preparing_seconds or 0.0
        return known if self.steady_run_seconds is None else max(ran - self.steady_run_seconds, known, 0.0)

    @property
    def unclear_in_first_run(self) -> float:
        """The rest of the first run, if the graph ran once: an ordinary run, or more preparation."""
        if self.steady_run_seconds is not None:
            return 0.0
        return max((self.first_run_seconds or 0.0) - (self.preparing_seconds or 0.0), 0.0)
