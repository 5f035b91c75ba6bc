"""Did a trial bear its claim out?

1.  A trial that hung, crashed, could not be loaded, or is no program at all (a name that is not defined, an import that
    fails) bears nothing out.
2.  The failure holds if it has the symptom.
3.  A workaround holds if it *cures*: the symptom is gone, nothing was raised, the outputs are right, and something was
    traced (code that left the graph is no cure, unless the trial says that it means to).
4.  A dead end holds if it does not cure.
5.  The right outputs are those of `right`; where there is none, those of the failure, which is then slow, not wrong.
"""

from __future__ import annotations

from typing import NamedTuple

from traceonce.facts.error_text import main_line
from traceonce.facts.note import Note
from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.symptom import Said, Symptom
from traceonce.words.notes import in_english
from traceonce.words.notes.trials import (
    COMPILED,
    DOES_NOT_SHOW,
    IT_HELPS,
    NO_OUTPUTS,
    NOTHING_COMPILED,
    NOTHING_TRACED,
    OTHER_OUTPUTS,
    RAISED,
    RIGHT_OUTPUTS,
    TRACES,
)

BROKEN = {"NameError", "ImportError", "SyntaxError"}


class Judgement(NamedTuple):
    """Whether the claim held, and what was seen; where that is an error, or how it ended, in its own words."""

    held: bool
    seen: tuple[Note, ...] = ()
    text: str = ""

    @property
    def outcome(self) -> str:
        """What was seen, in English."""
        return self.text or ", ".join(in_english(self.seen))


def judge(trial: Trial, symptom: Symptom, seen: TrialMeasurement) -> Judgement:
    """Judge a trial from its measurement (whose outputs were compared with the right ones)."""
    if seen.broken:
        return Judgement(False, text=seen.broken)
    if seen.error is not None and not BROKEN.isdisjoint(seen.error.types):
        return Judgement(False, text=f"the trial itself is broken: {main_line(seen.error.line)}")
    if trial.role == "failure":
        shown = symptom.shown(seen)
        return Judgement(bool(shown), shown or (DOES_NOT_SHOW(), *describe(seen)))
    raised = main_line(seen.error.line)[:200] if seen.error is not None else ""
    problem = not_cured(trial, symptom, seen) if not raised else ()
    cured = not (raised or problem)
    if trial.role == "dead_end":
        return Judgement(not cured, (IT_HELPS(), *describe(seen)) if cured else problem, raised)
    return Judgement(cured, describe(seen) if cured else problem, raised)


def not_cured(trial: Trial, symptom: Symptom, seen: TrialMeasurement) -> Said:
    """What is still wrong where nothing was raised; nothing, where the failure is cured."""
    left = symptom.left(seen)
    if left:
        return left
    if seen.outputs_are == "different":
        return (OTHER_OUTPUTS(),)
    if seen.outputs_are == "none":
        return (NO_OUTPUTS(),)
    return () if trial.eager or seen.traces() else (NOTHING_COMPILED(),)


def describe(seen: TrialMeasurement) -> Said:
    """What happened, where nothing is wrong with it."""
    if seen.error is not None:
        return (RAISED(error=seen.error.types[0]),)
    traces = seen.traces()
    parts = [TRACES(count=traces) if traces else NOTHING_TRACED()]
    if seen.compilations:
        parts.append(COMPILED(count=seen.compilations))
    if seen.outputs_are == "equal":
        parts.append(RIGHT_OUTPUTS())
    return tuple(parts)
