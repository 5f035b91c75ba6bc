"""A function passed as an argument gets one home; where that cannot be, it is said why."""

from __future__ import annotations

import textwrap

import msgspec
import pytest

from tests.unit.fix.written_case import FILE, case_for, text, written
from traceonce.facts import CallSite, Leaf
from traceonce.facts.replay import Site
from traceonce.fix.candidate import Declined
from traceonce.frameworks.tensorflow.recipes.stable_home import RECIPE

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
        ("for k in data:\n    step(x, make(2))", "may differ each time"),
        ("def train(loss):\n    step(x, loss)", "arrives as the parameter loss"),
        ("for k in data:\n    f = make()\n    step(x, f)", "is created by make\\(\\)"),
        ("for f in data:\n    step(x, f)", "f may differ each time"),
        ("def a(k):\n    step(x, lambda v: k)\ndef b(k):\n    step(y, lambda v: k)", "it reads k"),
        (
            "for k in data:\n  for _ in k:\n    step(x, lambda v: k)\n  for _ in k:\n    step(y, lambda v: k)",
            "lambda v: k appears in several places",
        ),
        ("step(x, lambda v: v)", "it is at the top level of the file"),
    ],
)
def test_what_has_no_home(body: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        passed(body + "\n")


def test_each_has_a_home_and_a_name_of_its_own() -> None:
    assert passed(
        """
        def evaluate(data):
            step(data, functools.partial(huber, delta=1.0))
            step(data, functools.partial(quantile, q=0.9))
            step(data, lambda v: v)
            step(data, lambda v: v + 1)
            step(data, functools.partial(huber, delta=2.0))
        """,
        type_name="partial",
    ) == text(
        """
        kept_huber = functools.partial(huber, delta=1.0)
        kept_quantile = functools.partial(quantile, q=0.9)
        kept_loss = lambda v: v
        kept_loss_2 = lambda v: v + 1
        kept_huber_2 = functools.partial(huber, delta=2.0)


        def evaluate(data):
            step(data, kept_huber)
            step(data, kept_quantile)
            step(data, kept_loss)
            step(data, kept_loss_2)
            step(data, kept_huber_2)
        """
    )


def test_what_is_written_twice_is_one_thing() -> None:
    assert passed(
        """
        for x in data:
            step(x, model.loss)
            step(-x, model.loss)
        """,
        type_name="method",
    ) == text(
        """
        kept_loss = model.loss
        for x in data:
            step(x, kept_loss)
            step(-x, kept_loss)
        """
    )


def test_two_functions_that_call_it_by_the_same_name() -> None:
    assert passed(
        """
        def one(x):
            loss = lambda v: v
            return step(x, loss)


        def two(x):
            loss = lambda v: v * 2
            return step(x, loss)
        """
    ) == text(
        """
        loss = lambda v: v


        def one(x):
            return step(x, loss)


        kept_loss = lambda v: v * 2


        def two(x):
            return step(x, kept_loss)
        """
    )


def test_an_object_keeps_what_is_its_own_and_the_rest_goes_out() -> None:
    assert passed(
        """
        class Trainer:
            def __init__(self):
                self.k = 2.0

            def loss(self, x):
                return x * self.k

            def fit(self, x):
                step(x, self.loss)
                return step(x, lambda v: v)
        """,
        type_name="method",
    ) == text(
        """
        kept_loss_2 = lambda v: v


        class Trainer:
            def __init__(self):
                self.k = 2.0
                self._kept_loss = self.loss

            def loss(self, x):
                return x * self.k

            def fit(self, x):
                step(x, self._kept_loss)
                return step(x, kept_loss_2)
        """
    )


def test_a_configuration_is_not_for_this_recipe() -> None:
    source = HEAD + "step(1, config)\n"
    leaves = [(Leaf("x", "tensor"), Leaf("loss", "object", type_name="Config", identity=n)) for n in range(3)]
    assert not list(RECIPE.propose(case_for(source, "step", ("collected", "loss"), leaves=leaves)))


def predicted(*passed: tuple[str, str, int], sites: int = 1) -> int | None:
    """What is promised for traces that were given something of this type and name from these lines."""
    source = HEAD + "step(1, f)\n"
    leaves = [
        (Leaf("loss", "object", type_name=kind, value=name, identity=number),)
        for number, (kind, name, _) in enumerate(passed)
    ]
    case = case_for(source, "step", ("collected", "loss"), leaves=leaves)
    events = tuple(
        msgspec.structs.replace(event, call_site=CallSite(FILE, line))
        for event, (_, _, line) in zip(case.events, passed, strict=True)
    )
    place = Site(case.diagnosis.function, FILE, passed[0][2])
    found = {each.predicted_traces for each in RECIPE.propose(case._replace(events=events, sites=(place,) * sites))}
    assert len(found) == 1
    return found.pop()


def test_the_prediction_takes_functions_of_one_name_for_one() -> None:
    assert predicted(("function", "f", 1), ("function", "f", 1), ("function", "g", 1)) == 2
    assert predicted(("method", "A.f", 1), ("method", "A.f", 2)) == 1


def test_the_prediction_does_not_take_partials_and_lambdas_of_one_name_for_one() -> None:
    huber, quantile = "partial of huber", "partial of quantile"
    assert predicted(("partial", huber, 1), ("partial", quantile, 2), ("partial", huber, 1)) == 2
    assert predicted(("partial", huber, 1), ("partial", quantile, 2), ("partial", huber, 3)) is None
    assert predicted(("function", "<lambda>", 1), ("function", "<lambda>", 1)) == 1
    assert predicted(("function", "fit.<locals>.<lambda>", 1), ("function", "fit.<locals>.<lambda>", 2)) is None
    assert predicted(("function", "<lambda>", 1), ("function", "<lambda>", 1), sites=2) is None


@pytest.mark.parametrize(
    ("kind", "names", "lines"),
    [
        ("partial", ["partial of losses.huber"], ["kept_loss = functools.partial(huber, …)"]),
        ("function", ["main.<locals>.<lambda>"], ["kept_loss = …"]),
        ("function", ["make.<locals>.Trainer.fit.<locals>.<lambda>"], ["self._kept_loss = …"]),
        ("method", ["Model.error"], ["kept_loss = ….error"]),
        ("function", ["main.<locals>.f", "main.<locals>.g"], ["kept_f = …", "kept_g = …"]),
    ],
)
def test_the_snippet_speaks_of_self_only_in_a_class(kind: str, names: list[str], lines: list[str]) -> None:
    source = HEAD + "step(1, f)\n"
    leaves = [(Leaf("loss", "object", type_name=kind, value=name, identity=n),) for n, name in enumerate(names * 2)]
    first = next(RECIPE.propose(case_for(source, "step", ("collected", "loss"), leaves=leaves)))
    assert [line.partition("  #")[0] for line in (first.snippet or "").splitlines()] == lines
