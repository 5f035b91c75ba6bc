"""Why a function was traced again: a closed list of codes, and one cause with its place and values."""

from __future__ import annotations

import enum
import itertools
from typing import Literal, TypeAlias

import msgspec

from traceonce.facts.event import CallSite
from traceonce.facts.note import Note

Evidence: TypeAlias = Literal["measured", "reported", "inferred"]


class CauseCode(str, enum.Enum):
    """Every cause that traceonce can report."""

    SHAPE = "shape"
    RANK = "rank"
    DTYPE = "dtype"
    VALUE = "value"
    KIND = "kind"
    STRUCTURE = "structure"
    SPEC = "spec"
    IDENTITY = "identity"
    COLLECTED = "collected"
    UNEQUAL = "unequal"
    ALIASING = "aliasing"
    NEW_FUNCTION = "new_function"
    NEW_INSTANCE = "new_instance"
    CAPTURED = "captured"
    VARIABLE_CREATION = "variable_creation"
    CONTEXT = "context"
    WEAK_TYPE = "weak_type"
    STATIC_ARGUMENT = "static_argument"
    SHARDING = "sharding"
    GUARD = "guard"
    COMPILE = "compile"
    BACKWARD = "backward"
    FELL_BACK = "fell_back"
    STALE = "stale"
    CONFUSED = "confused"
    SIDE_EFFECT = "side_effect"
    UNKNOWN = "unknown"


# Wrong results without a trace. A fact decides by it (`Diagnosis.surely_wrong`), and facts know no other room: a test
# holds it to the definitions that have a `wrong_value`.
SILENT = frozenset({CauseCode.STALE, CauseCode.CONFUSED, CauseCode.SIDE_EFFECT})


class Cause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One cause of one trace (or, in a diagnosis, of `count` traces, with the `values` in order).

    `was` and `now` describe the earlier and the later state; `type_name` is the Python type of a value. `call_site` is
    the calling line; in a diagnosis, the most frequent one. `finite` marks a place with only a few possible states (a
    bool, None or a tensor). `differs` lists the places that a new function or object reads differently. `note` is
    additional information, in English or as a name from the program; `coded_notes` are the same as codes.
    """

    code: CauseCode
    path: str
    was: str
    now: str
    evidence: Evidence = "measured"
    count: int = 1
    values: tuple[str, ...] = ()
    type_name: str | None = None
    finite: bool = False
    note: str | None = None
    differs: tuple[str, ...] = ()
    coded_notes: tuple[Note, ...] = ()
    call_site: CallSite | None = None

    @property
    def step(self) -> int | None:
        """How much a dimension grows each time, as in a decoder; None if it does not grow evenly."""
        sizes = self._sizes
        steps = {after - before for before, after in itertools.pairwise(sizes)}
        return steps.pop() if len(sizes) >= 4 and len(steps) == 1 and sizes[-1] > sizes[0] else None

    @property
    def is_partial_batch(self) -> bool:
        """Was the first dimension smaller once, as in the last, partial batch of a data set?"""
        sizes = self._sizes
        return self.path.endswith(".shape[0]") and len(sizes) == 2 and sizes[1] < sizes[0]

    @property
    def _sizes(self) -> list[int]:
        return [int(value) for value in self.values if value.isdigit()] if self.code is CauseCode.SHAPE else []
