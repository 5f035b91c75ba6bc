"""A short run of the fuzzer; `python bench/bounded_fuzz.py` makes a long one.

Hypothesis draws every choice, so that what it finds it makes small.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import traceonce
from tests.tensorflow.dropin.fuzzed_programs import compare, draw

MODES = {"default": {}, "taped": {"taped": True}, "strict": {"strict": True}}


@pytest.mark.parametrize("mode", MODES)
def test_random_programs_do_what_a_new_function_does(tf: Any, mode: str) -> None:
    calls = 0

    @settings(
        max_examples=25,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
    )
    @given(st.randoms(use_true_random=False))
    def differ(choose: Random) -> None:
        nonlocal calls
        program = draw(choose, **MODES[mode])
        calls += len(program.calls)
        found = compare(tf, program, traceonce.function)
        assert not found, "\n".join([str(program), *(f"{call}:\n  {one}\n  {two}" for call, one, two in found)])

    differ()
    assert calls > 100


def test_the_fuzzer_finds_what_reduce_retracing_gets_wrong(tf: Any) -> None:
    """It can fail: of 60 programs, TensorFlow's own way to trace less often gives other results in some."""

    def relaxed(body: Any, **options: Any) -> Any:
        return tf.function(body, reduce_retracing=True, **options)

    assert any(compare(tf, draw(Random(number)), relaxed) for number in range(60))
