"""`traceonce.function` and `tf.function` do the same with the same generated programs and calls.

Where the two differ by design, `differing` says so. More than 1,000 programs, whose numbers hypothesis
draws, the same ones each time.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import traceonce
from tests.tensorflow.dropin.differing import Program, agree
from tests.tensorflow.dropin.generated_programs import FAMILIES, LIFTED_ULPS, programs

EXAMPLES = {
    "numbers": 190, "ranges": 60, "tensors": 175, "together": 130, "nests": 80, "variables": 85, "taped": 45,
    "signatures": 90, "errors": 80, "temporaries": 35, "created": 30, "declared": 30,
}  # fmt: skip


FLOATS, INTS = "filled('float32', [2])", "filled('int32', [2])"
# Bodies of f(x, k), and calls: programs that once differed, each for a reason of its own.
ONCE_DIFFERED = {
    "a lifted number meets a tensor of another type": ("x * k", (FLOATS, "2"), (FLOATS, "3"), (INTS, "3")),
    "a lifted number meets tensors of more digits": (
        "x * k", (FLOATS, "0.1"), (FLOATS, "0.2"), ("filled('float64', [2])", "0.1"),
    ),
    "a lifted number is compared at another rank": (
        "x * k if x.shape.rank == 1 else x * (1 if k == 3 else 7)",
        (FLOATS, "2"), (FLOATS, "3"), ("filled('float32', [2, 2])", "3"),
    ),
    "a number is used at another rank alone": (
        "x + k if x.shape.rank == 1 else x",
        ("filled('float32', [3, 3])", "1"), ("filled('float32', [3, 3])", "7"), ("filled('float32', [3])", "1"),
    ),
    "what is computed is not used": ("[10 // k, x][1]", (FLOATS, "2"), (FLOATS, "1"), (FLOATS, "0")),
    "what is computed is not used, of floats": ("[1.0 % k, x][1]", (FLOATS, "2.0"), (FLOATS, "1.0"), (FLOATS, "0.0")),
    "a power is not used": ("[k ** 400, x][1]", (FLOATS, "2.0"), (FLOATS, "1.0"), (FLOATS, "1e6")),
    "a power that overflows at the end of its range": (
        "x * (k ** 3 * 1e-20)", ("filled('float64', [2])", "1e14"), ("filled('float64', [2])", "0.5"),
    ),
    "a number that no tensor of its type can hold": ("x * (1 / k)", (FLOATS, "1.0"), (FLOATS, "1e300")),
    "another constant, for data that is rare": (
        "tf.where(x > 100, x * (2 if isinstance(k, int) else 3), x)",
        (FLOATS, "2"), (FLOATS, "3"), ("filled('float32', [2], 500)", "4"),
    ),
    "another operation, for data that is rare": (
        "tf.minimum(x, 99.0) * k if isinstance(k, float) else x * k",
        (FLOATS, "2.0"), (FLOATS, "3.0"), ("filled('float32', [2], 500)", "3.0"),
    ),
    "a shape that may be": (
        "x * (2.0 if x.shape.is_compatible_with([2]) else 3.0)", (FLOATS, "1"), ("filled('float32', [3])", "1"),
    ),
    "a type that may be": (
        "x * (2.0 if tf.type_spec_from_value(x).is_compatible_with(tf.TensorSpec([2])) else 3.0)",
        (FLOATS, "1"), ("filled('float32', [3])", "1"),
    ),
    "a size as a static value": (
        "x * (2.0 if tf.get_static_value(tf.size(x)) == 3 else 3.0)", (FLOATS, "1"), ("filled('float32', [3])", "1"),
    ),
    "the truth of a shape": (
        "x * (2.0 if x.shape else 5.0)",
        (FLOATS, "1"), ("filled('float32', [2, 2])", "1"), ("filled('float32', [])", "1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("reason", ONCE_DIFFERED)
def test_what_once_differed_does_not_any_more(tf: Any, reason: str) -> None:
    """Found by generated programs, or on the way to them; here they do not depend on what is drawn."""
    body, *cases = ONCE_DIFFERED[reason]
    calls = tuple(f"f({x}, {k})" for x, k in cases)
    definition = f"@function\ndef f(x, k):\n    return {body}"
    agree(tf, Program((), definition, calls * 3, ulps=LIFTED_ULPS), traceonce.function)


def test_every_family_is_tried_with_enough_programs() -> None:
    """At least 1,000 in all, and no family is left out."""
    assert EXAMPLES.keys() == FAMILIES.keys()
    assert sum(EXAMPLES.values()) >= 1000


@pytest.mark.parametrize("family", EXAMPLES)
def test_both_do_the_same(tf: Any, family: str) -> None:
    """Equal structures, types, values, gradients, variables and errors, call by call."""
    met: list[Program] = []

    @settings(
        max_examples=EXAMPLES[family],
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # `agree` makes a failing program smaller itself
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    )
    @given(programs(family))
    def compare(program: Program) -> None:
        met.append(program)
        assert all(program.calls.count(call) >= 3 for call in program.calls), "no hit is tested"
        agree(tf, program, traceonce.function)

    compare()
    assert len(met) == EXAMPLES[family], "hypothesis gave up early"
