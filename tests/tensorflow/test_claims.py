"""What is said about retracing, held against TensorFlow: the scripts of `examples/claims`, and other claims."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import traceonce
from tests.tensorflow.diagnosed import causes_of, only
from traceonce.facts import Verdict

CLAIMS = Path(__file__).parents[2] / "examples" / "claims"


def watch_calls(function: Callable[..., Any], *calls: tuple[Any, ...]) -> tuple[list[Any], traceonce.Watch]:
    """Call `function` once for each tuple of arguments: the results, and what was traced."""
    with traceonce.watch() as seen:
        results = [function(*arguments) for arguments in calls]
    return results, seen


# The scripts


class Outcome(NamedTuple):
    """What is to be seen of one function: its traces, its causes, its verdict, and its traces that raised."""

    traces: int
    causes: list[tuple[str, str, str, str, int]]
    verdict: Verdict
    failed: int = 0


SCRIPTS = {
    "shapes_that_differ": {
        "total_weight": Outcome(3, [("shape", "parcels.shape[0]", "3", "5", 2)], Verdict.RETRACING),
        "total_of_rows": Outcome(2, [("spec", "lorries.shape[0]", "2", "3", 1)], Verdict.BOUNDED),
    },
    "dtypes_that_differ": {
        "raise_price": Outcome(1, [], Verdict.FAILED, failed=1),
        "raise_price_cast": Outcome(3, [("dtype", "price.dtype", "int32", "float32", 2)], Verdict.RETRACING),
    },
    "an_object_without_equality": {
        "tax_plain": Outcome(2, [("identity", "settings", "Plain object", "Plain object", 1)], Verdict.BOUNDED),
        "tax_hashed": Outcome(2, [("identity", "settings", "Hashed object", "Hashed object", 1)], Verdict.BOUNDED),
        "tax_equal": Outcome(1, [], Verdict.OK),
    },
    "a_branch_without_a_function": {"spread_traced": Outcome(1, [], Verdict.OK)},
    "shapes_without_a_function": {
        "mean_score_traced": Outcome(2, [("shape", "scores.shape[1]", "2", "3", 1)], Verdict.BOUNDED)
    },
    "values_that_differ": {"area": Outcome(1, [], Verdict.OK)},
    "one_column_more": {"brightness": Outcome(2, [("shape", "image.shape[1]", "32", "33", 1)], Verdict.BOUNDED)},
    "a_signature_with_open_dimensions": {"brightness": Outcome(1, [], Verdict.OK)},
    "a_shape_read_at_run_time": {"flatten_and_number": Outcome(1, [], Verdict.OK)},
}

PRINTED = {
    "shapes_that_differ": ["5 parcels weigh 9.5", "2 lorries carry 11.0"],
    "dtypes_that_differ": ["as written: TypeError on the first call", "cast inside: int64 12.25"],
    "an_object_without_equality": ["Plain 40.0 40.0", "Hashed 40.0 40.0", "Equal 40.0 40.0"],
    "a_branch_without_a_function": ["plain 5.0 traced 5.0", "plain 63.0 traced 63.0"],
    "shapes_without_a_function": ["(2, 2) plain 6.0 traced 6.0", "(2, 3) plain 5.0 traced 5.0"],
    "values_that_differ": ["3 by 4.0 is 12.0", "3 by 11.0 is 33.0"],
    "one_column_more": ["32 columns: 0.5", "33 columns: 0.5"],
    "a_signature_with_open_dimensions": ["8 by 33 0.5", "5 by 6 0.5"],
    "a_shape_read_at_run_time": ["2 by 3 15.0", "2 by 4 28.0"],
}


def load(name: str) -> ModuleType:
    """A fresh import of a script, so that its functions have no traces yet."""
    spec = importlib.util.spec_from_file_location(f"claim_{name}", CLAIMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_script_is_run_and_listed() -> None:
    names = {path.stem for path in CLAIMS.glob("*.py")}
    assert names == SCRIPTS.keys() == PRINTED.keys()
    readme = (CLAIMS / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"| `{name}.py` |" not in readme] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script(tf: Any, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exactly these functions are traced (so plain Python is not), as often and for the reasons that are given."""
    script = load(name)
    with traceonce.watch() as seen:
        script.main()
    found = {d.function.name: Outcome(d.traces, causes_of(d), d.verdict, d.failed) for d in seen.diagnoses}
    assert found == SCRIPTS[name]
    assert all(seen[function].retraces == outcome.traces - 1 for function, outcome in found.items())
    assert [notice.text for notice in seen.recording.notices if notice.error] == []
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in PRINTED[name] if line not in printed] == []


