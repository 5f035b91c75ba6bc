"""What cannot move all the way out: an object keeps it, a factory remembers it, or it stays where it is."""

from __future__ import annotations

import pytest

from tests.unit.fix.hoisted import MADE_AGAIN, hoisted
from tests.unit.fix.written_case import case_for, text, written
from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Declined
from traceonce.frameworks.tensorflow.recipes.hoist import RECIPE
from traceonce.words.notes import english_note


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
        ("@tf.function\ndef step(x):\n    return x", "it is at the top level of the file"),
        ("class A:\n    @tf.function\n    def step(self, x):\n        return x", "define the class once"),
        (
            "def run():\n    if data:\n        step = 1\n    @tf.function\n    def step(x):\n        return x\n",
            "step is assigned in several places",
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
    changed = Cause(CauseCode.NEW_FUNCTION, "step", "1", "2", note="rate", differs=("rate",))
    case = case_for(text(FACTORY), "step", changed, leaves=((), ()), reads=reads)
    return written(RECIPE, case, text(FACTORY))


def test_a_factory_remembers() -> None:
    assert made_with(rate="0.5") == text(FACTORY).replace(
        "import tensorflow as tf\n\n",
        "import functools\nimport tensorflow as tf\n\n@functools.lru_cache(maxsize=None, typed=True)\n",
    )


@pytest.mark.parametrize("value", ["[1, 2]", "EagerTensor 3", "float32[2] array 3f", "{'a': 1}"])
def test_a_factory_cannot_remember_what_is_no_key(value: str) -> None:
    with pytest.raises(Declined, match="it is created from table, which cannot be a key"):
        made_with(rate="0.5", table=value)


def test_a_factory_that_does_more_than_that() -> None:
    with pytest.raises(Declined, match="does more than create it"):
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
    changed = Cause(CauseCode.NEW_FUNCTION, "step", "1", "2", note="rate", differs=("rate",))
    case = case_for(text(FACTORY), "step", changed, leaves=((),), object=1, reads={"rate": "1"})
    (advice,) = RECIPE.propose(case)
    assert advice.change is None
    assert advice.safety == "advice"
    assert english_note(advice.notes) == (
        "Each new function reads another rate: create the function once, and pass it as an argument."
    )
