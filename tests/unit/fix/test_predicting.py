"""Signatures are replayed: which would have been traced, had the function been another?"""

from __future__ import annotations

import msgspec

from tests.unit.handmade import Events, python, signature, tensor, thing
from traceonce.facts import Leaf
from traceonce.fix.signatures.prediction import by_contents, by_name, cast, each_leaf, in_turn, lift, predict_traces


def test_a_kept_signature_serves_what_it_admits() -> None:
    event = Events()
    events = [event(tensor("x", None)), event(tensor("x", 3)), event(tensor("x", 2, 2))]
    assert predict_traces(events) == 2


def test_what_raised_and_what_the_framework_did_is_not_counted_or_kept() -> None:
    event = Events()
    failed = event(tensor("x", 1), phase="failed")
    internal = event(tensor("x", 2), phase="internal")
    assert predict_traces([failed, internal, event(tensor("x", 1)), event(tensor("x", 2))]) == 2


def test_compilations_are_no_traces() -> None:
    event = Events()
    assert predict_traces([event(tensor("x", 1)), event(tensor("x", 2), kind="compile")]) == 1


def test_objects_and_processes_have_caches_of_their_own() -> None:
    event = Events()
    events = [event(tensor("x"), object=number, process=name) for number in (1, 2) for name in "ab"]
    assert predict_traces(events) == 4
    assert predict_traces(events, one_object=True) == 2


def test_what_was_traced_before_serves_and_is_not_counted() -> None:
    event = Events(earlier=(signature(tensor("x", None)),))
    assert predict_traces([event(tensor("x", 1)), event(tensor("x", 2))]) == 0


def test_the_scope_of_variable_creation_makes_no_difference_but_another_graph_does() -> None:
    event = Events()
    after = signature(tensor("x"), scope="after the variables were created")
    assert predict_traces([event(tensor("x")), event(after)]) == 1
    assert predict_traces([event(tensor("x")), event(signature(tensor("x"), graph="tf.Graph 1"))]) == 2


def test_relaxing_passes_over_what_cannot_be_joined() -> None:
    event = Events()
    sizes = [event(tensor("x", size), python("k", size % 2)) for size in range(6)]
    assert predict_traces(sizes) == 6
    assert predict_traces(sizes, relax=True) == 4  # [0], [1], then one open one for each k


def test_a_function_that_relaxes_is_replayed_with_relaxing() -> None:
    event = Events(reduce_retracing=True)
    assert predict_traces([event(tensor("x", size)) for size in range(5)]) == 2


def test_lifting_turns_numbers_into_scalar_tensors() -> None:
    change = lift({"k": "int32"})
    assert change(signature(python("k", 3), python("j", 3))) == signature(tensor("k", dtype="int32"), python("j", 3))
    for untouched in (python("k", True), python("k", "a"), tensor("k", 2)):
        assert change(signature(untouched)) == signature(untouched)


def test_casting_covers_tensors_and_numbers() -> None:
    change = cast({"k": "float32"})
    assert change(signature(tensor("k", 2, dtype="int32"))) == signature(tensor("k", 2))
    assert change(signature(python("k", 1.5))) == signature(tensor("k"))


def test_objects_compared_by_contents() -> None:
    one, other = (msgspec.structs.replace(thing("c", number), contents="depth=3") for number in (1, 2))
    different = msgspec.structs.replace(thing("c", 3), contents="depth=4")
    unknown = thing("c", 4)
    event = Events()
    events = [event(leaf) for leaf in (one, other, different, unknown)]
    assert predict_traces(events) == 4
    assert predict_traces(events, by_contents(frozenset({"c"}))) == 3
    assert predict_traces(events, by_contents(frozenset({"d"}))) == 4


def test_callables_compared_by_name() -> None:
    event = Events()
    callables = [msgspec.structs.replace(thing("f", number, "method"), value="Model.loss") for number in (1, 2)]
    plain = [thing("f", number) for number in (3, 4)]
    events = [event(leaf) for leaf in (*callables, *plain)]
    assert predict_traces(events, by_name(frozenset({"f"}))) == 3


def test_changes_in_turn() -> None:
    def renamed(leaf: Leaf) -> Leaf:
        return msgspec.structs.replace(leaf, path="j")

    change = in_turn(each_leaf(renamed), lift({"j": "int64"}))
    assert change(signature(python("k", 1))) == signature(tensor("j", dtype="int64"))
