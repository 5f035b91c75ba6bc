"""Recipes that change how a function is called or relaxed: what they propose, and what they write."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.fix.written_case import FILE, case_for
from tests.unit.handmade import container, python, tensor
from traceonce.facts import Leaf
from traceonce.fix.candidate import Candidate, Declined, Recipe
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.recipes import cast, reduce_retracing, tensor_argument
from traceonce.words.notes import in_english

SOURCE = """\
import tensorflow as tf


@tf.function
def f(x, k, mode):
    return x


f(x, k, "a")
f(x, k=2 + i, mode="a")
"""


def case(*calls: tuple[Leaf, ...], codes: tuple[str, ...], source: str = SOURCE, **fields: object) -> Case:
    return case_for(source, "f", *((code, "k") for code in codes), leaves=calls, **fields)


def found(recipe: Recipe, seen: Case) -> list[Candidate]:
    return list(recipe.propose(seen))


def written(candidate: Candidate, source: str = SOURCE) -> str:
    edits = Edits({FILE: source.encode()})
    assert candidate.change is not None
    candidate.change(edits)
    return edits.results()[FILE].decode()


def with_kinds(seen: Case, path: str, *kinds: tuple[str, ...]) -> Case:
    """The case with what its sites were seen to give."""
    sites = zip(seen.sites, kinds, strict=True)
    return seen._replace(sites=tuple(msgspec.structs.replace(site, arguments={path: given}) for site, given in sites))


NUMBERS = [(tensor("x", 2), python("k", number), python("mode", "a")) for number in range(5)]
SIZES = [(tensor("x", size), python("k", 1), python("mode", "a")) for size in range(1, 6)]
BOTH = [(tensor("x", size), python("k", size), python("mode", "a")) for size in range(1, 6)]


def test_relaxing_is_predicted_and_written() -> None:
    first = found(reduce_retracing.RECIPE, case(*SIZES, codes=("shape",)))[0]
    assert (first.recipe, first.safety, first.predicted_traces) == ("reduce_retracing", "safe", 2)
    assert written(first) == SOURCE.replace("@tf.function", "@tf.function(reduce_retracing=True)")


@pytest.mark.parametrize("field", ["signed", "reduce_retracing"])
def test_relaxing_is_not_for_what_is_relaxed_or_signed(field: str) -> None:
    assert found(reduce_retracing.RECIPE, case(*SIZES, codes=("shape",), **{field: True})) == []


def test_relaxing_is_not_for_values() -> None:
    assert found(reduce_retracing.RECIPE, case(*NUMBERS, codes=("value",))) == []


def test_relaxing_is_not_for_a_varying_number_of_arguments() -> None:
    """TensorFlow 2.21 raises an IndexError then."""
    seen = case((tensor("xs[0]", 1),), (tensor("xs[0]", 2), tensor("xs[1]", 2)), codes=("shape",))
    events = tuple(
        msgspec.structs.replace(
            event,
            signature=msgspec.structs.replace(
                event.signature, structure=(container("xs", "*args", *"01"[: number + 1]),)
            ),
        )
        for number, event in enumerate(seen.events)
    )
    with pytest.raises(Declined, match="IndexError"):
        found(reduce_retracing.RECIPE, seen._replace(events=events))


def test_a_number_is_wrapped_at_every_call() -> None:
    seen = with_kinds(case(*NUMBERS, codes=("value",)), "k", ("int",), ("int",))
    candidates = found(tensor_argument.RECIPE, seen)
    assert [each.predicted_traces for each in candidates] == [1, 1, 1]
    assert candidates[0].snippet == "f(x, tf.constant(k, tf.int32), mode)"
    after = written(candidates[0])
    assert 'f(x, tf.constant(k, tf.int32), "a")\n' in after
    assert 'f(x, k=tf.constant(2 + i, tf.int32), mode="a")\n' in after
    assert "tf.constant(k, tf.float32)" in written(candidates[1])
    assert "tf.constant(k, tf.int64)" in written(candidates[2])


def nested(*leaves: Leaf) -> Case:
    """A dict, a tuple in it, and a namedtuple."""
    frame = (
        container("", "parameters", "batch", "mode"),
        container("batch", "dict", "'x'", "'pair'"),
        container("batch['pair']", "tuple", "0"),
        container("mode", "Mode", "k"),
    )
    seen = case(*((leaf,) for leaf in leaves), codes=("dtype", "value"))
    events = tuple(
        msgspec.structs.replace(event, signature=msgspec.structs.replace(event.signature, structure=frame))
        for event in seen.events
    )
    return seen._replace(events=events)


@pytest.mark.parametrize(
    ("path", "snippet"),
    [
        ("batch['x']", "batch['x'] = tf.cast(batch['x'], tf.float64)\nf(batch, mode)"),
        ("batch['pair'][0]", "f(batch, mode)  # with tf.cast(batch['pair'][0], tf.float64) for batch['pair'][0]"),
        ("mode.k", "f(batch, mode)  # with tf.cast(mode.k, tf.float64) for mode.k"),
        ("mode", "f(batch, tf.cast(mode, tf.float64))"),
    ],
)
def test_the_cast_is_shown_where_it_belongs(path: str, snippet: str) -> None:
    seen = nested(tensor(path, 2), tensor(path, 2, dtype="float64"), tensor(path, 2))
    assert next(cast.RECIPE.propose(seen)).snippet == snippet


def test_a_number_in_a_dict_is_shown_as_a_tensor() -> None:
    seen = nested(*(python("batch['x']", number) for number in range(3)))
    assert found(tensor_argument.RECIPE, seen)[0].snippet == (
        "batch['x'] = tf.constant(batch['x'], tf.int32)\nf(batch, mode)"
    )


def test_what_is_a_tensor_already_stays_and_what_is_both_is_cast() -> None:
    seen = with_kinds(case(*NUMBERS, codes=("value",)), "k", ("tensor int32",), ("int", "tensor int32"))
    after = written(found(tensor_argument.RECIPE, seen)[0])
    assert 'f(x, k, "a")\n' in after
    assert 'f(x, k=tf.cast(2 + i, tf.int32), mode="a")\n' in after


def test_a_call_that_leaves_the_number_out_declines() -> None:
    source = SOURCE.replace("def f(x, k, mode)", "def f(x, k=1, mode='a')").replace("f(x, k=2 + i, ", "f(x, ")
    candidate = found(tensor_argument.RECIPE, case(*NUMBERS, codes=("value",), source=source))[0]
    with pytest.raises(Declined, match="some calls omit"):
        written(candidate, source)


def test_numbers_and_sizes_are_treated_at_once() -> None:
    """Neither alone would leave fewer traces."""
    candidates = found(tensor_argument.RECIPE, case(*BOTH, codes=("value", "shape")))
    assert candidates[0].recipe == "tensor_argument+reduce_retracing"
    assert candidates[0].predicted_traces == 2
    after = written(candidates[0])
    assert "@tf.function(reduce_retracing=True)" in after
    assert "tf.constant(k, tf.int32)" in after


def test_some_of_several_numbers_may_have_to_stay() -> None:
    calls = [(python("k", number), python("n", number % 2)) for number in range(6)]
    candidates = found(tensor_argument.RECIPE, case(*calls, codes=("value",)))
    assert len(candidates) <= tensor_argument.MOST
    assert candidates[0].predicted_traces == 1
    only = [
        each for each in candidates if "tf.constant(k" in (each.snippet or "") and "(n," not in (each.snippet or "")
    ]
    assert only[0].predicted_traces == 2


def test_a_number_that_does_not_vary_stays() -> None:
    calls = [(python("k", number), python("n", 3)) for number in range(4)]
    for candidate in found(tensor_argument.RECIPE, case(*calls, codes=("value",))):
        assert "(n," not in (candidate.snippet or "")


def flipping(*dtypes: str, codes: tuple[str, ...] = ("dtype",)) -> Case:
    calls = [(tensor("x", 2, dtype=dtype), python("k", 1), python("mode", "a")) for dtype in dtypes]
    return case(*calls, codes=codes)


def test_a_dtype_is_cast_where_another_is_given() -> None:
    seen = with_kinds(flipping("float32", "int32"), "x", ("tensor float32",), ("tensor int32",))
    first = found(cast.RECIPE, seen)[0]
    assert (first.recipe, first.safety, first.predicted_traces) == ("cast", "review", 1)
    after = written(first)
    assert 'f(x, k, "a")\n' in after
    assert 'f(tf.cast(x, tf.float32), k=2 + i, mode="a")\n' in after


def test_the_widest_dtype_comes_first_and_its_price_is_said() -> None:
    candidates = [each for each in found(cast.RECIPE, flipping("float32", "float64", "int32")) if each.recipe == "cast"]
    assert [each.snippet for each in candidates] == [
        "f(tf.cast(x, tf.float64), k, mode)",
        "f(tf.cast(x, tf.float32), k, mode)",
    ]
    assert [in_english(each.notes) for each in candidates] == [
        (
            "x is always float64.",
            "float64 is the widest recorded dtype: results of a narrower dtype also become float64.",
        ),
        ("x is always float32.", "Digits that the dtype cannot represent are lost."),
    ]


@pytest.mark.parametrize("dtypes", [("string", "float32"), ("bool", "float32"), ("float32",)])
def test_there_is_no_cast_between_unlike_dtypes(dtypes: tuple[str, ...]) -> None:
    assert found(cast.RECIPE, flipping(*dtypes)) == []


def test_a_cast_goes_with_a_signature_or_relaxing_where_shapes_vary() -> None:
    calls = [(tensor("x", size, dtype=dtype),) for size in (1, 2, 3) for dtype in ("float32", "int32")]
    recipes = [each.recipe for each in found(cast.RECIPE, case(*calls, codes=("dtype", "shape")))]
    assert recipes[:2] == ["cast", "cast+input_signature"]
    with_mode = [(*call, python("mode", "a")) for call in calls]
    recipes = [each.recipe for each in found(cast.RECIPE, case(*with_mode, codes=("dtype", "shape")))]
    assert recipes[:2] == ["cast", "cast+reduce_retracing"]


def test_a_number_beside_a_tensor_is_made_one() -> None:
    calls = [(tensor("x", 2), leaf, python("mode", "a")) for leaf in (tensor("k"), python("k", 0.5), python("k", 1))]
    seen = with_kinds(case(*calls, codes=("kind",)), "k", ("tensor float32",), ("float", "int"))
    first = found(cast.RECIPE, seen)[0]
    assert first.predicted_traces == 1
    assert 'f(x, k=tf.constant(2 + i, tf.float32), mode="a")\n' in written(first)
