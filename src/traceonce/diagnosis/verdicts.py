"""Can I ignore it? The numbered rules that decide, by counts and causes alone. Seconds differ by machine: none decides.

What is counted are the calls and the traces of one process. A retrace *in the arguments* has a cause other than a new
object; one that another function object over the same code had before does not count: it is the object that is new. A
function has *paid off* with ten calls to a trace. The same code made again over arrays of other sizes (weights of other
sizes; other arrays, in another dimension than their rows) may be another model, or one over other data: a retrace
that is counted, that costs, and whose causes say what differs (*resized*). It has not its reason in the arguments.

Alarms:

1. A function that the framework has given up on, and runs as plain Python: *fell_back*, whatever else is true of it.
2. A retrace in the arguments, at a place of more than a handful of states, that keeps coming as the calls go on:
   *retracing*. It keeps coming where the second half of the calls still has it in one call of five, or has a third of
   at least five retraces. Where calls are not counted, five retraces will do that were no part of a trace of another
   function: that one is to be looked at. Where only the first calls of each trace are counted, a function that has paid
   off is none: that says nothing of how often its traces come. A new object that closes over arrays of sizes that none
   before it had is a retrace in the arguments here: data that grows would be one, had it been passed.
3. The same graph traced again under a new function, at least twice, that has not levelled off and has not paid off:
   *retracing*. Many small models, one after the other, are no alarm; nor is a handful of objects, each traced once. The
   function of a dataset, whose calls nobody counts: twenty times.
4. At least eight retraces as in 2 in a function that has not paid off: *retracing*, even where they have levelled off.
5. At least three compilations without a trace, in one call of twenty or more often: *recompiling*. Where they are for
   sizes, and only the first calls of each trace are counted, at least eight: a few buckets of sizes are meant.
6. A trace that raised: *failed*. A value served that the trace was not made for: *stale* or *confused*.

No alarm:

7. No retrace and no compilation without a trace: *ok*. What was part of a trace of another function came with that one,
   and is none of the accidents that follow.
8. A retrace at a line that had a trace before, for another type: a dtype, a weak type, a tensor where a Python value
   was, a list where a tuple was; or for other keys: *avoidable*, whether it has paid off or not. None in the place of
   something is a state by design, another type at another line is another use, and a key that something kept outside
   of the arguments was given is a cache that was filled.
9. At least four retraces that are all for places of a handful of states (a bool, None or something), at two such places
   or more: *avoidable* until it has paid off. Flags multiply: two make four graphs, three eight.
10. At least three retraces for sizes and numbers that came in the first half of the calls, and there in more than every
    second call up to the last of them: *avoidable* until it has paid off. Each was new when it came first; no more came
    only because the same data was read again.
11. Retraces that are all resized: *bounded*, however often they come. A search over models is no alarm; what it costs
    is for `costs` to name.
12. What is left is *bounded*: traced more than once, early, seldom, or at one place of a handful of states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traceonce.causes import CATALOGUE
from traceonce.facts import Cause, CauseCode, Growth, Reason, Verdict

PAID_OFF = 10  # calls to a trace from which on another function object is no waste
ENOUGH = 5  # retraces that are an alarm where calls are not counted
MANY = 8  # retraces that are an alarm where they have not paid off
DATASETS = 20  # times that the function of a dataset is traced again before it is an alarm
MULTIPLIED = 4  # retraces that two flags, or two modes, cannot make alone
SIZES = 3  # sizes beside the first that are more than a warm-up, where they have not paid off
_NEW_OBJECT = {code for code, each in CATALOGUE.items() if each.anew == "function"}
_SILENTLY_WRONG = [(code, wrong) for code, each in CATALOGUE.items() if (wrong := each.wrong_value) is not None]


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

    `parent` is the trace of another function of the report that it was part of. `same_line`: the line that called had a
    trace before. `new_sizes`: what it closes over has a size that it had in no trace before. `resized`: another object
    had the same graph over arrays of other sizes.
    """

    call: int | None
    causes: tuple[Cause, ...]
    repeated: bool = False
    parent: int | None = None
    same_line: bool = True
    new_sizes: bool = False
    resized: bool = False

    @property
    def in_arguments(self) -> bool:
        return not (self.repeated or self.resized) and any(cause.code not in _NEW_OBJECT for cause in self.causes)

    @property
    def new_object(self) -> bool:
        return not (self.repeated or self.resized or self.in_arguments)

    @property
    def grows(self) -> bool:
        return self.new_sizes and not self.resized

    @property
    def unbounded(self) -> bool:
        return self.in_arguments and not self.finite

    @property
    def finite(self) -> bool:
        return all(cause.finite for cause in self.causes)

    @property
    def of_sizes(self) -> bool:
        return self.in_arguments and all(map(_is_size, self.causes))


