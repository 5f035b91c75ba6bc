"""What two runs printed, compared."""

from __future__ import annotations

import pytest

from traceonce.prove.printed_output import Printed, printed_difference, varying_texts


def difference(
    was: str, now: str, *, again: str | None = None, counts: list[tuple[int, int]] | None = None
) -> str | None:
    """Compare `was` with `now`; `again` is what a second unmodified run printed."""
    varying = varying_texts(Printed(was), Printed(was if again is None else again))
    assert varying is not None
    return printed_difference(Printed(was), Printed(now), varying, counts or ())


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("loss 0.1234", "loss 0.1235"),  # rounded the other way
        ("loss 1.234567e-03", "loss 1.234568e-03"),
        ("[0.5 0.25]", "[ 0.5   0.25 ]"),  # NumPy pads its columns by the longest number
        ("epoch 1 (3.3 s)", "epoch 1 (0.4 s)"),
        ("1/10 [===] 12ms/step", "1/10 [===] 3ms/step"),
        ("120.5 it/s", "340 it/s"),
        ("<object at 0x7f00aa>", "<object at 0x55ddee>"),
        ("started 2026-01-02 03:04:05", "started 2026-01-02 03:04:09"),
        ("a\n\nb", "a\nb"),
    ],
)
def test_what_is_the_same(was: str, now: str) -> None:
    assert difference(was, now) is None


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("loss 0.1234", "loss 0.1299", "line 1: 'loss 0.1234' → 'loss 0.1299'"),
        ("step 3", "step 4", "line 1: 'step 3' → 'step 4'"),  # whole numbers are exact
        ("a\nb", "a\nc", "line 2: 'b' → 'c'"),
        ("a\nb", "a", "2 lines → 1 lines (first missing line: 'b')"),
        ("-0.5", "0.5", "line 1: '-0.5' → '0.5'"),
        ("nan", "1.0", "line 1: 'nan' → '1.0'"),
    ],
)
def test_what_is_not(was: str, now: str, said: str) -> None:
    assert difference(was, now) == said


def test_what_varies_by_itself_proves_nothing_and_the_rest_of_the_line_does() -> None:
    assert difference("took 0.3, loss 2.5", "took 0.9, loss 2.5", again="took 0.7, loss 2.5") is None
    assert difference("took 0.3, loss 2.5", "took 0.9, loss 7.5", again="took 0.7, loss 2.5") is not None


def test_runs_that_print_another_number_of_lines_cannot_be_compared() -> None:
    assert varying_texts(Printed("a\nb"), Printed("a")) is None


def test_a_program_may_print_how_often_it_was_traced() -> None:
    assert difference("traced 8 times", "traced 1 times", counts=[(8, 1)]) is None
    assert difference("traced 8 times", "traced 2 times", counts=[(8, 1)]) is not None


@pytest.mark.parametrize(
    "said",
    [
        "WARNING:tensorflow:5 out of the last 5 calls to <function step at 0x7f2c> triggered tf.function retracing. "
        "Tracing is expensive and the excessive number of tracings could be due to (1) creating @tf.function",
        "2026-01-02 03:04:05 [W] 6 out of the last 9 calls to <function step at 0x7f> triggered tf.function retracing.",
        "WARNING:jax._src.interpreters.pxla:Compiling jit(step) with global shapes and types (ShapedArray(),).",
        "Finished tracing step for jit in 0.002439976 sec",
        "W1119 14:46:01 28 torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)",
        "W1119 14:46:01 28 torch/_dynamo/convert_frame.py:1994] [0/8]    last reason: 0/7: size mismatch",
    ],
)
def test_what_a_framework_says_of_its_traces_refutes_nothing(said: str) -> None:
    assert difference(f"loss 1.5\n{said}\n{said}\nloss 1.25", f"loss 1.5\n{said}\nloss 1.25") is None
    assert difference(f"loss 1.5\n{said}\nloss 1.25", "loss 1.5\nloss 1.25") is None
    assert difference(f"loss 1.5\n{said}\nloss 1.25", "loss 1.5\nloss 9.25") is not None
