"""Moving the place at which a function is made: where to, and with what."""

from __future__ import annotations

import contextlib

import pytest

from tests.unit.fix.hoisted import MADE_AGAIN, hoisted
from tests.unit.fix.written_case import case_for, text
from traceonce.fix.candidate import Declined
from traceonce.fix.source.compile_sites import find_creation, set_option
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.recipes.hoist import RECIPE


def test_out_of_a_loop_in_a_function_that_binds_what_it_reads() -> None:
    assert hoisted(
        """
        import tensorflow as tf

        def train(data, rate):
            total = 0.0
            for x in data:
                @tf.function
                def step(x):
                    return x * rate
                total += step(x)
            return total
        """
    ) == text(
        """
        import tensorflow as tf

        def train(data, rate):
            total = 0.0

            @tf.function
            def step(x):
                return x * rate

            for x in data:
                total += step(x)
            return total
        """
    )


def test_out_of_a_loop_and_a_function_to_the_top() -> None:
    assert hoisted(
        """
        import tensorflow as tf


        def train(data):
            for x in data:
                step = tf.function(lambda v: v + 1)
                print(step(x))


        train([1.0])
        """,
        "<lambda>",
    ) == text(
        """
        import tensorflow as tf

        step = tf.function(lambda v: v + 1)


        def train(data):
            for x in data:
                print(step(x))


        train([1.0])
        """
    )


def test_the_order_of_decorators_and_the_comments_stay() -> None:
    assert hoisted(
        """
        import tensorflow as tf

        def train(data):
            # Before.

            # About step.
            @logged  # outer
            @tf.function(jit_compile=True)  # inner
            def step(x):
                # in it
                return x
            # after it
            return step(data)
        """
    ) == text(
        """
        import tensorflow as tf


        # About step.
        @logged  # outer
        @tf.function(jit_compile=True)  # inner
        def step(x):
            # in it
            return x


        def train(data):
            # Before.

            # after it
            return step(data)
        """
    )


def test_helpers_move_along_in_their_order() -> None:
    assert hoisted(
        """
        import tensorflow as tf


        def train(data):
            def scaled(x):
                return 2 * moved(x)

            moved = lambda x: x + 1
            unrelated = 3

            def step(x):
                return scaled(x)

            step_fn = tf.function(step)
            return step_fn(data) + unrelated
        """
    ) == text(
        """
        import tensorflow as tf


        def scaled(x):
            return 2 * moved(x)


        moved = lambda x: x + 1


        def step(x):
            return scaled(x)


        step_fn = tf.function(step)


        def train(data):
            unrelated = 3
            return step_fn(data) + unrelated
        """
    )


def test_a_helper_that_the_loop_leaves_alone_stays() -> None:
    assert hoisted(
        """
        import tensorflow as tf


        def train(data, rate):
            def scaled(x):
                return rate * x

            for x in data:
                @tf.function
                def step(x):
                    return scaled(x)

                print(step(x))
        """
    ) == text(
        """
        import tensorflow as tf


        def train(data, rate):
            def scaled(x):
                return rate * x

            @tf.function
            def step(x):
                return scaled(x)

            for x in data:
                print(step(x))
        """
    )


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("results = [tf.function(step)(x) for x in range(3)]", "results = [traced_step(x) for x in range(3)]"),
        ("apply = lambda x: tf.function(step)(x)", "apply = lambda x: traced_step(x)"),
        ("while tf.function(step)(x): pass", "while traced_step(x): pass"),
    ],
)
def test_out_of_what_is_no_block(was: str, now: str) -> None:
    head = "import tensorflow as tf\n\n\ndef step(x):\n    return x\n\n\nx = 1\n"
    assert hoisted(f"{head}\n{was}\n") == f"{head}\ntraced_step = tf.function(step)\n{now}\n"


def test_out_of_a_method_that_does_not_use_self() -> None:
    assert hoisted(
        """
        import tensorflow as tf


        class Trainer:
            rate = 1

            def fit(self, x):
                @tf.function
                def step(x):
                    return x + 1

                return step(x)
        """
    ) == text(
        """
        import tensorflow as tf


        @tf.function
        def step(x):
            return x + 1


        class Trainer:
            rate = 1

            def fit(self, x):
                return step(x)
        """
    )


def test_behind_what_it_needs_at_once() -> None:
    """`body` must be there when the line is run; calling `main` before would fail."""
    assert hoisted(
        """
        import tensorflow as tf


        def main():
            for x in range(3):
                print(tf.function(body)(x))


        def body(x):
            return x


        main()
        """,
        "body",
    ) == text(
        """
        import tensorflow as tf


        def main():
            for x in range(3):
                print(traced_body(x))


        def body(x):
            return x


        traced_body = tf.function(body)


        main()
        """
    )


def test_not_behind_what_runs_it() -> None:
    """Then it leaves the loop only."""
    assert hoisted(
        """
        import tensorflow as tf


        def main():
            for x in range(3):
                print(tf.function(body)(x))


        def check():
            return main


        checked = check()


        def body(x):
            return x
        """,
        "body",
    ) == text(
        """
        import tensorflow as tf


        def main():
            traced_body = tf.function(body)
            for x in range(3):
                print(traced_body(x))


        def check():
            return main


        checked = check()


        def body(x):
            return x
        """
    )


def test_never_above_the_import_it_uses() -> None:
    assert hoisted(
        """
        def main(data):
            import tensorflow as tf

            for x in data:
                @tf.function
                def step(x):
                    return x

                step(x)
        """
    ) == text(
        """
        def main(data):
            import tensorflow as tf

            @tf.function
            def step(x):
                return x

            for x in data:
                step(x)
        """
    )


@pytest.mark.parametrize(
    ("source", "name", "after"),
    [
        (
            "for x in y:\n    @tf.function\n    def step(x):\n        return x\n    step(x)\n",
            "step",
            "\n\n@tf.function(reduce_retracing=True)\ndef step(x):\n    return x\n\n\nfor x in y:\n    step(x)\n",
        ),
        (
            "for x in y: print(tf.function(lambda v: v)(x))\n",
            "<lambda>",
            "traced_lambda = tf.function(lambda v: v, reduce_retracing=True)\nfor x in y: print(traced_lambda(x))\n",
        ),
        (
            "class A:\n    def run(self, x):\n        return tf.function(lambda v: v * self.k)(x)\n",
            "<lambda>",
            'class A:\n    def run(self, x):\n        if not hasattr(self, "_traced_lambda"):\n            '
            "self._traced_lambda = tf.function(lambda v: v * self.k, reduce_retracing=True)\n"
            "        return self._traced_lambda(x)\n",
        ),
    ],
)
def test_what_moves_takes_other_changes_along(source: str, name: str, after: str) -> None:
    """A repair may consist of several changes, in any order."""
    whole = f"import tensorflow as tf\n{source}"
    case = case_for(whole, name, MADE_AGAIN, leaves=((), ()))
    results = set()
    for option_first in (True, False):
        for candidate in RECIPE.propose(case):
            edits = Edits({"program.py": whole.encode()})
            assert candidate.change is not None
            with contextlib.suppress(Declined):
                if option_first:
                    set_option(edits, find_creation(case, edits), "reduce_retracing", "True")
                candidate.change(edits)
                if not option_first:
                    set_option(edits, find_creation(case, edits), "reduce_retracing", "True")
                results.add(edits.results()["program.py"].decode())
    assert results == {f"import tensorflow as tf\n{after}"}
