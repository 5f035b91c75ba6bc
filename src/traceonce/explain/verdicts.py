"""Can I ignore it? The numbered rules that decide.

1. No retrace, and nothing silently wrong: *ok*.
2. A retrace in the arguments that keeps coming, as the calls go on: *retracing*. It keeps coming where the second half
   of the calls still has it in one call of five, or has a third of at least five retraces.
3. The same graph traced again under a new function, at least twice, with fewer than ten calls to a trace: *retracing*.
   With more calls each trace has paid for itself: many small models, one after the other, are no alarm.
4. At least three retraces that cost a second and a tenth of the run: *retracing*, even where they have levelled off
   (not so for new functions with many calls to a trace, as in 3).
5. A place that can only take a handful of states (a bool, None or a tensor) is *bounded*, whatever its order.
6. At least three compilations without a trace, in one call of twenty or more often, or costly as in 4: *recompiling*.
7. A trace that raised: *failed*. A value served that the trace was not made for: *stale* or *confused*.
8. What is left is *bounded*: traced more than once, early or seldom.
"""

from __future__ import annotations

from collections.abc import Sequence

from traceonce.facts import Cause, CauseCode, Growth, Verdict

NEW_OBJECT = {CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE}
PAID_OFF = 10  # calls to a trace from which on another function object is no waste
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


def judge(
    *,
    retrace_causes: Sequence[tuple[int | None, tuple[Cause, ...]]],
    calls: int | None,
    traces: int,
    failed: int,
    recompiles: int,
    lost_seconds: float,
    share: float | None,
    silent: Sequence[CauseCode],
) -> tuple[Verdict, Growth, str]:
    """The verdict, the growth, and the reason in words. `retrace_causes`: per retrace, its call and its causes."""
    growth = judge_growth([call for call, _ in retrace_causes], calls)
    in_arguments = [(call, causes) for call, causes in retrace_causes if any(c.code not in NEW_OBJECT for c in causes)]
    new_objects = len(retrace_causes) - len(in_arguments)
    unbounded = [(call, causes) for call, causes in in_arguments if not all(c.finite for c in causes)]
    paid_off = calls is not None and calls >= PAID_OFF * traces
    if judge_growth([call for call, _ in unbounded], calls) == "growing":
        return Verdict.RETRACING, "growing", "it keeps being traced as it is called"
    if new_objects >= 2 and calls is not None and not paid_off:
        return Verdict.RETRACING, growth, "the same graph is traced again under new function objects"
    costly = lost_seconds >= COSTLY_SECONDS and share is not None and share >= COSTLY_SHARE
    wasteful = len(unbounded) + (0 if paid_off else new_objects)
    if wasteful >= 3 and costly:
        return Verdict.RETRACING, growth, "it has cost a good part of the run"
    if recompiles >= 3 and (costly or calls is None or recompiles >= calls / 20):
        return Verdict.RECOMPILING, growth, "XLA compiles it again for new shapes"
    if failed:
        return Verdict.FAILED, growth, "a trace raised an error"
    for code, verdict in ((CauseCode.STALE, Verdict.STALE), (CauseCode.CONFUSED, Verdict.CONFUSED)):
        if code in silent:
            return verdict, growth, "a call was served with a value that the trace was not made for"
    if not retrace_causes and not recompiles:
        return Verdict.OK, growth, "traced once"
    return Verdict.BOUNDED, growth, _why_bounded(growth, in_arguments, new_objects, paid_off)


def _why_bounded(
    growth: Growth, in_arguments: Sequence[tuple[int | None, tuple[Cause, ...]]], new_objects: int, paid_off: bool
) -> str:
    if in_arguments and all(c.finite for _, causes in in_arguments for c in causes):
        return "the argument has only a few possible states"
    if growth == "levelled":
        return "all traces came early"
    if new_objects and paid_off:
        return "each trace served many calls"
    return "few traces so far"
