"""What `predict_traces` predicts is what TensorFlow does, on the sequences of calls below and on generated ones."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import traceonce
from traceonce.facts import TraceEvent
from traceonce.fix.signatures.prediction import cast, in_turn, lift, predict_traces
from traceonce.frameworks.tensorflow.recipes.cover import cover
from traceonce.frameworks.tensorflow.recipes.dtypes import number_paths

Call: TypeAlias = tuple[Any, ...]
Pair = collections.namedtuple("Pair", "a b")  # as programs write it


def run(tf: Any, calls: Sequence[Call], adapt: Callable[..., Call] = lambda *call: call, **options: Any) -> Any:
    """The traces that a fresh function needs for these calls, as they were recorded."""

    @tf.function(**options)
    def function(x: Any, k: Any = 0, mode: Any = "a") -> Any:
        return tf.constant(1)

    with traceonce.watch() as watched:
        for call in calls:
            function(*adapt(*call))
    return [event for event in watched.recording.events if event.kind == "trace"]


def tensor(tf: Any, *shape: int, dtype: str = "float32") -> Any:
    return tf.zeros(shape, dtype)


SEQUENCES = {
    "sizes": lambda tf: [(tensor(tf, n),) for n in (1, 2, 3, 2, 1)],
    "ranks": lambda tf: [(tensor(tf, *[2] * n),) for n in (0, 1, 2, 3, 1)],
    "one dimension of two": lambda tf: [(tensor(tf, 2, n),) for n in (1, 2, 3)],
    "the other one later": lambda tf: [(tensor(tf, m, n),) for m, n in ((2, 1), (2, 2), (3, 1), (4, 5))],
    "dtypes": lambda tf: [(tensor(tf, n, dtype=d),) for d in ("float32", "int32", "float64") for n in (1, 2, 3)],
    "numbers": lambda tf: [(tensor(tf, 2), k) for k in (0, 1, 2, 1.0, True, 0)],
    "numbers and sizes": lambda tf: [(tensor(tf, n), n) for n in (1, 2, 3, 4)],
    "modes": lambda tf: [(tensor(tf, n), 0, mode) for n in (1, 2, 3) for mode in "ab"],
    "lists": lambda tf: [([tensor(tf, 2)] * n,) for n in (1, 2, 3, 1)],
    "lists and sizes": lambda tf: [([tensor(tf, m)] * n,) for m in (1, 2, 3) for n in (1, 2)],
    "dicts": lambda tf: [({key: tensor(tf, n)},) for n in (1, 2, 3) for key in ("a", "b")],
    "named tuples": lambda tf: [(Pair(tensor(tf, n), {"c": n % 2}),) for n in (1, 2, 3, 4)],
    "ragged": lambda tf: [(tf.ragged.constant([[1.0]] * n),) for n in (1, 2, 3)],
    "sparse": lambda tf: [(tf.sparse.from_dense(tf.eye(n)),) for n in (1, 2, 3)],
    "none": lambda tf: [(None if n % 2 else tensor(tf, n),) for n in range(5)],
    "numbers beside tensors": lambda tf: [(tensor(tf, 1), tf.constant(1) if n % 2 else n) for n in range(5)],
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_as_it_is(tf: Any, name: str) -> None:
    """Every recorded miss is a miss again: no request was served that the lattice says it was not."""
    events = run(tf, SEQUENCES[name](tf))
    assert predict_traces(events) == len(events)


@pytest.mark.parametrize("name", SEQUENCES)
def test_relaxed(tf: Any, name: str) -> None:
    calls = SEQUENCES[name](tf)
    assert predict_traces(run(tf, calls), relax=True) == len(run(tf, calls, reduce_retracing=True))


@pytest.mark.parametrize("name", SEQUENCES)
def test_already_relaxed(tf: Any, name: str) -> None:
    """Events of a function that relaxes are replayed with relaxing."""
    events = run(tf, SEQUENCES[name](tf), reduce_retracing=True)
    assert predict_traces(events) == len(events)


@pytest.mark.parametrize("name", ["numbers and sizes", "numbers"])
@pytest.mark.parametrize("relax", [False, True])
def test_lifted(tf: Any, name: str, relax: bool) -> None:
    calls = [call for call in SEQUENCES[name](tf) if not isinstance(call[1], bool | float)]
    after = run(tf, calls, lambda x, k: (x, tf.constant(k)), reduce_retracing=relax)
    assert predict_traces(run(tf, calls), lift({"k": "int32"}), relax=relax) == len(after)


def test_cast(tf: Any) -> None:
    calls = SEQUENCES["dtypes"](tf)
    after = run(tf, calls, lambda x: (tf.cast(x, tf.float32),))
    assert predict_traces(run(tf, calls), cast({"x": "float32"})) == len(after) == 3


def test_function_objects_have_caches_of_their_own(tf: Any) -> None:
    def made() -> Any:
        @tf.function
        def function(x: Any) -> Any:
            return x

        return function

    with traceonce.watch() as watched:
        for size in (1, 2):
            for _ in range(3):
                made()(tensor(tf, size))
    events = [event for event in watched.recording.events if event.kind == "trace"]
    assert predict_traces(events) == 6
    assert predict_traces(events, one_object=True) == 2


def test_creating_variables_is_no_trace_of_the_users(tf: Any) -> None:
    """The trace after the variables were made repeats the first: a signature leaves one."""
    variables: list[Any] = []

    @tf.function
    def function(x: Any) -> Any:
        if not variables:
            variables.append(tf.Variable(1.0))
        return tf.reduce_sum(x) * variables[0]

    with traceonce.watch() as watched:
        for size in (1, 2, 3):
            function(tensor(tf, size))
    events = [event for event in watched.recording.events if event.kind == "trace"]
    assert predict_traces(events) == 3
    asked = [event for event in events if event.phase != "internal"]
    assert predict_traces(asked, cover([event.signature for event in asked]).apply) == 1


SIZES = st.lists(st.integers(1, 3), max_size=3)
LEAVES = st.one_of(
    st.tuples(st.just("tensor"), SIZES, st.sampled_from(["float32", "int32"])),
    st.tuples(st.just("number"), st.sampled_from([0, 1, 2, 1.0, True])),
    st.tuples(st.just("none")),
)
NESTS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from(["list", "tuple", "dict"]), st.lists(inner, max_size=2)),
    max_leaves=3,
)


def build(tf: Any, description: Any) -> Any:
    kind, *rest = description
    if kind == "tensor":
        return tensor(tf, *rest[0], dtype=rest[1])
    if kind in ("number", "none"):
        return rest[0] if rest else None
    parts = [build(tf, part) for part in rest[0]]
    return {"list": list, "tuple": tuple}[kind](parts) if kind != "dict" else dict(zip("ab", parts, strict=False))


@given(st.lists(st.tuples(NESTS, st.integers(0, 2)), min_size=1, max_size=7), st.booleans())
@settings(max_examples=60, deadline=None)
def test_generated_calls(tf: Any, described: list[Any], relax: bool) -> None:
    calls = [(build(tf, first), second) for first, second in described]
    events = run(tf, calls)
    assert predict_traces(events) == len(events)
    assert predict_traces(events, relax=relax) == len(run(tf, calls, reduce_retracing=relax))
    after = run(tf, calls, lambda x, k: (x, tf.constant(k)), reduce_retracing=relax)
    assert predict_traces(events, lift({"k": "int32"}), relax=relax) == len(after)


SIGNABLE = [
    "sizes", "ranks", "the other one later", "numbers and sizes", "named tuples", "ragged", "sparse",
    "numbers beside tensors",
]  # fmt: skip


@pytest.mark.parametrize("name", SIGNABLE)
def test_the_least_signature_admits_every_call_with_one_trace(tf: Any, name: str) -> None:
    """The code of a signature is evaluated, and the function given it is called the same way."""
    calls = SEQUENCES[name](tf)
    events: list[TraceEvent] = run(tf, calls)
    signatures = [event.signature for event in events]
    numbers = lift({path: dtypes[0] for path, dtypes in number_paths(signatures).items()})
    least = cover([numbers(signature) for signature in signatures])
    code = eval(least.code, {"tf": tf, "Pair": Pair})
    assert eval(least.layout, {"tf": tf, "Pair": Pair}) == code
    assert predict_traces(events, in_turn(numbers, least.apply)) == len(run(tf, calls, input_signature=code)) == 1
    wide = eval(least.widen().code, {"tf": tf, "Pair": Pair})
    assert len(run(tf, calls, input_signature=wide)) == 1