def test_the_broken_example_says_why(tf: Any) -> None:
    script = load("dtypes_that_differ")
    with traceonce.watch() as seen, pytest.raises(TypeError, match="float32"):
        script.raise_price(tf.constant(1, tf.int32), tf.constant(2.0))
    assert (only(seen).traces, only(seen).failed, only(seen).verdict) == (0, 1, Verdict.FAILED)
    assert any("TypeError" in note for note in only(seen).notes)


# Python values, and making tensors of them


def test_ten_literals_are_ten_traces(tf: Any) -> None:
    _, seen = watch_calls(tf.function(lambda x, k: x * k), *((tf.constant(2.0), float(k)) for k in range(10)))
    assert (only(seen).traces, only(seen).retraces, only(seen).verdict) == (10, 9, Verdict.RETRACING)
    assert causes_of(only(seen)) == [("value", "k", "0.0", "1.0", 9)]


def test_ten_literals_made_tensors_are_one_trace(tf: Any) -> None:
    results, seen = watch_calls(
        tf.function(lambda x, k: x * k), *((tf.constant(2.0), tf.constant(float(k))) for k in range(10))
    )
    assert [float(result) for result in results] == [2.0 * k for k in range(10)]
    assert (only(seen).traces, only(seen).causes, only(seen).verdict) == (1, (), Verdict.OK)


def test_constants_of_mixed_types_are_still_three_traces(tf: Any) -> None:
    _, seen = watch_calls(tf.function(lambda k: k), *((tf.constant(k),) for k in (1, 2, 2.5, 3.5, True, False)))
    assert only(seen).traces == 3
    assert causes_of(only(seen)) == [("dtype", "k.dtype", "int32", "float32", 2)]
    assert only(seen).causes[0].values == ("int32", "float32", "bool")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("split", "Rank-0 tensors are not supported"),
        ("unstack", "Expected int for argument 'num'"),
        ("stack axis", "as a Python `bool` is not allowed"),
        ("list index", "list indices must be integers"),
        pytest.param(
            "dropout",
            "as a Python `bool` is not allowed",
            marks=pytest.mark.skipif(version("keras") < "3", reason="the Keras of TensorFlow 2.15 takes a tensor"),
        ),
    ],
)
def test_where_a_tensor_does_not_replace_a_literal(tf: Any, what: str, said: str) -> None:
    """The literal works, the tensor of it does not: a size, a place or a switch is needed while tracing."""
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    dropout = tf.keras.layers.Dropout(0.5, seed=1)
    body: Callable[[Any, Any], Any]
    literal: Any
    body, literal = {
        "split": (lambda x, k: tf.split(x, k)[0], 2),
        "unstack": (lambda x, k: tf.unstack(x, k)[0], 4),
        "stack axis": (lambda x, k: tf.stack([x, x], axis=k), 1),
        "list index": (lambda x, k: [x, x + 1.0][k], 1),
        "dropout": (lambda x, k: dropout(x, training=k), True),
    }[what]
    tf.function(body)(x, literal)
    with traceonce.watch() as seen, pytest.raises((TypeError, ValueError), match=said):
        tf.function(body)(x, tf.constant(literal))
    assert (only(seen).traces, only(seen).failed, only(seen).verdict) == (0, 1, Verdict.FAILED)


