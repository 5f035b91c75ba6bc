"""What a failure looks like when it is measured. An experiment names one of these as its `symptom`.

Each knows whether a measurement shows it, and how (`shown`), and what is left of it in a measurement that should be
cured (`left`). Where there is nothing to say, it does not show, and nothing is left.
"""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec

from traceonce.facts.note import Note
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.words.notes.trials import (
    CAUSE,
    CAUSE_AT,
    COMPILATIONS,
    GRAPH_BREAKS,
    GROWN,
    NO_ERROR,
    PRINTED,
    PRINTED_TIMES,
    RAISED,
    TRACES,
    WRONG_OUTPUTS,
)

Said: TypeAlias = tuple[Note, ...]


class Retraces(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """A function (or, without a name, all that was traced) is traced `traces` times, for this cause, at this path.

    Cured, it is traced at most `cured` times.
    """

    traces: int
    cause: str
    path: str | None = None
    function: str | None = None
    cured: int = 1

    def shown(self, seen: TrialMeasurement) -> Said:
        causes = [(cause.code, cause.path) for function in seen.functions for cause in function.causes]
        traces = seen.traces(self.function)
        if traces != self.traces:
            return ()
        if not any(code == self.cause and self.path in (None, path) for code, path in causes):
            return ()
        cause = CAUSE_AT(cause=self.cause, path=self.path) if self.path else CAUSE(cause=self.cause)
        return TRACES(count=traces), cause

    def left(self, seen: TrialMeasurement) -> Said:
        traces = seen.traces(self.function)
        return (TRACES(count=traces),) if traces > self.cured else ()


class Raises(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """An error of this type (or one that derives from it), whose text has this expression in it."""

    type: str
    text: str

    def shown(self, seen: TrialMeasurement) -> Said:
        error = seen.error
        if error is None or self.type not in error.types or not re.search(self.text, error.message, re.S):
            return ()
        return (RAISED(error=error.types[0]),)

    def left(self, seen: TrialMeasurement) -> Said:
        return self.shown(seen)


class Logs(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """This expression is in what the trial prints or logs."""

    text: str

    def shown(self, seen: TrialMeasurement) -> Said:
        found = len(re.findall(self.text, seen.log))
        return (PRINTED_TIMES(count=found),) if found > 1 else (PRINTED(),) if found else ()

    def left(self, seen: TrialMeasurement) -> Said:
        return self.shown(seen)


class Wrong(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """Nothing is raised, and the outputs are not the right ones (an experiment with this has a function `right`)."""

    def shown(self, seen: TrialMeasurement) -> Said:
        return (WRONG_OUTPUTS(), NO_ERROR()) if seen.error is None and seen.outputs_are == "different" else ()

    def left(self, seen: TrialMeasurement) -> Said:
        return (WRONG_OUTPUTS(),) if seen.outputs_are == "different" else ()


class Recompiles(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """The compiler under it compiles this often under one trace; cured, at most `cured` times."""

    compilations: int
    cured: int = 1

    def shown(self, seen: TrialMeasurement) -> Said:
        return (COMPILATIONS(count=seen.compilations),) if seen.compilations == self.compilations else ()

    def left(self, seen: TrialMeasurement) -> Said:
        return (COMPILATIONS(count=seen.compilations),) if seen.compilations > self.cured else ()


class Breaks(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """The graph of a function (or, without a name, of all together) is broken at this many places; cured, at none."""

    breaks: int
    function: str | None = None

    def shown(self, seen: TrialMeasurement) -> Said:
        breaks = seen.graph_breaks(self.function)
        return (GRAPH_BREAKS(count=breaks),) if breaks == self.breaks else ()

    def left(self, seen: TrialMeasurement) -> Said:
        breaks = seen.graph_breaks(self.function)
        return (GRAPH_BREAKS(count=breaks),) if breaks else ()


class Grows(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """The memory of the process grows by at least `mib` over the trial; cured, by less than `cured`."""

    mib: float
    cured: float

    def shown(self, seen: TrialMeasurement) -> Said:
        return (GROWN(mib=round(seen.grown_mib)),) if seen.grown_mib >= self.mib else ()

    def left(self, seen: TrialMeasurement) -> Said:
        return (GROWN(mib=round(seen.grown_mib)),) if seen.grown_mib >= self.cured else ()


Symptom: TypeAlias = Retraces | Raises | Logs | Wrong | Recompiles | Breaks | Grows
