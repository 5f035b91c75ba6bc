"""A name that moves along: is it taken at the new place?"""

from __future__ import annotations

import pytest

from tests.unit.fix.hoisted import hoisted
from tests.unit.fix.written_case import text


def test_a_name_that_is_taken_at_the_new_place() -> None:
    """What was recorded of it is found again by its name: that stays."""
    assert hoisted(
        """
        import tensorflow as tf


        def train(data):
            @tf.function
            def step(x):
                return step.scale * x

            def again(x):
                return step(x)

            return step(data) + again(data)


        def other(step):
            return step


        step = 3
        """
    ) == text(
        """
        import tensorflow as tf


        def make_step():
            @tf.function
            def step(x):
                return step.scale * x

            return step


        traced_step = make_step()


        def train(data):
            def again(x):
                return traced_step(x)

            return traced_step(data) + again(data)


        def other(step):
            return step


        step = 3
        """
    )


@pytest.mark.parametrize(
    "elsewhere",
    [
        "class Trainer:\n    def step(self, step):\n        return step",
        "def other(step):\n    return step",
        "def other():\n    step = 1\n    return [step for step in (1, 2)]",
        "optimizer.step(step=1)",
    ],
)
def test_the_same_name_elsewhere_is_in_nobodys_way(elsewhere: str) -> None:
    after = hoisted(f"import tensorflow as tf\n\n\n{IN_A_FUNCTION}\n\n{elsewhere}\n")
    assert "\n\n\n@tf.function\ndef step(x):\n" in after
    assert "make_step" not in after


@pytest.mark.parametrize(
    "elsewhere",
    [
        "step = 1",
        "from steps import step",
        "print(step)",
        "def other():\n    return step",
        "def other():\n    global step\n    step = 2",
    ],
)
def test_the_same_name_at_the_new_place_is(elsewhere: str) -> None:
    after = hoisted(f"import tensorflow as tf\n\n\n{IN_A_FUNCTION}\n\n{elsewhere}\n")
    assert "traced_step = make_step()" in after
    assert after.endswith(f"{elsewhere}\n")


IN_A_FUNCTION = """\
def train(x):
    @tf.function
    def step(x):
        return x

    return step(x)
"""


def test_a_lambda_is_renamed_where_its_name_is_taken() -> None:
    after = hoisted(
        """
        import tensorflow as tf

        step = 3


        def train(data):
            step = tf.function(lambda v: v + 1)
            return step(data)
        """,
        "<lambda>",
    )
    assert "\ntraced_step = tf.function(lambda v: v + 1)\n" in after
    assert "    return traced_step(data)\n" in after
