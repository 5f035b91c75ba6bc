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
    """Every reason that traceonce can name."""

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
    """One reason for one trace (or, in a diagnosis, for `count` of them, with the `values` seen in order).

    `was` and `now` are the earlier and the later state in words; `type_name` is the Python type of a value.
    `call_site` is the line whose calls had it; in a diagnosis, most of them.
    `finite` says that the place can only ever take a handful of states (a bool, None or a tensor). `differs` are the
    places that a new function or object reads otherwise than the last one. `note` names what else there is to know, in
    English or by a name of the user's; where it is said in words, `coded_notes` are the same as codes.
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
        """By how much a dimension grows each time, as the sequence of a decoder does; None where it does not."""
        sizes = self._sizes
        steps = {after - before for before, after in itertools.pairwise(sizes)}
        return steps.pop() if len(sizes) >= 4 and len(steps) == 1 and sizes[-1] > sizes[0] else None

    @property
    def is_partial_batch(self) -> bool:
        """Was the first dimension smaller once, as in the last batch of a data set that does not divide evenly?"""
        sizes = self._sizes
        return self.path.endswith(".shape[0]") and len(sizes) == 2 and sizes[1] < sizes[0]

    @property
    def _sizes(self) -> list[int]:
        return [int(value) for value in self.values if value.isdigit()] if self.code is CauseCode.SHAPE else []
