"""Is the fix proved? The numbered rules that decide.

1. The program exits differently, returns or prints something else, or leaves other variables than before: *refuted*,
   with the first difference. If a value was stale or confused, or a trace failed, the original is compared as an eager
   run.
2. The function is traced as often as before, or the saved traces happen elsewhere: *not proved*. (A silently wrong
   value, or a failure, is fixed once the results are correct; it need not be traced less often.)
3. Tracing now fails where it did not before, and the framework runs the function as plain Python instead: *not
   proved*. There are fewer traces only because less is compiled.
4. Two runs of the original differ in what the function returns: *not proved*, because its values prove nothing.
5. The program left no results, no call of the function was seen, or there is nothing to compare (all calls happen
   inside a transformation such as a gradient, and nothing is printed): *not proved*. (A function that a fix turns into
   part of another graph, or into plain Python, need not be seen.)
6. Its calls take clearly longer than before (by half, and at least 0.2 s), also when both are run once more, or the
   program takes more than three times as long: *not proved*. Correct results may take longer than wrong ones.
7. Otherwise it is *proved*, for the recorded calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from traceonce.facts import Measurement, Note, Proof, ProofVerdict, TraceEvent
from traceonce.facts.error_text import main_line
from traceonce.facts.fix import Safety
from traceonce.facts.replay import Returned, stable_name
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.prove.run_differences import Beyond, Variation, find_difference, returned_by_function
from traceonce.prove.stage_client import Run
from traceonce.prove.value_differences import tolerance
from traceonce.words.notes import english_reason, join_notes
from traceonce.words.notes.proofs import BEYOND_DIFFERS, BEYOND_NOT_TRIED, BEYOND_RAISES
from traceonce.words.notes.reasons import (
    CALLS_TAKE_LONGER,
    CRASHED_WITHOUT_RESULTS,
    NOT_CALLED,
    NOT_DETERMINISTIC,
    NOT_FEWER_TRACES,
    NOTHING_TO_COMPARE,
    PRINTED_DIFFERS,
    RUN_TAKES_LONGER,
    RUNS_AS_PLAIN_PYTHON,
    TRACED_ELSEWHERE,
)

SLOWER, SLOWER_SECONDS = 1.5, 0.2


class Observed(NamedTuple):
    """A run, and how often each of the user's functions was traced in it."""

    run: Run
    traces: dict[str, int]

    def results_of(self, name: str) -> list[Returned]:
        return returned_by_function(self.run).get(name, [])

    def measure(self, name: str) -> Measurement:
        results = self.results_of(name)
        seconds = sum(returned.seconds for returned in results)
        replay = self.run.replay
        return Measurement(
            traces=self.traces.get(name, 0),
            calls=len(results),
            seconds=round(replay.seconds if replay is not None else self.run.seconds, 4),
            seconds_per_call=round(seconds / len(results), 7) if results else None,
            exit_code=self.run.status,
        )


def judge(
    name: str,
    original: Observed,
    before: Observed,
    after: Observed,
    variation: Variation,
    oracle: Run | None = None,
    *,
    wrong: bool | None = None,
    untraced: bool = False,
    unseen: bool = False,
) -> Proof:
    """The proof of a repair of the function `name`.

    Results are compared with the `original`, or with the `oracle` where the original is wrong; traces with `before`,
    which may have other repairs already. `wrong`: the function itself was wrong until now, and need not be traced less
    often (None: it was where there is an oracle). `untraced`: it need not be traced any more.
    `unseen`: what it returns is not kept, since it is a library's.
    """
    counts = [(count, after.traces.get(other, 0)) for other, count in original.traces.items()]
    counts += [(sum(original.traces.values()), sum(after.traces.values()))]
    if oracle is not None:  # a program that counts its traces counts the calls where it is run eagerly
        called = {other: len(results) for other, results in returned_by_function(oracle).items()}
        counts += [(count, after.traces.get(other, 0)) for other, count in called.items()]
        counts += [(sum(called.values()), sum(after.traces.values()))]
    measure = oracle or original.run
    # What runs as plain Python, or inside another graph, leaves no results of its own: what comes of them counts.
    apart = variation._replace(functions=variation.functions | {name}) if untraced else variation
    difference = find_difference(measure, after.run, apart, counts)
    counting = difference is None and find_difference(measure, after.run, apart) is not None
    results = returned_by_function(measure).get(name, [])
    dtypes = {value.dtype for returned in results for value in returned.values if value.kind == "array"}
    printed = difference is not None and difference.code == PRINTED_DIFFERS.code
    proof = Proof(
        before=before.measure(name),
        after=after.measure(name),
        outputs_equal=None if name in variation.functions else difference is None,
        verdict="proved",
        compared=0 if untraced else len(results),
        tolerance=max(map(tolerance, dtypes), default=0.0),
        first_difference=None if difference is None else english_reason(difference),
        measure="original" if oracle is None else "eager",
        printed_equal=None if variation.printed is None else not printed,
        deterministic=variation.describe() is None,
        prints_counts=counting,
    )
    if ran_out_of_time(after.run) and not ran_out_of_time(measure):  # what came later is missing, not different
        return _with(proof, "not_proved", RUN_TAKES_LONGER(before=measure.seconds, after=after.run.seconds))
    if difference is not None:
        return _with(proof, "refuted", difference)
    silent = (oracle is not None) if wrong is None else wrong
    reason = _why_not(name, proof, before, after, variation, silent=silent, untraced=untraced, unseen=unseen)
    return proof if reason is None else _with(proof, "not_proved", reason)


