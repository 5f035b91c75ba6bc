"""The same code made again over data that grows, and what is another model."""

from __future__ import annotations

from typing import Any

import numpy as np

import traceonce
from tests.jax.jitted import only
from traceonce.facts import Reason, Verdict


def captured(diagnosis: Any) -> list[tuple[str, str, str, int]]:
    return [(c.path, c.was, c.now, c.count) for c in diagnosis.causes if c.code.value == "captured"]


def test_data_that_grows(jax: Any) -> None:
    """A NumPy array that is closed over is copied: it is told of once, by its name."""

    def make(rows: int) -> Any:
        inputs, targets = jax.numpy.ones((rows, 3)), np.ones(rows, np.float32)
        return jax.jit(lambda w: ((inputs @ w - targets) ** 2).sum())

    with traceonce.watch() as seen:
        for rows in (40, 41, 42):
            make(rows)(np.ones(3, np.float32))
    assert (only(seen).retraces, only(seen).verdict) == (2, Verdict.RETRACING)
    assert sorted(captured(only(seen))) == [("inputs", "[40, 3]", "[41, 3]", 2), ("targets", "[40]", "[41]", 2)]
    assert "growing data, or weights of another model: unclear which" in str(seen)


def test_an_attribute_and_what_grows_on_both_sides(jax: Any) -> None:
    class Process:
        def __init__(self, rows: int) -> None:
            self.kernel = jax.numpy.ones((rows, rows))
            self.predict = jax.jit(self._predict)

        def _predict(self, x: Any) -> Any:
            return self.kernel.sum() * x

    with traceonce.watch() as seen:
        for rows in (40, 41):
            Process(rows).predict(1.0)
    assert captured(only(seen)) == [("self.kernel", "[40, 40]", "[41, 41]", 1)]


def test_other_layers_may_be_another_model(jax: Any) -> None:
    """Counted, with what differs, and no alarm."""

    def make(width: int) -> Any:
        first, bias, second = (jax.numpy.ones(shape) for shape in ((4, width), (width,), (width, 1)))
        return jax.jit(lambda x: jax.numpy.tanh(x @ first + bias) @ second)

    with traceonce.watch() as seen:
        for width in (2, 3, 5, 6):
            make(width)(np.ones((1, 4), np.float32))
    assert (only(seen).retraces, only(seen).verdict, only(seen).reason) == (3, Verdict.BOUNDED, Reason.OTHER_SIZES)
    assert sorted(captured(only(seen))) == [
        ("bias", "[2]", "[3]", 3),
        ("first", "[4, 2]", "[4, 3]", 3),
        ("second", "[2, 1]", "[3, 1]", 3),
    ]
    assert "[4, 2] → [4, 3]" in " ".join(only(seen).notes)


def test_what_a_loop_closes_over_grows(jax: Any) -> None:
    """Its arrays are among the arguments of the body, and their rows make no other model."""
    with traceonce.watch() as seen:
        for rows in (3, 4, 5):
            data = jax.numpy.ones((rows, 1))

            def step(carry: Any, _: Any, data: Any = data) -> Any:
                return {"w": carry["w"] - 0.1 * (data * carry["w"]).sum(), "x": carry["x"] + data}, None

            jax.lax.scan(step, {"w": 1.0, "x": data}, None, length=2)
    diagnosis = next(d for d in seen.diagnoses if "step" in d.function.name)
    assert (diagnosis.traces, diagnosis.retraces) == (3, 2)
