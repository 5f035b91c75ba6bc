"""Why a function was traced again: a closed list of codes, and one cause with its place and values."""

from __future__ import annotations

import enum
from typing import Literal, TypeAlias

import msgspec

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
    VARIABLE_CREATION = "variable_creation"
    CONTEXT = "context"
    COMPILE = "compile"
    BACKWARD = "backward"
    STALE = "stale"
    CONFUSED = "confused"
    UNKNOWN = "unknown"


class Cause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason for one trace (or, in a diagnosis, for `count` of them, with the `values` seen in order).

    `was` and `now` are the earlier and the later state in words; `type_name` is the Python type of a value.
    `finite` says that the place can only ever take a handful of states (a bool, None or a tensor).
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
