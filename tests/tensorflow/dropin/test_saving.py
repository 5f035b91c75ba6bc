"""Saved, loaded and restored, it does what `tf.function` does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.paired import Maker, Raised, alike, outcome, plain, thrice


def a_model(tf: Any, function: Maker) -> Any:
    """Two methods: one with a default number, one whose shape varies."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(2.0)

        @function
        def __call__(self, x: Any, k: float = 2.0) -> Any:
            return x * self.weight * k

        @function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def signed(self, x: Any) -> Any:
            return tf.reduce_sum(x) + self.weight.assign_add(1.0)

    return Model()


USES: dict[str, Callable[[Any, Any], Any]] = {
    "one call": lambda tf, model: [model(tf.ones([3]))],
    "hits": lambda tf, model: [model(tf.ones([3])) for _ in range(3)],
    "shapes": lambda tf, model: [model(tf.ones([size])) for size in (3, 4, 5)],
    "numbers": lambda tf, model: [model(tf.ones([3]), k) for k in (2.0, 3.0, 4.0, 5.0)],
    "default, then numbers": lambda tf, model: [
        model(tf.ones([3])),
        *(model(tf.ones([3]), k) for k in (3.0, 4.0, 5.0)),
    ],
    "both": lambda tf, model: [model(tf.ones([size]), k) for size in (3, 4, 5) for k in (2.0, 3.0, 4.0)],
}


@pytest.mark.parametrize("use", USES)
def test_a_saved_model(tf: Any, tmp_path: Path, use: str) -> None:
    """After the same calls, what tf.function's reloaded model can answer, ours can, though it lifted and relaxed."""
    tried = [(3,), (4,), (5,), (3, 2.0), (3, 3.0), (4, 3.0), (4, 4.0)]
    answers: dict[bool, list[Any]] = {}
    for ours in (False, True):
        model = a_model(tf, traceonce.function if ours else tf.function)
        USES[use](tf, model)
        model.signed(tf.ones([2]))
        tf.saved_model.save(model, str(tmp_path / str(ours)))
        loaded = tf.saved_model.load(str(tmp_path / str(ours)))
        answers[ours] = [outcome(loaded, tf.ones([size]), *k) for size, *k in tried]
        assert thrice(loaded.signed, tf.ones([2])) == thrice(model.signed, tf.ones([2]))
        assert plain(loaded.weight) == plain(model.weight)
    for call, theirs, own in zip(tried, answers[False], answers[True], strict=True):
        cannot = isinstance(theirs, Raised) and "Could not find matching concrete function" in theirs.text
        assert own == theirs or cannot, call


def test_a_saved_model_with_signatures(tf: Any, tmp_path: Path) -> None:
    """Given as a function, as a method, and as what `get_concrete_function` gives."""

    def program(function: Maker) -> Any:
        model = a_model(tf, function)
        model(tf.ones([2]))
        free = function(lambda x: {"y": x * 3.0}, input_signature=[tf.TensorSpec([None], name="x")])
        model.free = free
        spec = tf.TensorSpec([None], tf.float32, name="x")
        signatures = {"a": model.__call__.get_concrete_function(spec), "b": model.signed, "c": free}
        path = str(tmp_path / str(function is tf.function))
        tf.saved_model.save(model, path, signatures=signatures)
        loaded = tf.saved_model.load(path)
        answers = [thrice(signature, x=tf.ones([3])) for _, signature in sorted(loaded.signatures.items())]
        return answers, sorted(loaded.signatures), [str(loaded.signatures[n].structured_outputs) for n in "abc"]

    alike(tf, program)


def test_calls_go_on_after_saving(tf: Any, tmp_path: Path) -> None:
    """Saving traces again in a context of its own: those traces are not for calls."""

    def program(function: Maker) -> Any:
        model = a_model(tf, function)
        answers = [thrice(model, tf.ones([size]), k) for size in (1, 2) for k in (2.0, 3.0)]
        tf.saved_model.save(model, str(tmp_path / str(function is tf.function)))
        answers += [thrice(model, tf.ones([size]), k) for size in (1, 2, 3) for k in (2.0, 3.0, 4.0)]
        model.weight.assign(5.0)
        return [*answers, thrice(model, tf.ones([1]))]

    alike(tf, program)


def test_a_loaded_function_in_ours(tf: Any, tmp_path: Path) -> None:
    """A reloaded model is called from a function, and is wrapped as one."""

    def program(function: Maker) -> Any:
        model = a_model(tf, function)
        model(tf.ones([2]))
        path = str(tmp_path / str(function is tf.function))
        tf.saved_model.save(model, path)
        loaded = tf.saved_model.load(path)
        around, wrapped = function(lambda x: loaded(x) + 1.0), function(loaded.__call__)
        return thrice(around, tf.ones([2])), thrice(wrapped, tf.ones([2])), thrice(loaded.signed, tf.ones([2]))

    alike(tf, program)


def test_a_checkpoint(tf: Any, tmp_path: Path) -> None:
    """A model is restored under a function that has been traced, and before its variables are created."""

    def program(function: Maker) -> Any:
        class Late(tf.Module):
            weight = None

            @function
            def __call__(self, x: Any) -> Any:
                if self.weight is None:
                    self.weight = tf.Variable(3.0)
                return self.weight.assign_add(x)

        model = Late()
        answers = [thrice(model, tf.constant(1.0))]
        prefix = tf.train.Checkpoint(model=model).save(str(tmp_path / f"{function is tf.function}"))
        answers.append(thrice(model, tf.constant(10.0)))
        tf.train.Checkpoint(model=model).restore(prefix).assert_consumed()
        answers.append(thrice(model, tf.constant(1.0)))
        fresh = Late()
        status = tf.train.Checkpoint(model=fresh).restore(prefix)
        answers.append(thrice(fresh, tf.constant(1.0)))
        status.assert_consumed()
        return answers

    alike(tf, program)