@pytest.mark.parametrize("what", ["shape", "reduce axis", "concat axis", "one_hot depth", "range"])
def test_where_a_tensor_does_replace_a_literal(tf: Any, what: str) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    body: Callable[[Any, Any], Any] = {
        "shape": lambda x, k: tf.zeros([k + 1, 2]),
        "reduce axis": lambda x, k: tf.reduce_sum(x, axis=k),
        "concat axis": lambda x, k: tf.concat([x, x], axis=k),
        "one_hot depth": lambda x, k: tf.one_hot([0, 1], k + 1),
        "range": lambda x, k: tf.range(k),
    }[what]
    results, seen = watch_calls(tf.function(body), *((x, tf.constant(k)) for k in (0, 1)))
    for k, result in enumerate(results):
        np.testing.assert_array_equal(result, body(x, k))
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)


def test_padding_saves_traces_and_changes_the_mean(tf: Any) -> None:
    mean = tf.function(lambda row: tf.reduce_mean(row))
    rows = [[1.0], [1.0, 1.0], [1.0, 1.0, 1.0]]
    results, seen = watch_calls(mean, *((tf.constant(row + [0.0] * (4 - len(row))),) for row in rows))
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)
    assert [float(result) for result in results] == [0.25, 0.5, 0.75]


# Input signatures


def test_a_signature_covers_shapes(tf: Any) -> None:
    total = tf.function(lambda x: tf.reduce_sum(x), input_signature=[tf.TensorSpec([None], tf.float32)])
    _, seen = watch_calls(total, *((tf.zeros([width]),) for width in range(1, 11)))
    assert (only(seen).traces, only(seen).causes, only(seen).verdict) == (1, (), Verdict.OK)


def test_a_signature_refuses_a_tensor_of_another_dtype(tf: Any) -> None:
    """An error, and not a trace."""
    total = tf.function(lambda x: tf.reduce_sum(x), input_signature=[tf.TensorSpec([None], tf.float32)])
    total(tf.zeros([2]))
    with traceonce.watch() as seen, pytest.raises(TypeError):
        total(tf.zeros([2], tf.int32))
    assert seen.diagnoses == []


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([np.array([1.0, 2.0]), np.array([3], np.int64), np.array([4.0], np.float16)], [None]),
        ([[1, 2], [1.5], [1.0, 2.0, 3.0]], [None]),
        ([1, 2.5, 3], []),
    ],
    ids=["NumPy arrays", "lists", "Python numbers"],
)
def test_a_signature_casts_what_is_not_yet_a_tensor(tf: Any, values: list[Any], shape: list[Any]) -> None:
    total = tf.function(lambda x: tf.reduce_sum(x), input_signature=[tf.TensorSpec(shape, tf.float32)])
    results, seen = watch_calls(total, *((value,) for value in values))
    assert [float(result) for result in results] == [float(np.sum(value)) for value in values]
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)


# Branches


def test_a_condition_wants_a_tensor(tf: Any) -> None:
    choose = tf.function(lambda flag, x: tf.cond(flag, lambda: x + 1.0, lambda: x - 1.0))
    with traceonce.watch() as refused, pytest.raises(TypeError):
        choose(True, tf.constant(5.0))
    assert (only(refused).traces, only(refused).failed, only(refused).verdict) == (0, 1, Verdict.FAILED)
    results, seen = watch_calls(choose, *((tf.constant(flag), tf.constant(5.0)) for flag in (True, False)))
    assert [float(result) for result in results] == [6.0, 4.0]
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)


def test_a_switch_wants_a_tensor(tf: Any) -> None:
    choose = tf.function(lambda k, x: tf.switch_case(k, [lambda: x, lambda: x + 10.0, lambda: x + 20.0]))
    with traceonce.watch() as refused, pytest.raises(TypeError):
        choose(1, tf.constant(5.0))
    assert (only(refused).traces, only(refused).failed, only(refused).verdict) == (0, 1, Verdict.FAILED)
    results, seen = watch_calls(choose, *((tf.constant(k), tf.constant(5.0)) for k in range(3)))
    assert [float(result) for result in results] == [5.0, 15.0, 25.0]
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)


