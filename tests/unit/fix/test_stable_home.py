"""A function passed as an argument gets one home; where that cannot be, it is said why."""

from __future__ import annotations

import textwrap

import pytest
from written_case import case_for, written

from traceonce.facts import Leaf
from traceonce.fix.candidate import Declined
from traceonce.fix.recipes.stable_home import RECIPE

HEAD = """\
import functools
import tensorflow as tf


@tf.function
def step(x, loss):
    return loss(x)


"""


def passed(body: str, *, type_name: str = "function", skip: int = 0) -> str:
    """The body, with the first candidate that can be written."""
    source = HEAD + textwrap.dedent(body).lstrip()
    leaves = [(Leaf("x", "tensor"), Leaf("loss", "object", type_name=type_name, identity=n)) for n in range(3)]
    case = case_for(source, "step", ("collected", "loss"), leaves=leaves)
    after = written(RECIPE, case, source, skip=skip)
    assert after.startswith(HEAD)
    return after.removeprefix(HEAD)


def text(source: str) -> str:
    return textwrap.dedent(source).lstrip()


def test_before_the_loop_where_the_function_binds_what_it_reads() -> None:
    assert passed(
        """
        def train(data, scale):
            for x in data:
                step(x, loss=lambda v: v * scale)
        """
    ) == text(
        """
        def train(data, scale):
            kept_loss = lambda v: v * scale
            for x in data:
                step(x, loss=kept_loss)
        """
    )


def test_an_inner_function_moves_out() -> None:
    assert passed(
        """
        def train(data):
            for x in data:
                def doubled(v):
                    return v * 2

                step(x, doubled)
        """
    ) == text(
        """
        def doubled(v):
            return v * 2


        def train(data):
            for x in data:
                step(x, doubled)
        """
    )


def test_a_method_of_a_global_object() -> None:
    assert passed(
        """
        model = make_model()
        for x in data:
            # One step.
            step(x, model.loss)
        """,
        type_name="method",
    ) == text(
        """
        model = make_model()
        kept_loss = model.loss
        for x in data:
            # One step.
            step(x, kept_loss)
        """
    )


def test_a_method_of_self_without_an_init() -> None:
    assert passed(
        """
        class Trainer:
            def loss(self, x):
                return x

            def fit(self, data):
                for x in data:
                    step(x, self.loss)
        """,
        type_name="method",
    ) == text(
        """
        class Trainer:
            def loss(self, x):
                return x

            def fit(self, data):
                if not hasattr(self, "_kept_loss"):
                    self._kept_loss = self.loss
                for x in data:
                    step(x, self._kept_loss)
        """
    )


def test_what_self_holds_may_be_set_after_init() -> None:
    """Only a method is surely there when the object begins."""
    assert "if not hasattr" in passed(
        """
        class Trainer:
            def __init__(self, model):
                self.model = model

            def fit(self, x):
                return step(x, self.model.loss)
        """,
        type_name="method",
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("for k in data:\n    step(x, lambda v: v * k)", "it reads k, which the loop in line 10 assigns"),
        ("for k in data:\n    step(x, functools.partial(f, k))", "it reads k"),
        ("for k in data:\n    step(x, make(2))", "may be something else each time"),
        ("def train(loss):\n    step(x, loss)", "comes in as the parameter loss"),
        ("for k in data:\n    f = make()\n    step(x, f)", "is made by `make\\(\\)`"),
        ("for f in data:\n    step(x, f)", "f may be something else each time"),
        ("for _ in data:\n    step(x, lambda v: v)\n    step(y, lambda v: v)", "at several places"),
        ("step(x, lambda v: v)", "it stands at the top of the file"),
    ],
)
def test_what_has_no_home(body: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        passed(body + "\n")


def test_a_configuration_is_not_for_this_recipe() -> None:
    source = HEAD + "step(1, config)\n"
    leaves = [(Leaf("x", "tensor"), Leaf("loss", "object", type_name="Config", identity=n)) for n in range(3)]
    assert not list(RECIPE.propose(case_for(source, "step", ("collected", "loss"), leaves=leaves)))


def test_the_prediction_takes_functions_of_one_name_for_one() -> None:
    source = HEAD + "step(1, f)\n"
    named = [("f", 1), ("f", 2), ("g", 3)]
    leaves = [(Leaf("loss", "object", type_name="function", value=name, identity=n),) for name, n in named]
    case = case_for(source, "step", ("collected", "loss"), leaves=leaves)
    assert {candidate.predicted_traces for candidate in RECIPE.propose(case)} == {2}
