"""What one function did over a whole run, and whether it matters."""

from __future__ import annotations

import enum
from typing import Literal, TypeAlias

import msgspec

from traceonce.facts.cause import SILENT, Cause, CauseCode
from traceonce.facts.entries import FellBack
from traceonce.facts.event import CallSite, FunctionId
from traceonce.facts.fix import Fix
from traceonce.facts.note import Note
from traceonce.facts.printable import in_line
from traceonce.facts.quantities import count_of, duration

Growth: TypeAlias = Literal["none", "levelled", "growing", "unclear"]


class Verdict(str, enum.Enum):
    """How urgent is it? From *act now* to *nothing to see*."""

    FELL_BACK = "fell_back"
    RETRACING = "retracing"
    RECOMPILING = "recompiling"
    FAILED = "failed"
    STALE = "stale"
    CONFUSED = "confused"
    AVOIDABLE = "avoidable"
    BOUNDED = "bounded"
    OK = "ok"

    def __str__(self) -> str:
        return self.value

    @property
    def is_ignorable(self) -> bool:
        """Is no change needed? Avoidable traces raise no alarm, but have a fix."""
        return self in (Verdict.BOUNDED, Verdict.OK)

    @property
    def is_alarm(self) -> bool:
        return not self.is_ignorable and self is not Verdict.AVOIDABLE

    @property
    def is_silent(self) -> bool:
        """Is it about wrong values rather than the number of traces?"""
        return self in (Verdict.STALE, Verdict.CONFUSED)


class SiteCount(msgspec.Struct, frozen=True):
    """A call site and how many traces it caused."""

    file: str
    line: int
    count: int
    via: str | None = None

    @classmethod
    def of(cls, site: CallSite, count: int) -> SiteCount:
        return cls(site.file, site.line, count, site.via)


class Reason(str, enum.Enum):
    """Why a verdict is what it is; `words.verdicts` has the words."""

    KEEPS_COMING = "keeps_coming"
    KEEPS_COMING_UNCOUNTED = "keeps_coming_uncounted"
    NEW_OBJECTS = "new_objects"
    NEW_DATASETS = "new_datasets"
    MANY_CALLS = "many_calls"
    COMPILED_FOR_SHAPES = "compiled_for_shapes"
    COMPILED_FOR_DEVICES = "compiled_for_devices"
    FELL_BACK = "fell_back"
    RAISED = "raised"
    WRONG_VALUE = "wrong_value"
    CHANGED_BY_TRACING = "changed_by_tracing"
    TYPE_CHANGES = "type_changes"
    KEYS_CHANGE = "keys_change"
    FLAGS_MULTIPLY = "flags_multiply"
    READ_TWICE = "read_twice"
    TRACED_ONCE = "traced_once"
    EACH_GRAPH_ONCE = "each_graph_once"
    FEW_STATES = "few_states"
    LEFT_OPEN = "left_open"
    CAME_EARLY = "came_early"
    PAID_OFF = "paid_off"
    OTHER_SIZES = "other_sizes"
    PART_OF_ANOTHER = "part_of_another"
    FEW_SO_FAR = "few_so_far"


class Diagnosis(msgspec.Struct, frozen=True):
    """One function: how often it was traced, why, at what cost, and the verdict.

    `costly` marks, beside the verdict, a function that took much of the run, lost or unclear. `unclear_seconds` are
    first runs of graphs that ran once, where the share of graph preparation is unknown; `lost_seconds` excludes them.
    `accepted` says whether the function is no worse than the baseline (None: no baseline). `made_at` is the user's
    line that created most of its function objects, `known_as` the user's call if a library created it. `inner`: the
    function compiled there is another one, which calls this one. `calls_at_least`: there may have been more calls
    than `calls`. `fell_back` describes a function that is no longer compiled, `graph_breaks` where it was split into
    several graphs. `dealt_with` are causes that need no more advice: the usual fix was run and not proved, or the fix
    of another function covers them. `notes` are in English; `coded_notes` are the same as codes, where known, in the
    same order.
    """

    backend: str
    function: FunctionId
    traces: int
    retraces: int
    internal: int
    failed: int
    calls: int | None
    compiles: int
    backwards: int
    seconds: float
    exclusive_seconds: float
    first_run_seconds: float
    lost_seconds: float
    share: float | None
    bytes: int | None
    verdict: Verdict
    growth: Growth
    reason: Reason
    jit_compile: bool = False
    reduce_retracing: bool = False
    causes: tuple[Cause, ...] = ()
    call_sites: tuple[SiteCount, ...] = ()
    notes: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    records: tuple[str, ...] = ()
    accepted: bool | None = None
    calls_at_least: bool = False
    fell_back: FellBack | None = None
    graph_breaks: tuple[str, ...] = ()
    coded_notes: tuple[Note, ...] = ()
    made_at: SiteCount | None = None
    known_as: str | None = None
    inner: bool = False
    costly: bool = False
    unclear_seconds: float = 0.0
    dealt_with: tuple[CauseCode, ...] = ()

    def __str__(self) -> str:
        """In a line: the function, the verdict, the counts, what it lost and the places that changed."""
        calls = f" in {count_of(self.calls, 'call')}" if self.calls is not None else ""
        parts = [f"{count_of(self.traces, 'trace')}{calls}"]
        parts += [f"{duration(self.lost_seconds)} lost"] if self.retraces else []
        parts += [", ".join(dict.fromkeys(cause.path for cause in self.causes))] if self.causes else []
        return in_line(f"{self.function.name}: {self.verdict}, {' · '.join(parts)}")

    @property
    def surely_wrong(self) -> bool:
        """Was it shown that a call got a value that its trace was not made for?"""
        return any(cause.code in SILENT and cause.evidence == "measured" for cause in self.causes)
