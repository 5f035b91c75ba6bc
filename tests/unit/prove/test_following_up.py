"""What comes after a repair under which a trace has failed, from what the failing run has left."""

from __future__ import annotations

import itertools

import pytest

from traceonce.diagnosis.diagnose import diagnose
from traceonce.facts import CauseCode, FunctionId, Leaf, Recording, Signature, TraceEvent
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.follow_up import FailedRun, failures
from traceonce.frameworks.tensorflow.dynamic_shapes.follow_up import SizeFollowUps
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import Reach
from traceonce.prove.run_differences import Variation, find_difference
from traceonce.prove.stage_client import Run
from traceonce.words.notes import english_note, english_reason

SOURCE = b"""\
import tensorflow as tf


def steps(x):
    return tf.range(x.shape[0])


def passes_on(x):
    return steps(x)


@tf.function
def f(x):
    return passes_on(x)


def main(x):
    return f(x).shape[0]


main(tf.ones([3]))
"""
FILES = {"program.py": SOURCE}
FUNCTION = FunctionId("f", "program.py", 12)
AUTOGRAPH = """\
ValueError: in user code:

    File "/home/program.py", line 14, in f  *
        return passes_on(x)
    File "/home/program.py", line 9, in passes_on  *
        return steps(x)
    File "/home/program.py", line 5, in steps  *
        return tf.range(x.shape[0])

    ValueError: {}
"""
PLAIN = """\
Traceback (most recent call last):
  File "/home/program.py", line 21, in <module>
    main(tf.ones([3]))
  File "/home/program.py", line 18, in main
    return f(x).shape[0]
  File "/home/program.py", line 14, in f
    return passes_on(x)
  File "/home/program.py", line 5, in steps
    return tf.range(x.shape[0])
  File "/usr/lib/python3/site-packages/tensorflow/ops.py", line 5, in steps
ValueError: None values not supported.
"""


def event(size: int, **fields: object) -> TraceEvent:
    leaf = Leaf("x", "tensor", dtype="float32", shape=(size,))
    return TraceEvent(size, "tensorflow", FUNCTION, Signature((leaf,)), 1.0, **fields)  # type: ignore[arg-type]


def failed(status: int, errors: str, recorded: str) -> FailedRun:
    events = (event(3, phase="failed", error=recorded),)
    return FailedRun(events, status, errors, "/home", FILES)


def case() -> Case:
    events = (event(3), event(4))
    return Case(diagnose(Recording(events=events, seconds=9.0, runs=("run",), processes=1))[0], events)


RELAXING = Candidate("reduce_retracing", "safe", (CauseCode.SHAPE,), change=lambda edits: None)


@pytest.mark.parametrize(
    "failure",
    [
        failed(1, PLAIN, "ValueError: None values not supported."),
        failed(1, f"Traceback (most recent call last):\n{AUTOGRAPH}", AUTOGRAPH),
        failed(0, "", AUTOGRAPH),  # it caught the error
    ],
    ids=["without AutoGraph", "with AutoGraph", "caught"],
)
def test_functions_between_the_traced_one_and_the_failing_line_are_changed(failure: FailedRun) -> None:
    """Not what only passes a tensor on, and not what calls the traced function."""
    following = SizeFollowUps(case(), lambda _: True).after(RELAXING, failure)
    assert following is not None
    assert (english_note(following.candidate.notes) or "").endswith("in steps too.")


def test_without_functions_there_is_nothing_to_follow() -> None:
    nowhere = failed(0, "", "ValueError: None values not supported.")
    assert SizeFollowUps(case(), lambda _: True).after(RELAXING, nowhere) is None


def test_functions_stay_known_for_the_next_candidate() -> None:
    follow_ups = SizeFollowUps(case(), lambda _: True)
    assert follow_ups.after(RELAXING, failed(1, PLAIN, "")) is not None
    assert follow_ups.after(RELAXING, failed(0, "", "ValueError: …")) is not None


@pytest.mark.parametrize(
    ("message", "reaches"),
    [
        (
            "None values not supported.",
            [
                Reach(),
                Reach(last=True),
                Reach(last=True, everywhere=True),
                Reach(last=True, everywhere=True, cast_everywhere=True),
            ],
        ),
        (
            "Input 'y' of 'Mul' Op has type int32 that does not match type float32",
            [
                Reach(),
                Reach(cast_everywhere=True),
                Reach(cast_everywhere=True, last=True),
                Reach(cast_everywhere=True, last=True, everywhere=True),
            ],
        ),
    ],
)
def test_the_change_goes_further_until_it_differs_from_all_that_was_tried(message: str, reaches: list[Reach]) -> None:
    failure = failed(0, "", AUTOGRAPH.format(message))
    assert SizeFollowUps(case(), lambda _: False).after(RELAXING, failure) is None
    for before, after in itertools.pairwise(reaches):
        answers = iter([False, True])
        following = SizeFollowUps(case(), lambda _, answers=answers: next(answers)).after(RELAXING, failure, before)  # type: ignore[misc]
        assert following is not None
        assert following.reach == after
    assert SizeFollowUps(case(), lambda _: False).after(RELAXING, failure, reaches[-1]) is None


def test_a_run_that_failed_elsewhere_is_no_failed_trace() -> None:
    assert failures((event(3), event(4, phase="failed"))) == [event(4, phase="failed")]
    assert not failures((event(3),))


@pytest.mark.parametrize(
    ("recorded", "errors", "expected"),
    [
        (AUTOGRAPH.format("None values not supported."), "", "ValueError: None values not supported."),
        (None, "KeyError: 'x'\n\nArguments received:\n  • x=tf.Tensor(shape=(2,))\n", "KeyError: 'x'"),
        (None, "Traceback\nkeras.errors.ShapeError\nbye\n", "keras.errors.ShapeError"),
        (None, "Segmentation fault\n", "Segmentation fault"),
        (None, "", "no message"),
    ],
)
def test_what_ended_a_program_is_said_in_one_line(recorded: str | None, errors: str, expected: str) -> None:
    before = Run(0, Recording(), None, "", "", 1.0)
    after = Run(1, Recording(error=recorded), None, "", errors, 1.0)
    difference = find_difference(before, after, Variation())
    assert difference is not None
    assert english_reason(difference) == f"exit status 0 → 1 ({expected})"