def _why_not(
    name: str,
    proof: Proof,
    before: Observed,
    after: Observed,
    variation: Variation,
    *,
    silent: bool,
    untraced: bool,
    unseen: bool,
) -> Note | None:
    fewer = proof.after.traces < proof.before.traces
    elsewhere = sum(after.traces.values()) >= sum(before.traces.values())
    if not silent and (not fewer or elsewhere):
        if fewer:
            return TRACED_ELSEWHERE(before=proof.before.traces, after=proof.after.traces)
        return NOT_FEWER_TRACES(before=proof.before.traces, after=proof.after.traces)
    failing = failures_of(name, after.run)
    if not silent and len(failing) > len(failures_of(name, before.run)):
        return RUNS_AS_PLAIN_PYTHON(error=main_line(failing[-1].error or ""))
    if name in variation.functions:
        return NOT_DETERMINISTIC(functions=sorted(each.rpartition(":")[2] for each in variation.functions))
    if before.run.replay is None or after.run.replay is None:
        return CRASHED_WITHOUT_RESULTS()
    seen = before.run.replay
    if not seen.returned and not seen.variables and not before.run.printed.strip():
        return NOTHING_TO_COMPARE()
    others = any(stable_name(returned.function) != name for returned in seen.returned)
    if (untraced or unseen) and not others and not (after.run.printed.strip() and variation.printed is not None):
        return NOTHING_TO_COMPARE()
    if not untraced and (not proof.after.traces or not (proof.compared or before.traces.get(name))):
        return NOT_CALLED()
    return None


def failures_of(name: str, run: Run) -> list[TraceEvent]:
    """The traces of a function that failed."""
    return [event for event in run.recording.events if event.phase == "failed" and stable_name(event.function) == name]


def new_breaks(name: str, before: Run, after: Run) -> list[str]:
    """The places at which the function is cut into several graphs, beyond those at which it was cut before."""
    was, now = (
        list(
            dict.fromkeys(
                each
                for event in run.recording.events
                if stable_name(event.function) == name
                for each in event.graph_breaks
            )
        )
        for run in (before, after)
    )
    known = Counter(_without_place(each) for each in was)
    found = []
    for each in now:
        what = _without_place(each)
        known[what] -= 1
        if known[what] < 0:
            found.append(each)
    return found


def _without_place(text: str) -> str:
    """Lines move with every edit."""
    return text.partition(" (")[0]


def ran_out_of_time(run: Run) -> bool:
    return run.status is None or (run.replay is not None and run.replay.cut == "timeout")


def clearly_slower(name: str, before: Sequence[Observed], after: Sequence[Observed]) -> Note | None:
    """Do the calls of a function take longer, by the best of these runs? Then by how much."""
    one, other = (min(_total(observed, name) for observed in runs) for runs in (before, after))
    if other > SLOWER * one and other - one > SLOWER_SECONDS:
        return CALLS_TAKE_LONGER(before=one, after=other)
    return None


def _total(observed: Observed, name: str) -> float:
    return sum(returned.seconds for returned in observed.results_of(name))


def doubt(proof: Proof, reason: Note) -> Proof:
    """The same, not proved after all."""
    return _with(proof, "not_proved", reason)


def _with(proof: Proof, verdict: ProofVerdict, reason: Note) -> Proof:
    return msgspec.structs.replace(proof, verdict=verdict, reason=english_reason(reason), coded_reason=reason)


class Label(NamedTuple):
    """How far a proved repair can be trusted beyond the calls that were seen, and what to know."""

    safety: Safety
    notes: tuple[Note, ...]


def label(candidate: Candidate, recipes: Sequence[Recipe], beyond: Beyond | None, doubts: Sequence[Note] = ()) -> Label:
    """*Safe* where calls beyond the run show nothing; *narrow* where one now raises; else *review*.

    `recipes` are those of the candidate. `doubts` are reasons to have a look that no call shows.
    """
    if doubts:
        return Label("review", join_notes(candidate.notes, doubts))
    if (beyond is None or not beyond.tried) and not all(recipe.only_moves for recipe in recipes):
        return Label("review", join_notes(candidate.notes, [BEYOND_NOT_TRIED()]))
    if beyond is None:
        return Label(candidate.safety, candidate.notes)
    if beyond.differing:
        return Label("review", join_notes(candidate.notes, [BEYOND_DIFFERS(differences=beyond.differing)]))
    if beyond.raising:
        return Label("narrow", join_notes([BEYOND_RAISES(errors=beyond.raising)], candidate.notes))
    shown = all(recipe.shown_by_probes for recipe in recipes)
    return Label("safe" if shown else candidate.safety, candidate.notes)
