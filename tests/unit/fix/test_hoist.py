"""Moving the place at which a function is made: where to, with what, and where not."""

from __future__ import annotations

import contextlib
import textwrap

import pytest
from written_case import case_for, written

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Declined
from traceonce.fix.recipes.hoist import RECIPE
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.making import find_creation, set_option

MADE_AGAIN = ("new_function", "step")


def hoisted(source: str, name: str = "step", *, skip: int = 0, qualified: str | None = None) -> str:
    source = text(source)
    return written(RECIPE, case_for(source, name, MADE_AGAIN, leaves=((), ()), qualified=qualified), source, skip=skip)


def text(source: str) -> str:
    return textwrap.dedent(source).lstrip()


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


def test_kept_on_the_instance() -> None:
    assert hoisted(
        """
        import tensorflow as tf


        class Trainer:
            _traced_step = None

            def step(self, x):
                return x * self.rate

            def fit(self, data):
                total = 0
                for x in data:
                    total += tf.function(self.step)(x)
                return total
        """,
        qualified="Trainer.step",
        skip=1,
    ) == text(
        """
        import tensorflow as tf


        class Trainer:
            _traced_step = None

            def step(self, x):
                return x * self.rate

            def fit(self, data):
                total = 0
                if not hasattr(self, "_traced_step_2"):
                    self._traced_step_2 = tf.function(self.step)
                for x in data:
                    total += self._traced_step_2(x)
                return total
        """
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "for rate in data:\n    @tf.function\n    def step(x):\n        return x * rate\n    step(1)",
            "it reads rate",
        ),
        ("while data:\n    rate = data.pop()\n    print(tf.function(lambda x: x * rate)(1))", "it reads rate"),
        ("print([tf.function(lambda x: x * rate)(1) for rate in data])", "it reads rate"),
        ("@tf.function\ndef step(x):\n    return x", "it stands at the top of the file"),
        ("class A:\n    @tf.function\n    def step(self, x):\n        return x", "define the class once"),
        (
            "def run():\n    if data:\n        step = 1\n    @tf.function\n    def step(x):\n        return x\n",
            "step is bound at several places",
        ),
    ],
)
def test_what_cannot_move(body: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        hoisted(f"import tensorflow as tf\ndata = [1, 2]\n{body}\n", "step" if "def step" in body else "<lambda>")


def test_what_is_made_by_a_call_may_be_another_thing_each_time() -> None:
    source = """
        import tensorflow as tf

        def run(make, x):
            return tf.function(make(lambda x: x))(x)
        """
    case = case_for(text(source), "<lambda>", MADE_AGAIN, leaves=((), ()))
    with pytest.raises(Declined):
        written(RECIPE, case, text(source))


@pytest.mark.parametrize("use", ["super().scale(x)", "self.__scale(x)"])
def test_what_only_means_something_inside_its_class_stays_in_it(use: str) -> None:
    with pytest.raises(Declined, match="belongs to the class"):
        hoisted(
            f"""
            import tensorflow as tf

            class Trainer:
                def fit(self, x):
                    @tf.function
                    def step(self, x):
                        return {use}
                    return step(self, x)
            """
        )


def test_an_object_without_room_cannot_keep_it() -> None:
    with pytest.raises(Declined, match="__slots__"):
        hoisted(
            """
            import tensorflow as tf

            class Trainer:
                __slots__ = ("rate",)

                def fit(self, x):
                    return tf.function(lambda x: x * self.rate)(x)
            """,
            "<lambda>",
        )


def test_an_object_that_makes_it_when_it_is_made_keeps_it_already() -> None:
    with pytest.raises(Declined, match="there are many objects"):
        hoisted(
            """
            import tensorflow as tf

            class Trainer:
                def __init__(self):
                    self.step = tf.function(lambda x: x * self.rate)
            """,
            "<lambda>",
        )


FACTORY = """
    import tensorflow as tf

    def make(rate, table):
        def step(x):
            return x * rate + table[0]

        return tf.function(step)
    """


def made_with(**reads: str) -> str:
    changed = Cause(CauseCode.NEW_FUNCTION, "step", "1", "2", note="rate")
    case = case_for(text(FACTORY), "step", changed, leaves=((), ()), reads=reads)
    return written(RECIPE, case, text(FACTORY))


def test_a_factory_remembers() -> None:
    assert made_with(rate="0.5") == text(FACTORY).replace(
        "import tensorflow as tf\n\n",
        "import functools\nimport tensorflow as tf\n\n@functools.lru_cache(maxsize=None, typed=True)\n",
    )


@pytest.mark.parametrize("value", ["[1, 2]", "EagerTensor 3", "float32[2] array 3f", "{'a': 1}"])
def test_a_factory_cannot_remember_what_is_no_key(value: str) -> None:
    with pytest.raises(Declined, match="it is made from table, which cannot be a key"):
        made_with(rate="0.5", table=value)


def test_a_factory_that_does_more_than_that() -> None:
    with pytest.raises(Declined, match="does more than make it"):
        hoisted(
            """
            import tensorflow as tf

            def make(rate):
                print(rate)
                return tf.function(lambda x: x * rate)
            """,
            "<lambda>",
        )


def test_every_time_another_value_is_advice() -> None:
    changed = Cause(CauseCode.NEW_FUNCTION, "step", "1", "2", note="rate")
    case = case_for(text(FACTORY), "step", changed, leaves=((),), object=1, reads={"rate": "1"})
    (advice,) = RECIPE.propose(case)
    assert advice.change is None
    assert advice.safety == "advice"
    assert "it reads another rate" in str(advice.note)


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