def test_an_if_on_a_tensor_is_one_trace_and_on_a_bool_two(tf: Any) -> None:
    def flip(x: Any, flag: Any) -> Any:
        if flag:
            return -x
        return x

    results, seen = watch_calls(
        tf.function(flip), *((tf.constant(3.0), tf.constant(flag)) for flag in (True, False, True))
    )
    assert [float(result) for result in results] == [-3.0, 3.0, -3.0]
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)

    _, seen = watch_calls(tf.function(flip), *((tf.constant(3.0), flag) for flag in (True, False, True)))
    assert (only(seen).traces, only(seen).verdict) == (2, Verdict.BOUNDED)
    assert causes_of(only(seen)) == [("value", "flag", "True", "False", 1)]


def test_a_hundred_tensor_values_are_one_trace(tf: Any) -> None:
    results, seen = watch_calls(tf.function(lambda x: x * 2), *((tf.constant(k),) for k in range(100)))
    assert [int(result) for result in results] == list(range(0, 200, 2))
    assert (only(seen).traces, only(seen).calls, only(seen).verdict) == (1, 100, Verdict.OK)


# reduce_retracing


@pytest.mark.parametrize(
    ("what", "traces", "code", "path"),
    [
        ("literals", 10, "value", "x"),
        ("shapes", 2, "shape", "x.shape[0]"),
        ("ranks", 2, "rank", "x.shape"),
        ("list lengths", 5, "structure", "len(x)"),
        ("dtypes", 3, "dtype", "x.dtype"),
    ],
)
def test_reducing_retraces_helps_with_shapes_only(tf: Any, what: str, traces: int, code: str, path: str) -> None:
    values: list[Any] = {
        "literals": list(range(10)),
        "shapes": [tf.zeros([width]) for width in range(1, 11)],
        "ranks": [tf.zeros([2] * rank) for rank in range(1, 5)],
        "list lengths": [[tf.constant(1.0)] * length for length in range(1, 6)],
        "dtypes": [tf.zeros([2], dtype) for dtype in (tf.float32, tf.int32, tf.float64)],
    }[what]
    _, seen = watch_calls(tf.function(lambda x: tf.constant(1), reduce_retracing=True), *((value,) for value in values))
    assert only(seen).traces == traces
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [(code, path, traces - 1)]


# Running eagerly


def test_running_eagerly_traces_nothing_but_datasets(tf: Any) -> None:
    ran: list[int] = []

    @tf.function  # type: ignore[untyped-decorator]  # TensorFlow is untyped
    def step(x: Any) -> Any:
        ran.append(1)
        return x + 1

    def double(x: Any) -> Any:
        return x * 2

    tf.config.run_functions_eagerly(True)
    try:
        with traceonce.watch() as seen:
            for k in range(5):
                step(k)
            with pytest.warns(UserWarning, match="does not apply to tf.data functions"):
                numbers = list(tf.data.Dataset.range(3).map(double).as_numpy_iterator())
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(ran) == 5
    assert numbers == [0, 2, 4]
    assert only(seen).function.name.endswith("double [dataset]")
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)


# Type hints, hashes and equality


@pytest.mark.parametrize(
    ("first", "second", "cause"),
    [
        (1, 2, ("value", "x", "1", "2", 1)),
        (np.float32(1), np.int32(1), ("dtype", "x.dtype", "float32", "int32", 1)),
    ],
    ids=["values", "dtypes"],
)
def test_type_hints_have_no_effect(tf: Any, first: Any, second: Any, cause: tuple[Any, ...]) -> None:
    def body(x):  # type: ignore[no-untyped-def]  # the hint is added below, as an object and not as a string
        return x

    body.__annotations__ = {"x": tf.Tensor, "return": tf.Tensor}
    _, seen = watch_calls(tf.function(body), (first,), (second,))
    assert only(seen).traces == 2
    assert causes_of(only(seen)) == [cause]


class Plain:
    def __init__(self, rate: float) -> None:
        self.rate = rate


class Hashed(Plain):
    def __hash__(self) -> int:
        return hash(self.rate)


