"""What a failure looks like when it is measured. An experiment names one of these as its `symptom`.

Each knows whether a measurement shows it (`shown`), and what is left of it in a measurement that should be cured
(`left`, None where it is gone).
"""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec

from traceonce.knowledge.measurement import Measurement


class Retraces(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """A function (or, without a name, all that was traced) is traced `traces` times, for this cause, at this path.

    Cured, it is traced at most `cured` times.
    """

    traces: int
    cause: str
    path: str | None = None
    function: str | None = None
    cured: int = 1

    def shown(self, seen: Measurement) -> str | None:
        causes = [(cause.code, cause.path) for function in seen.functions for cause in function.causes]
        traces = seen.traces(self.function)
        if traces != self.traces:
            return None
        if not any(code == self.cause and self.path in (None, path) for code, path in causes):
            return None
        return f"{traces} traces, cause {self.cause}" + (f" at {self.path}" if self.path else "")

    def left(self, seen: Measurement) -> str | None:
        traces = seen.traces(self.function)
        return f"{traces} traces" if traces > self.cured else None


class Raises(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """An error of this type (or one that derives from it), whose text has this expression in it."""

    type: str
    text: str

    def shown(self, seen: Measurement) -> str | None:
        error = seen.error
        if error is None or self.type not in error.types or not re.search(self.text, error.message, re.S):
            return None
        return f"{error.types[0]} raised"

    def left(self, seen: Measurement) -> str | None:
        return self.shown(seen)


class Logs(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """This expression is in what the trial prints or logs."""

    text: str

    def shown(self, seen: Measurement) -> str | None:
        found = len(re.findall(self.text, seen.log))
        return f"printed {found} times" if found > 1 else "printed" if found else None

    def left(self, seen: Measurement) -> str | None:
        return self.shown(seen)


class Wrong(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """Nothing is raised, and the outputs are not the right ones (an experiment with this has a function `right`)."""

    def shown(self, seen: Measurement) -> str | None:
        return "wrong outputs, no error" if seen.error is None and seen.outputs_are == "different" else None

    def left(self, seen: Measurement) -> str | None:
        return "wrong outputs" if seen.outputs_are == "different" else None


class Recompiles(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """XLA compiles this often under one trace; cured, at most `cured` times."""

    compilations: int
    cured: int = 1

    def shown(self, seen: Measurement) -> str | None:
        return f"{seen.compilations} compilations" if seen.compilations == self.compilations else None

    def left(self, seen: Measurement) -> str | None:
        return f"{seen.compilations} compilations" if seen.compilations > self.cured else None


class Breaks(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """The graph of a function (or, without a name, of all together) is broken at this many places; cured, at none."""

    breaks: int
    function: str | None = None

    def shown(self, seen: Measurement) -> str | None:
        return self._said(seen) if seen.graph_breaks(self.function) == self.breaks else None

    def left(self, seen: Measurement) -> str | None:
        return self._said(seen) if seen.graph_breaks(self.function) else None

    def _said(self, seen: Measurement) -> str:
        breaks = seen.graph_breaks(self.function)
        return f"{breaks} graph {'break' if breaks == 1 else 'breaks'}"


class Grows(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """The memory of the process grows by at least `mib` over the trial; cured, by less than `cured`."""

    mib: float
    cured: float

    def shown(self, seen: Measurement) -> str | None:
        return f"{seen.grown_mib:.0f} MiB grown" if seen.grown_mib >= self.mib else None

    def left(self, seen: Measurement) -> str | None:
        return f"{seen.grown_mib:.0f} MiB grown" if seen.grown_mib >= self.cured else None


Symptom: TypeAlias = Retraces | Raises | Logs | Wrong | Recompiles | Breaks | Grows
