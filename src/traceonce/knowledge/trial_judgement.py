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
from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.measurement import Measurement
from traceonce.knowledge.symptom import Symptom

BROKEN = {"NameError", "ImportError", "SyntaxError"}


class Judgement(NamedTuple):
    """Whether the claim held, and what was seen, in words."""

    held: bool
    outcome: str


def judge(trial: Trial, symptom: Symptom, seen: Measurement) -> Judgement:
    """Judge a trial from its measurement (whose outputs were compared with the right ones)."""
    if seen.broken:
        return Judgement(False, seen.broken)
    if seen.error is not None and not BROKEN.isdisjoint(seen.error.types):
        return Judgement(False, f"the trial itself is broken: {main_line(seen.error.line)}")
    if trial.role == "failure":
        shown = symptom.shown(seen)
        return Judgement(shown is not None, shown or f"does not show: {describe(seen)}")
    problem = not_cured(trial, symptom, seen)
    if trial.role == "dead_end":
        return Judgement(problem is not None, problem or f"it helps: {describe(seen)}")
    return Judgement(problem is None, problem or describe(seen))


def not_cured(trial: Trial, symptom: Symptom, seen: Measurement) -> str | None:
    """What is still wrong, or None where the failure is cured."""
    if seen.error is not None:
        return main_line(seen.error.line)[:200]
    left = symptom.left(seen)
    if left is not None:
        return left
    if seen.outputs_are == "different":
        return "other outputs"
    if seen.outputs_are == "none":
        return "no outputs to compare"
    if not trial.eager and not seen.traces():
        return "nothing is compiled: no trace is left"
    return None


def describe(seen: Measurement) -> str:
    """What happened, where nothing is wrong with it."""
    if seen.error is not None:
        return f"{seen.error.types[0]} raised"
    traces = seen.traces()
    parts = [f"{traces} {'trace' if traces == 1 else 'traces'}" if traces else "nothing traced"]
    if seen.compilations:
        parts.append(f"{seen.compilations} compiled")
    if seen.outputs_are == "equal":
        parts.append("right outputs")
    return ", ".join(parts)
