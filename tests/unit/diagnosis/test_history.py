"""Why a trace was needed: the nearest earlier signature, masking, wide traces, new function objects."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.handmade import Events, container, none, python, ragged, signature, tensor, thing, unranked, variable
from traceonce.diagnosis import Explained, History
from traceonce.diagnosis.arguments import compare_arguments
from traceonce.diagnosis.surroundings import compare_contexts
from traceonce.facts import CauseCode, Container, Leaf, Signature, TraceEvent


def explain(*events: TraceEvent) -> list[Explained]:
    """What one history says of each event in turn."""
    history = History()
    return [history.explain(event) for event in events]


def causes_of(item: Explained) -> list[tuple[str, str, str, str]]:
    return [(c.code.value, c.path, c.was, c.now) for c in item.causes]


def last_causes(*events: TraceEvent) -> list[tuple[str, str, str, str]]:
    return causes_of(explain(*events)[-1])


def test_the_first_trace_has_no_cause() -> None:
    (first,) = explain(Events()(tensor("x", 3)))
    assert (first.event.phase, first.event.ordinal, first.causes) == ("first", 1, ())


def test_a_later_trace_has_its_phase_and_number() -> None:
    event = Events()
    items = explain(event(tensor("x", 3)), event(tensor("x", 4)), event(tensor("x", 5)))
    assert [item.event.phase for item in items] == ["first", "retrace", "retrace"]
    assert [item.event.ordinal for item in items] == [1, 2, 3]


DIFFERENCES: list[tuple[Leaf, Leaf, tuple[str, str, str, str]]] = [
    (tensor("x", 3), tensor("x", 4), ("shape", "x.shape[0]", "3", "4")),
    (tensor("x", 3), tensor("x", None), ("shape", "x.shape[0]", "3", "None")),
    (tensor("x", 3), tensor("x", 3, 1), ("rank", "x.shape", "[3]", "[3,1]")),
    (tensor("x", 3), unranked("x"), ("rank", "x.shape", "[3]", "[?]")),
    (tensor("x"), tensor("x", dtype="int32"), ("dtype", "x.dtype", "float32", "int32")),
    (tensor("x"), tensor("x", name="a"), ("spec", "x.name", "unnamed", "a")),
    (python("k", 1), python("k", 2), ("value", "k", "1", "2")),
    (python("k", "a"), python("k", "b"), ("value", "k", "'a'", "'b'")),
    (none("m"), tensor("m"), ("kind", "m", "None", "float32[]")),
    (tensor("m"), python("m", 1), ("kind", "m", "float32[]", "1")),
    (variable("v"), tensor("v"), ("kind", "v", "variable float32[]", "float32[]")),
    (variable("v"), variable("v", identity=1), ("aliasing", "v", "variable 0", "variable 1")),
    (variable("v"), variable("v", trainable=False), ("spec", "v.trainable", "trainable", "not trainable")),
    (thing("c", 1), thing("c", 2), ("identity", "c", "Config object", "Config object")),
    (ragged("r", 2, None), ragged("r", 3, None), ("spec", "r.shape[0]", "2", "3")),
]


@pytest.mark.parametrize(("was", "now", "expected"), DIFFERENCES)
def test_what_differs_is_named(was: Leaf, now: Leaf, expected: tuple[str, str, str, str]) -> None:
    event = Events()
    assert last_causes(event(was), event(now)) == [expected]


def test_a_ragged_tensor_of_another_kind_is_another_specification() -> None:
    event = Events()
    ((code, path, was, now),) = last_causes(event(ragged("r", 2, None)), event(ragged("r", 2, None, rank=2)))
    assert (code, path) == ("spec", "r")
    assert "ragged_rank=1" in was
    assert "ragged_rank=2" in now


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        (container("x", "list", "0"), container("x", "list", "0", "1"), ("structure", "len(x)", "1", "2")),
        (container("x", "list", "0"), container("x", "tuple", "0"), ("structure", "x", "list", "tuple")),
        (container("x", "dict", "'a'"), container("x", "dict", "'b'"), ("structure", "x", "keys 'a'", "keys 'b'")),
        (container("x", "dict"), container("x", "dict", "'b'"), ("structure", "x", "keys none", "keys 'b'")),
        (container("x", "Pair", "p"), container("x", "Box", "p"), ("structure", "x", "Pair", "Box")),
    ],
)
def test_structure_is_named(was: Container, now: Container, expected: tuple[str, str, str, str]) -> None:
    event = Events()
    assert last_causes(event(was), event(now)) == [expected]


def test_a_container_in_the_place_of_a_leaf_and_back() -> None:
    event = Events()
    nested = event(container("x", "list", "0"), tensor("x[0]"))
    assert last_causes(event(none("x")), nested) == [("kind", "x", "None", "a list")]
    assert last_causes(nested, event(none("x"))) == [("kind", "x", "a list", "None")]


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ({}, {"graph": "tf.Graph 1"}, ("context", "graph", "eager", "tf.Graph 1")),
        ({"saving": "saving"}, {}, ("context", "saving", "saving", "not saving")),
        ({"device": "cpu"}, {"device": "gpu"}, ("context", "device", "cpu", "gpu")),
    ],
)
def test_context_is_named(was: dict[str, str], now: dict[str, str], expected: tuple[str, str, str, str]) -> None:
    event = Events()
    assert last_causes(event(signature(tensor("x"), **was)), event(signature(tensor("x"), **now))) == [expected]


def test_the_second_trace_of_a_function_that_makes_variables_is_internal() -> None:
    event = Events()
    made = signature(tensor("x"), scope="after the variables were created")
    first, second, third = explain(
        event(tensor("x")), event(made), event(signature(tensor("x", 3), scope="after the variables were created"))
    )
    assert (first.event.phase, second.event.phase, third.event.phase) == ("first", "internal", "retrace")
    assert [cause.code for cause in second.causes] == [CauseCode.VARIABLE_CREATION]
    assert (first.event.ordinal, second.event.ordinal, third.event.ordinal) == (1, 1, 2)
    assert causes_of(third) == [("rank", "x.shape", "[]", "[3]")]


def test_an_internal_trace_explains_nothing_and_is_no_precedent() -> None:
    event = Events()
    hidden, first, again = explain(
        event(tensor("x", 3), phase="internal"), event(tensor("x", 3)), event(tensor("x", 4))
    )
    assert (hidden.causes, first.causes) == ((), ())
    assert (hidden.event.ordinal, first.event.ordinal) == (0, 1)
    assert causes_of(again) == [("shape", "x.shape[0]", "3", "4")]


def test_a_failed_trace_is_no_precedent() -> None:
    """The framework threw it away; the next try is compared with what was really kept."""
    event = Events()
    items = explain(
        event(tensor("x", 3)), event(tensor("x", 4), phase="failed"), event(tensor("x", 5)), event(tensor("x", 4))
    )
    assert [item.event.phase for item in items] == ["first", "failed", "retrace", "retrace"]
    assert causes_of(items[1]) == [("shape", "x.shape[0]", "3", "4")]
    assert causes_of(items[2]) == [("shape", "x.shape[0]", "3", "5")]
    assert causes_of(items[3]) == [("shape", "x.shape[0]", "5", "4")]


def test_an_object_that_is_gone_was_collected() -> None:
    event = Events()
    items = explain(event(thing("c", 1)), event(thing("c", 2)), event(thing("c", 3), dead=(2,)))
    assert [cause.code for item in items for cause in item.causes] == [CauseCode.IDENTITY, CauseCode.COLLECTED]


def test_a_type_that_never_equals_itself_is_named_with_its_eq() -> None:
    leaf = Leaf("label", "spec", type_name="Label", unequal_by="Label.__eq__ (train.py:3)")
    event = Events()
    (cause,) = explain(event(leaf), event(leaf))[-1].causes
    assert (cause.code, cause.path, cause.note) == (CauseCode.UNEQUAL, "label", "Label.__eq__ (train.py:3)")


def test_a_new_value_cannot_hide_behind_a_new_shape() -> None:
    """Masking: each place that was never seen before is a cause, whatever else differs."""
    event = Events()
    assert last_causes(event(tensor("x", 3), python("k", 0)), event(tensor("x", 4), python("k", 1))) == [
        ("shape", "x.shape[0]", "3", "4"),
        ("value", "k", "0", "1"),
    ]


def test_a_value_seen_before_is_no_cause() -> None:
    event = Events()
    earlier = [event(tensor("x", 3), python("k", 0)), event(tensor("x", 4), python("k", 1))]
    assert last_causes(*earlier, event(tensor("x", 3), python("k", 2))) == [("value", "k", "0", "2")]
    assert last_causes(*earlier, event(tensor("x", 5), python("k", 1))) == [("shape", "x.shape[0]", "4", "5")]


def test_of_equally_near_traces_the_latest_is_compared_with() -> None:
    event = Events()
    earlier = [event(tensor("x", 3)), event(tensor("x", 4)), event(tensor("x", 5))]
    assert last_causes(*earlier, event(tensor("x", 6))) == [("shape", "x.shape[0]", "5", "6")]


def test_the_nearest_has_the_fewest_different_dimensions() -> None:
    """The width of 32 was seen before: it is no cause."""
    event = Events()
    earlier = [event(tensor("x", 32, 10)), event(tensor("x", 16, 20))]
    assert last_causes(*earlier, event(tensor("x", 32, 12))) == [("shape", "x.shape[1]", "10", "12")]


def test_a_trace_in_the_same_surroundings_is_nearer() -> None:
    """That a call is made eagerly, again, is no cause: an eager trace was made before."""
    event = Events()
    earlier = [event(tensor("x", 3)), event(signature(tensor("x", 4), graph="tf.Graph 1"))]
    assert last_causes(*earlier, event(tensor("x", 5))) == [("shape", "x.shape[0]", "3", "5")]


def test_a_trace_in_the_same_surroundings_is_found_behind_many_others() -> None:
    """A dataset, say, called the function in twenty graphs of its own since the eager trace."""
    event = Events()
    graphs = [event(signature(tensor("x", 3), graph=f"tf.Graph {n}")) for n in range(20)]
    assert last_causes(event(tensor("x", 3)), *graphs, event(tensor("x", 5))) == [("shape", "x.shape[0]", "3", "5")]


def test_an_equal_value_of_another_type_is_no_difference() -> None:
    """True was served by the trace for 1: it is no cause when something else is."""
    event = Events()
    earlier = [event(python("k", 1), python("mode", "a")), event(python("k", 2), python("mode", "b"))]
    assert last_causes(*earlier, event(python("k", True), python("mode", "c"))) == [("value", "mode", "'a'", "'c'")]


def test_a_wide_trace_serves_all_that_it_admits() -> None:
    """With reduce_retracing the trace is made for more than was asked for; the next request is compared with that."""
    event = Events(reduce_retracing=True)
    items = explain(
        event(tensor("x", 1), python("k", "a")),
        event(tensor("x", 2), python("k", "a"), traced=signature(tensor("x", None), python("k", "a"))),
        event(tensor("x", 9), python("k", "b")),
    )
    assert causes_of(items[1]) == [("shape", "x.shape[0]", "1", "2")]
    assert causes_of(items[2]) == [("value", "k", "'a'", "'b'")]


def test_a_wide_trace_is_nearer_than_a_later_narrow_one() -> None:
    event = Events()
    items = explain(
        event(unranked("x"), python("k", "a")),
        event(tensor("x", 2), python("k", "b")),
        event(tensor("x", 7), python("k", "c")),
    )
    assert causes_of(items[2]) == [("value", "k", "'a'", "'c'")]


def test_what_was_traced_before_the_watch_is_a_precedent() -> None:
    (item,) = explain(Events()(tensor("x", 4), earlier=(signature(tensor("x", 3)),)))
    assert causes_of(item) == [("shape", "x.shape[0]", "3", "4")]
    assert item.event.phase == "retrace"


def test_a_new_function_with_the_same_graph_is_a_retrace() -> None:
    event = Events()
    items = explain(event(tensor("x"), object=1, fingerprint="f"), event(tensor("x"), object=2, fingerprint="f"))
    assert items[1].event.phase == "retrace"
    assert causes_of(items[1]) == [("new_function", "train_step", "function object 1", "function object 2")]


def test_a_new_function_with_another_graph_is_another_model() -> None:
    event = Events()
    items = explain(event(tensor("x"), object=1, fingerprint="f"), event(tensor("x"), object=2, fingerprint="g"))
    assert (items[1].event.phase, items[1].causes) == ("first", ())


def test_a_new_function_whose_graph_is_not_known_counts_as_the_same() -> None:
    event = Events()
    items = explain(event(tensor("x"), object=1), event(tensor("x"), object=2))
    assert items[1].event.phase == "retrace"


def test_the_method_of_a_new_object_is_a_new_instance() -> None:
    event = Events()
    items = explain(
        event(tensor("x"), object=1, instance=1, fingerprint="f"),
        event(tensor("x"), object=2, instance=2, fingerprint="f"),
    )
    assert [cause.code for cause in items[1].causes] == [CauseCode.NEW_INSTANCE]


def test_a_new_function_does_not_hide_a_shape() -> None:
    event = Events()
    items = explain(event(tensor("x", 2), object=1, fingerprint="f"), event(tensor("x", 3), object=2, fingerprint="f"))
    assert [cause.code for cause in items[1].causes] == [CauseCode.NEW_FUNCTION, CauseCode.SHAPE]


def test_each_function_object_has_its_own_self() -> None:
    """Another `self` for another function object is no cause of its own."""
    event = Events()
    items = explain(
        event(thing("self", 1), tensor("x"), object=1, instance=1, fingerprint="f"),
        event(thing("self", 2), tensor("x"), object=2, instance=2, fingerprint="f"),
    )
    assert [cause.code for cause in items[1].causes] == [CauseCode.NEW_INSTANCE]


def test_a_function_object_is_compared_with_its_own_traces() -> None:
    event = Events()
    items = explain(
        event(tensor("x", 3), object=1, fingerprint="f"),
        event(tensor("x", 4), object=2, fingerprint="g"),
        event(tensor("x", 5), object=1, fingerprint="f"),
    )
    assert causes_of(items[2]) == [("shape", "x.shape[0]", "3", "5")]


@pytest.mark.parametrize("raw_reason", [None, "", "the cache was cleared"])
def test_an_unknown_cause_is_never_empty(raw_reason: str | None) -> None:
    event = Events()
    items = explain(event(tensor("x", 3)), event(tensor("x", 3), raw_reason=raw_reason))
    (cause,) = items[1].causes
    assert (cause.code, cause.path) == (CauseCode.UNKNOWN, "train_step")
    assert cause.now == raw_reason if raw_reason else len(cause.now) > 20
    assert items[1].event.phase == "retrace"


def test_a_reason_in_the_words_of_the_framework_is_reported() -> None:
    """It was neither measured here nor inferred."""
    event = Events()
    items = explain(event(tensor("x", 3)), event(tensor("x", 3), raw_reason="the cache was cleared"))
    assert [(cause.now, cause.evidence) for cause in items[1].causes] == [("the cache was cleared", "reported")]


def test_what_follows_from_the_outcome_alone_is_inferred() -> None:
    """A backend that saw what was traced, and not what was asked for, says so in `raw_reason`."""
    event = Events()
    items = explain(event(tensor("x", 3)), event(tensor("x", 4), raw_reason="seen through a callback"))
    assert [(cause.path, cause.evidence) for cause in items[1].causes] == [("x.shape[0]", "inferred")]
    event = Events()
    items = explain(event(tensor("x", 3)), event(tensor("x", 4)))
    assert [(cause.path, cause.evidence) for cause in items[1].causes] == [("x.shape[0]", "measured")]


FIRST: list[tuple[Leaf | Container, ...]] = [
    (tensor("x", 1, 2),), (tensor("x", 1, 3),), (tensor("x", 4, 2),), (tensor("x", 5, 6),), (tensor("x", None, 3),),
    (tensor("x", 1),), (unranked("x"),), (tensor("x", 1, 2, dtype="int32"),), (none("x"),), (python("x", 2),),
    (python("x", 1),), (python("x", True),),
    (container("x", "list", "0"), tensor("x[0]", 1)), (container("x", "list", "0"), tensor("x[0]", 2)),
    (container("x", "tuple", "0"), tensor("x[0]", 1)),
    (container("x", "list", "0", "1"), tensor("x[0]", 1), tensor("x[1]", 1)),
]  # fmt: skip
SECOND = [python("k", value) for value in (0, 1, True, "a")]
CONTEXTS: list[dict[str, str]] = [{}, {}, {"graph": "tf.Graph 1"}]


def draw_request(random: Random) -> Signature:
    return signature(*random.choice(FIRST), random.choice(SECOND), **random.choice(CONTEXTS))


def differences(was: Signature, now: Signature) -> int:
    return len({*compare_contexts(was, now), *compare_arguments(was, now)})


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(st.randoms(use_true_random=True))
def test_what_is_not_admitted_has_a_cause_and_what_is_has_none(random: Random) -> None:
    was, now = draw_request(random), draw_request(random)
    assert was.admits(now) == (differences(was, now) == 0)


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(st.randoms(use_true_random=True))
def test_the_causes_are_as_few_as_an_earlier_trace_allows(random: Random) -> None:
    """The nearest is found through an index; here every earlier signature is looked at."""
    event = Events()
    history = History()
    kept: list[Signature] = []
    for request in [draw_request(random) for _ in range(6)]:
        if any(earlier.admits(request) for earlier in kept):
            continue  # served from the cache: there is no trace to explain
        item = history.explain(event(request))
        assert len(item.causes) == min((differences(earlier, request) for earlier in kept), default=0)
        kept.append(request)
