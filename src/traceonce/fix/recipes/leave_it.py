"""Leave it: a bounded, cheap set of traces needs no change, and is told so."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Diagnosis, Verdict
from traceonce.facts.quantities import count_of, duration
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.verdict in (Verdict.BOUNDED, Verdict.OK):
        codes = tuple(dict.fromkeys(cause.code for cause in diagnosis.causes))
        yield Candidate(
            "leave_it", "advice", codes, None, diagnosis.traces, None, f"you can ignore this: {_why(diagnosis)}"
        )


def _why(diagnosis: Diagnosis) -> str:
    calls = f" in {count_of(diagnosis.calls, 'call')}" if diagnosis.calls else ""
    cost = f", {duration(diagnosis.lost_seconds)} lost" if diagnosis.retraces else ""
    return f"{diagnosis.reason} ({count_of(diagnosis.traces, 'trace')}{calls}{cost})"


RECIPE = Recipe(
    name="leave_it",
    title="Leave it",
    what="Changes nothing, and says why nothing needs to be changed, and what the traces cost.",
    why="A few traces, all early or finite by design, cost less than any change to the program.",
    beware="The verdict is about the run that was seen. Where the calls of another run differ, look again.",
    propose=_propose,
    examples=(
        Example(
            title="A flag has two values, and so two traces",
            function="step",
            traces_before=2,
            traces_after=2,
            program='''\
import tensorflow as tf


@tf.function
def step(x, training):
    return tf.nn.dropout(x, 0.0) if training else x


for number in range(20):
    step(tf.ones([4]), training=number % 5 != 0)
''',
        ),
    ),
)  # fmt: skip
