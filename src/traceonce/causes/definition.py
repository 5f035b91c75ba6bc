"""What there is to say and to show of one cause, for any framework."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from traceonce.causes.families import Family
from traceonce.facts import Cause, CauseCode, FunctionId, Reason, Verdict
from traceonce.words.translated import Text

Level: TypeAlias = Literal["error", "warning", "note"]
# What is another object each time: the function, or what it closes over; or what is passed.
Anew: TypeAlias = Literal["function", "argument"]
# Sizes are a set, other values have an order; of objects only how many there were is known, or their names; `note`: the
# note says it; `none`: there is nothing to list.
Values: TypeAlias = Literal["in_order", "as_a_set", "counted", "named", "note", "none"]


@dataclass(frozen=True)
class Happened:
    """A cause, its framework, and what is known of the function that it befell."""

    cause: Cause
    backend: str
    function: FunctionId | None = None
    traces: int = 0
    reduce_retracing: bool = False
    failed: bool = False

    @property
    def each_time(self) -> bool:
        """Has every trace but the first brought another value?"""
        return self.cause.count >= 3 and self.cause.count >= self.traces - 1


def nothing_special(_: Happened) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True)
class WrongValueWords:
    """What pages say first of a function that returns wrong values: ``{name}``; in `alarm` also the cause's own fields.

    `alarm` is one line below the headline of another function, `lede` the sentence below a headline of its own.
    """

    headline: Text
    alarm: Text
    lede: Text


@dataclass(frozen=True)
class WrongValue:
    """A cause that is no retrace but a wrong value: what it makes of the verdict, and what is said of it.

    `unsure` are the words where it was inferred, and not shown.
    """

    verdict: Verdict
    reason: Reason
    words: WrongValueWords
    unsure: WrongValueWords | None = None


@dataclass(frozen=True)
class Definition:
    """One cause, in every language.

    `name` is what tables call it, `family` what it is coloured by. `what` says in a few words what happened at a place,
    `remedy` what to change; `with_note` and `when_inferred` are added to the former where the cause has a note, or was
    inferred. `values` is how what was seen at the place is listed; `read_off`: every event has it there, also one that
    has another cause. `anew`: it is another object that made the trace. `rule`, `summary` and `level` are those of its
    SARIF rule. `wrong_value` is what a cause of `facts.cause.SILENT` has, and no other.

    Some cases are told in words of their own: `cases` names those that hold, the most special one first, and
    `special_what` and `special_remedy` have the words. What a framework calls otherwise is in its own home, under the
    same names (`traceonce.causes.dialect`), beside programs that make it happen (`traceonce.causes.example`).
    """

    code: CauseCode
    name: Text
    family: Family
    rule: str
    summary: Text
    what: Text
    remedy: Text
    level: Level = "warning"
    cases: Callable[[Happened], Iterator[str]] = nothing_special
    special_what: Mapping[str, Text] = field(default_factory=dict)
    special_remedy: Mapping[str, Text] = field(default_factory=dict)
    with_note: Text | None = None
    when_inferred: Text | None = None
    values: Values = "in_order"
    read_off: bool = False
    anew: Anew | None = None
    wrong_value: WrongValue | None = None

    @property
    def tells_of_objects(self) -> bool:
        """Is no value seen there, but one object after the other?"""
        return self.values in ("counted", "named", "note")