def judge(
    *,
    retraces: Sequence[Retrace],
    calls: int | None,
    traces: int,
    failed: int,
    recompiles: int,
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
    varying = [retrace.call for retrace in retraces if retrace.unbounded or retrace.grows]
    if judge_growth(varying, calls) == "growing" and not (at_least and paid_off):
        return Verdict.RETRACING, "growing", Reason.KEEPS_COMING
    alone = [retrace for retrace in retraces if retrace.unbounded and retrace.parent is None]
    if calls is None and len(alone) >= ENOUGH:
        return Verdict.RETRACING, growth, Reason.KEEPS_COMING_UNCOUNTED
    keeps_coming = calls is not None and judge_growth(new_objects, calls) != "levelled"
    if len(new_objects) >= 2 and keeps_coming and not paid_off:
        return Verdict.RETRACING, growth, Reason.NEW_OBJECTS
    if of_dataset and len(new_objects) >= DATASETS:
        return Verdict.RETRACING, growth, Reason.NEW_DATASETS
    numbered = not at_least or None not in unbounded
    if len(unbounded) >= MANY and calls is not None and numbered and not paid_off:
        return Verdict.RETRACING, growth, Reason.MANY_CALLS
    enough = MANY if at_least and not resharded else 3
    if recompiles >= enough and (calls is None or recompiles >= calls / 20):
        if resharded:
            return Verdict.RECOMPILING, growth, Reason.COMPILED_FOR_DEVICES
        return Verdict.RECOMPILING, growth, Reason.COMPILED_FOR_SHAPES
    if failed:
        return Verdict.FAILED, growth, Reason.RAISED
    for code, wrong in _SILENTLY_WRONG:
        if code in silent:
            return wrong.verdict, growth, wrong.reason
    if not retraces and not recompiles:
        return Verdict.OK, growth, Reason.TRACED_ONCE if traces <= 1 else Reason.EACH_GRAPH_ONCE
    own = [retrace for retrace in retraces if retrace.parent is None]
    accident = _find_accident(own, calls, paid_off)
    if accident is not None:
        return Verdict.AVOIDABLE, growth, accident
    if not retraces:
        return Verdict.BOUNDED, growth, Reason.COMPILED_FOR_DEVICES if resharded else Reason.COMPILED_FOR_SHAPES
    return Verdict.BOUNDED, growth, _why_bounded(growth, retraces, paid_off)


def _find_accident(retraces: Sequence[Retrace], calls: int | None, paid_off: bool) -> Reason | None:
    changed = [cause for retrace in retraces if retrace.in_arguments and retrace.same_line for cause in retrace.causes]
    if any(map(_is_type, changed)):
        return Reason.TYPE_CHANGES
    if any(cause.code is CauseCode.STRUCTURE and not (_is_size(cause) or cause.finite) for cause in changed):
        return Reason.KEYS_CHANGE
    if paid_off:
        return None
    flags = [retrace for retrace in retraces if retrace.in_arguments and retrace.finite]
    if len(flags) >= MULTIPLIED and len({cause.path for retrace in flags for cause in retrace.causes}) >= 2:
        return Reason.FLAGS_MULTIPLY
    sizes = [retrace.call for retrace in retraces if retrace.of_sizes]
    known = [call for call in sizes if call is not None]
    if len(known) >= SIZES and judge_growth(sizes, calls) == "levelled" and 2 * (len(known) + 1) > max(known):
        return Reason.READ_TWICE
    return None


def _is_type(cause: Cause) -> bool:
    """Is it the type that differs, of something that is there both times?"""
    if cause.code is CauseCode.STRUCTURE:
        return not cause.path.startswith("len(") and not cause.was.startswith(("keys ", "key ", "no key "))
    return cause.code in (CauseCode.DTYPE, CauseCode.WEAK_TYPE) or (cause.code is CauseCode.KIND and not cause.finite)


def _is_size(cause: Cause) -> bool:
    if cause.code is CauseCode.STRUCTURE:
        return cause.path.startswith("len(") and cause.type_name != "dict"  # whose length is that of its keys
    if cause.code in (CauseCode.VALUE, CauseCode.STATIC_ARGUMENT):
        return cause.type_name in ("int", "float")
    return cause.code in (CauseCode.SHAPE, CauseCode.RANK)


def _why_bounded(growth: Growth, retraces: Sequence[Retrace], paid_off: bool) -> Reason:
    if all(retrace.resized for retrace in retraces):
        return Reason.OTHER_SIZES
    in_arguments = [retrace for retrace in retraces if retrace.in_arguments]
    if in_arguments and all(retrace.finite for retrace in in_arguments):
        return Reason.LEFT_OPEN if any(retrace.of_sizes for retrace in in_arguments) else Reason.FEW_STATES
    if growth == "levelled":
        return Reason.CAME_EARLY
    if paid_off:
        return Reason.PAID_OFF
    if all(retrace.parent is not None for retrace in retraces):
        return Reason.PART_OF_ANOTHER
    return Reason.FEW_SO_FAR