class EqualAndHashed(Plain):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualAndHashed) and self.rate == other.rate

    def __hash__(self) -> int:
        return hash(self.rate)


class EqualOnly(Plain):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualOnly) and self.rate == other.rate


class Typed(Plain):
    def __tf_tracing_type__(self, context: Any) -> Any:
        from tensorflow.core.function.trace_type import default_types

        return default_types.Literal(("Typed", self.rate))


@pytest.mark.parametrize(("kind", "traces"), [(Plain, 2), (Hashed, 2), (EqualAndHashed, 1), (Typed, 1)])
def test_equality_decides(tf: Any, kind: type[Plain], traces: int) -> None:
    first, second = kind(0.5), kind(0.5)
    results, seen = watch_calls(
        tf.function(lambda settings, x: x + 1.0), (first, tf.constant(2.0)), (second, tf.constant(2.0))
    )
    assert [float(result) for result in results] == [3.0, 3.0]
    assert only(seen).traces == traces
    object_name = f"{kind.__name__} object"
    assert causes_of(only(seen)) == [("identity", "settings", object_name, object_name, 1)] * (traces - 1)


def test_equality_without_a_hash_is_refused(tf: Any) -> None:
    with traceonce.watch() as seen, pytest.raises(TypeError):
        tf.function(lambda settings, x: x)(EqualOnly(0.5), tf.constant(2.0))
    assert seen.diagnoses == []


@pytest.mark.parametrize(("kind", "code", "traces"), [(EqualAndHashed, "collected", 5), (Plain, "collected", 5)])
def test_temporary_objects_are_traced_every_time(tf: Any, kind: type[Plain], code: str, traces: int) -> None:
    step = tf.function(lambda settings, x: x + 1.0)
    with traceonce.watch() as seen:
        for _ in range(5):
            step(kind(0.5), tf.constant(2.0))
    assert only(seen).traces == traces
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [(code, "settings", traces - 1)]
    assert only(seen).verdict is Verdict.RETRACING


# State outside the arguments

factor = 2.5


@pytest.mark.parametrize("where", ["global", "closure", "attribute"])
def test_outside_state_is_not_traced_again_but_stale(tf: Any, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old value is served, and only the finding says so."""
    kept = 2.5

    class Model:
        def __init__(self) -> None:
            self.factor = 2.5

        @tf.function  # type: ignore[untyped-decorator]  # TensorFlow is untyped
        def by_attribute(self, x: Any) -> Any:
            return x * self.factor

    @tf.function  # type: ignore[untyped-decorator]
    def by_global(x: Any) -> Any:
        return x * factor

    @tf.function  # type: ignore[untyped-decorator]
    def by_closure(x: Any) -> Any:
        return x * kept

    model = Model()
    with traceonce.watch() as seen:
        step = {"global": by_global, "closure": by_closure, "attribute": model.by_attribute}[where]
        before = float(step(tf.constant(2.0)))
        monkeypatch.setitem(globals(), "factor", 4.5)
        kept = model.factor = 4.5
        after = float(step(tf.constant(2.0)))
    assert (before, after) == (5.0, 5.0)  # 9.0 would be right
    assert (only(seen).traces, only(seen).retraces, only(seen).verdict) == (1, 0, Verdict.STALE)
    [cause] = only(seen).causes
    assert (cause.code.value, cause.was, cause.now) == ("stale", "2.5", "4.5")
    assert cause.path.split()[-1].split(".")[-1] == {"closure": "kept"}.get(where, "factor")


def test_a_variable_instead_is_right_with_one_trace(tf: Any) -> None:
    variable = tf.Variable(2.5)
    step = tf.function(lambda x: x * variable)
    with traceonce.watch() as seen:
        before = float(step(tf.constant(2.0)))
        variable.assign(4.5)
        after = float(step(tf.constant(2.0)))
    assert (before, after) == (5.0, 9.0)
    assert (only(seen).traces, only(seen).causes, only(seen).verdict) == (1, (), Verdict.OK)
