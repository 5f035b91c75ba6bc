"""Can I ignore it? The numbered rules that decide.

1. No retrace, and nothing silently wrong: *ok*.
2. A retrace in the arguments that keeps coming, as the calls go on: *retracing*. It keeps coming where the second half
   of the calls still has it in one call of five, or has a third of at least five retraces. Where calls are not counted,
   five retraces will do, if they are not all part of one or two traces of an outer function. A retrace that another
   function object over the same code had before does not count: it is the object that is new. Where only the first
   calls of each trace are counted, traces that have served ten calls each say nothing of how often they come: there
   the cost decides (rule 4).
3. The same graph traced again under a new function, at least twice, that keeps coming, with fewer than ten calls to a
   trace: *retracing*. With more calls each trace has paid for itself: many small models, one after the other, are no
   alarm; nor is a handful of objects, each traced once. The function of a dataset, whose calls nobody counts: twenty.
4. At least eight retraces in the arguments with fewer than ten calls to a trace: *retracing*, even where they have
   levelled off; and at least three that cost a second and a tenth of the run.
5. A place that can only take a handful of states (a bool, None or a tensor) is *bounded*, whatever its order.
6. At least three compilations without a trace, in one call of twenty or more often, or costly as in 4: *recompiling*.
7. A trace that raised: *failed*. A value served that the trace was not made for: *stale* or *confused*.
8. A function that the framework has given up on, and runs as plain Python: *fell_back*, whatever else is true of it.
9. What is left is *bounded*: traced more than once, early or seldom.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traceonce.facts import Cause, CauseCode, Growth, Reason, Verdict

NEW_OBJECT = {CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE, CauseCode.CAPTURED}
PAID_OFF = 10  # calls to a trace from which on another function object is no waste
ENOUGH = 5  # retraces that are an alarm where calls are not counted
MANY = 8  # retraces that are an alarm where they have not paid off
DATASETS = 20  # times that the function of a dataset is traced again before it is an alarm
_SILENTLY_WRONG = {
    CauseCode.STALE: (Verdict.STALE, Reason.WRONG_VALUE),
    CauseCode.SIDE_EFFECT: (Verdict.STALE, Reason.CHANGED_BY_TRACING),
    CauseCode.CONFUSED: (Verdict.CONFUSED, Reason.WRONG_VALUE),
}
COSTLY_SECONDS = 1.0
COSTLY_SHARE = 0.1


def judge_growth(retraced_at: Sequence[int | None], calls: int | None) -> Growth:
    """Do the traces level off? `retraced_at` holds the number of the call at which each retrace happened."""
    if not retraced_at:
        return "none"
    known = [call for call in retraced_at if call is not None]
    if not calls or len(known) < len(retraced_at):
        return "unclear"
    half = calls / 2
    late = sum(call > half for call in known)
    if late == 0:
        return "levelled"
    often = len(known) >= 2 and late / max(calls - half, 1.0) >= 0.2
    steadily = len(known) >= 5 and 3 * late >= len(known)
    return "growing" if often or steadily else "unclear"


class Retrace(NamedTuple):
    """A retrace, for the verdict: at which call it came, why, and whether another function object had it before.

    `parent` is the trace of another function that it was part of.
    """

    call: int | None
    causes: tuple[Cause, ...]
    repeated: bool = False
    parent: int | None = None

    @property
    def in_arguments(self) -> bool:
        return not self.repeated and any(cause.code not in NEW_OBJECT for cause in self.causes)

    @property
    def new_object(self) -> bool:
        return not self.repeated and not self.in_arguments

    @property
    def unbounded(self) -> bool:
        return self.in_arguments and not all(cause.finite for cause in self.causes)


def judge(
    *,
    retraces: Sequence[Retrace],
    calls: int | None,
    traces: int,
    failed: int,
    recompiles: int,
    lost_seconds: float,
    share: float | None,
    of_dataset: bool = False,
    at_least: bool = False,
    resharded: bool = False,
    silent: Sequence[CauseCode],
) -> tuple[Verdict, Growth, Reason]:
    """The verdict, the growth, and the reason.

    `at_least`: there may have been more calls. `resharded`: it was compiled again for other devices or shardings.
    """
    if CauseCode.FELL_BACK in silent:
        return Verdict.FELL_BACK, "growing", Reason.FELL_BACK
    growth = judge_growth([retrace.call for retrace in retraces], calls)
    unbounded = [retrace.call for retrace in retraces if retrace.unbounded]
    new_objects = [retrace.call for retrace in retraces if retrace.new_object]
    paid_off = calls is not None and calls >= PAID_OFF * traces
    costly = lost_seconds >= COSTLY_SECONDS and share is not None and share >= COSTLY_SHARE
    if judge_growth(unbounded, calls) == "growing" and not (at_least and paid_off):
        return Verdict.RETRACING, "growing", Reason.KEEPS_COMING
    outer = {index if retrace.parent is None else f"in {retrace.parent}" for index, retrace in enumerate(retraces)}
    if calls is None and len(unbounded) >= ENOUGH and len(outer) >= 3:
        return Verdict.RETRACING, growth, Reason.KEEPS_COMING_UNCOUNTED
    keeps_coming = judge_growth(new_objects, calls) != "levelled" and (calls is not None or costly)
    if len(new_objects) >= 2 and keeps_coming and not paid_off:
        return Verdict.RETRACING, growth, Reason.NEW_OBJECTS
    if of_dataset and len(new_objects) >= DATASETS:
        return Verdict.RETRACING, growth, Reason.NEW_DATASETS
    numbered = not at_least or None not in unbounded
    if len(unbounded) >= MANY and calls is not None and numbered and not paid_off:
        return Verdict.RETRACING, growth, Reason.MANY_CALLS
    if len(unbounded) + (0 if paid_off else len(new_objects)) >= 3 and costly:
        return Verdict.RETRACING, growth, Reason.COSTLY
    if recompiles >= 3 and (costly or calls is None or recompiles >= calls / 20):
        if resharded:
            return Verdict.RECOMPILING, growth, Reason.COMPILED_FOR_DEVICES
        return Verdict.RECOMPILING, growth, Reason.COMPILED_FOR_SHAPES
    if failed:
        return Verdict.FAILED, growth, Reason.RAISED
    for code, (verdict, reason) in _SILENTLY_WRONG.items():
        if code in silent:
            return verdict, growth, reason
    if not retraces and not recompiles:
        return Verdict.OK, growth, Reason.TRACED_ONCE if traces <= 1 else Reason.EACH_GRAPH_ONCE
    return Verdict.BOUNDED, growth, _why_bounded(growth, retraces, paid_off)


def _why_bounded(growth: Growth, retraces: Sequence[Retrace], paid_off: bool) -> Reason:
    in_arguments = [retrace for retrace in retraces if retrace.in_arguments]
    if in_arguments and all(cause.finite for retrace in in_arguments for cause in retrace.causes):
        return Reason.FEW_STATES
    if growth == "levelled":
        return Reason.CAME_EARLY
    if paid_off:
        return Reason.PAID_OFF
    return Reason.FEW_SO_FAR
