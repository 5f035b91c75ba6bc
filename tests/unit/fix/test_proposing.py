"""All candidates of a function: their order, and what is left out."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.fix.written_case import FILE, case_for
from tests.unit.handmade import python, tensor, thing
from traceonce.facts import CallSite, CauseCode, Leaf, Verdict
from traceonce.fix import proposals
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case
from traceonce.fix.kit import Kit, kit_of
from traceonce.fix.proposals import best, consider, propose
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.words.notes import say_reasons

SOURCE = "import tensorflow as tf\n\n\n@tf.function\ndef f(x, k):\n    return x\n\n\nf(1, 2)\n"


def case(
    *calls: tuple[Leaf, ...], codes: tuple[str, ...], verdict: Verdict = Verdict.RETRACING, objects: bool = False
) -> Case:
    """Every call is of an object of its own if `objects`."""
    seen = case_for(SOURCE, "f", *((code, "k") for code in codes), leaves=calls)
    diagnosis = msgspec.structs.replace(seen.diagnosis, verdict=verdict)
    events = tuple(
        msgspec.structs.replace(event, object=number if objects else 0) for number, event in enumerate(seen.events)
    )
    return seen._replace(diagnosis=diagnosis, events=events)


NUMBERS = [(tensor("x", 2), python("k", number)) for number in range(6)]
MODES = [(tensor("x", size), python("k", "a")) for size in range(1, 7)]


def recipes(seen: Case) -> list[str]:
    return [each.recipe for each in propose(seen) if each.change is not None]


ALL = [
    pytest.param(recipe, id=f"{framework.name}.{recipe.name}")
    for framework in known_frameworks()
    for kit in [kit_of(framework.name)]
    for recipe in (*kit.recipes, *kit.along, *kit.advice)
]


@pytest.mark.parametrize("recipe", ALL)
def test_every_recipe_has_its_texts(recipe: Recipe) -> None:
    assert recipe.name.isidentifier()
    assert recipe.title
    assert recipe.what.endswith(".")
    assert recipe.beware.endswith(".")


@pytest.mark.parametrize("verdict", [Verdict.OK, Verdict.BOUNDED])
def test_what_is_bounded_is_left_alone(verdict: Verdict) -> None:
    assert [each.recipe for each in propose(case(*NUMBERS, codes=("value",), verdict=verdict))] == ["leave_it"]


def test_a_function_of_a_library_is_not_changed() -> None:
    seen = case(*NUMBERS, codes=("value",))
    function = msgspec.structs.replace(seen.diagnosis.function, library=True)
    of_library = seen._replace(diagnosis=msgspec.structs.replace(seen.diagnosis, function=function), makings=())
    assert all(each.change is None for each in propose(of_library))


def test_a_signature_comes_before_changes_of_the_calls() -> None:
    found = recipes(case(*NUMBERS, codes=("value",)))
    assert found.index("input_signature") < found.index("tensor_argument")


def test_relaxing_comes_after_a_signature_and_alone_where_there_is_none() -> None:
    sizes = [(tensor("x", size), tensor("k")) for size in range(1, 7)]
    found = recipes(case(*sizes, codes=("shape",)))
    assert found.index("input_signature") < found.index("reduce_retracing")
    seen = case(*MODES, codes=("shape",))
    assert set(recipes(seen)) == {"reduce_retracing", "reduce_retracing+dynamic_shape"}
    assert "k is a Python str" in say_reasons(consider(seen).declined["input_signature"], "en")


def test_what_leaves_as_many_traces_is_dropped() -> None:
    """Relaxing the shapes does not help where every call has another number."""
    calls = [(tensor("x", number), python("k", number)) for number in range(1, 7)]
    seen = case(*calls, codes=("value", "shape"))
    found = propose(seen)
    assert "reduce_retracing" not in [each.recipe for each in found]
    changes = [each for each in found if each.change is not None]
    assert changes
    assert all((each.predicted_traces or 0) < predict_traces(seen.events) for each in changes)


def test_causes_that_hide_each_other_are_treated_together() -> None:
    """Made again for each call with another number: neither repair alone leaves fewer traces."""
    seen = case(*NUMBERS, codes=("new_function", "value"), objects=True)
    found = propose(seen)
    found = [each for each in found if each.predicted_traces is not None]
    names = [each.recipe for each in found if each.change is not None]
    assert "hoist" not in names
    assert "input_signature" not in names
    assert names[0] == "hoist+input_signature"
    assert {each.predicted_traces for each in found if each.recipe.startswith("hoist+")} == {1}
    assert {code.value for code in found[0].causes} == {"new_function", "value"}


@pytest.mark.parametrize(
    ("name", "fields"),
    [("stable_home", {"type_name": "method", "value": "Model.loss"}), ("tracing_type", {"contents": "depth=3"})],
)
def test_a_kept_object_goes_with_what_the_arguments_need(name: str, fields: dict[str, str]) -> None:
    calls = [(msgspec.structs.replace(thing("x", number), **fields), python("k", number)) for number in range(6)]
    seen = case_for(SOURCE, "f", ("identity", "x"), ("value", "k"), leaves=calls)
    diagnosis = msgspec.structs.replace(seen.diagnosis, verdict=Verdict.RETRACING)
    found = propose(seen._replace(diagnosis=diagnosis))
    assert name not in [each.recipe for each in found]
    together = [each for each in found if each.recipe.startswith(f"{name}+")]
    assert {each.predicted_traces for each in together} == {1}


def test_no_recipe_waits_for_the_last_resort_of_another() -> None:
    names = [f"k{number}" for number in range(4)]
    calls = [(tensor("x", value), *(python(name, value) for name in names)) for value in range(1, 7)]
    found = recipes(case(*calls, codes=("value", "shape")))
    assert "tensor_argument+reduce_retracing" in found[:8]


def test_what_there_is_now_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def counting(events: object, *changes: object, **options: object) -> int:
        counted.append(changes or options)
        return predict_traces(events, *changes, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(proposals, "predict_traces", counting)
    assert len(propose(case(*NUMBERS, codes=("value",)))) > 2
    assert counted == [{}]


def test_a_kept_function_without_a_prediction_promises_nothing_with_others_either() -> None:
    lambdas = [
        (Leaf("x", "object", type_name="function", value="<lambda>", identity=number), python("k", number))
        for number in range(6)
    ]
    seen = case_for(SOURCE, "f", ("identity", "x"), ("value", "k"), leaves=lambdas)
    diagnosis = msgspec.structs.replace(seen.diagnosis, verdict=Verdict.RETRACING)
    events = tuple(
        msgspec.structs.replace(event, call_site=CallSite("program.py", 1 + number % 2))
        for number, event in enumerate(seen.events)
    )
    found = propose(seen._replace(diagnosis=diagnosis, events=events))
    together = [each for each in found if each.recipe.startswith("stable_home+")]
    assert together
    assert {each.predicted_traces for each in together} == {None}


def test_advice_comes_last() -> None:
    found = propose(case(*MODES, codes=("shape",)))
    changes = [each.change is not None for each in found]
    assert changes == sorted(changes, reverse=True)


def test_the_best_is_the_first_that_leaves_the_fewest() -> None:
    seen = case(*NUMBERS, codes=("value",))
    chosen = best(seen)
    assert chosen is not None
    assert chosen.recipe == "input_signature"
    assert chosen.predicted_traces == 1
    assert (best(case(*NUMBERS, codes=("value",), verdict=Verdict.BOUNDED)) or chosen).recipe == "leave_it"


TWICE = """\
import tensorflow as tf


def f(x, k):
    return x


plain = tf.function(f)
fused = tf.function(f, jit_compile=True)
plain(1, 2)
fused(1, 2)
"""


def test_a_function_that_is_wrapped_at_several_places_is_changed_at_each() -> None:
    sizes = [(tensor("x", size), python("k", "a")) for size in range(1, 7)]
    seen = case_for(TWICE, "f", ("shape", "x.shape[0]"), leaves=sizes)
    assert len(seen.makings) == 2
    edits = Edits({FILE: TWICE.encode()})
    relaxing = next(each for each in propose(seen) if each.recipe == "reduce_retracing")
    assert relaxing.change is not None
    relaxing.change(edits)
    changed = edits.results()[FILE].decode()
    assert "plain = tf.function(f, reduce_retracing=True)" in changed
    assert "fused = tf.function(f, jit_compile=True, reduce_retracing=True)" in changed


def test_of_advice_what_leaves_the_fewest_traces_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """What treats no cause, and a report that somebody else would have to act on, come last."""
    value = (CauseCode.VALUE,)
    offers = [
        Candidate("for_others", "advice", value, None, None, "## a library: it is traced again"),
        Candidate("no_cause", "advice", (), None, 0),
        Candidate("unknown", "advice", value),
        Candidate("three", "advice", value, None, 3),
        Candidate("two", "advice", value, None, 2),
    ]
    recipe = Recipe("any", "", "", "", "", lambda _: iter(offers))
    monkeypatch.setattr(proposals, "kit_of", lambda _: Kit(advice=(recipe,)))
    told = [each.recipe for each in propose(case(*NUMBERS, codes=("value",)))]
    assert told == ["two", "three", "unknown", "no_cause", "for_others"]


def test_advice_is_never_better_than_a_change() -> None:
    """Without tf.function there is no trace at all, but that is for the author to decide."""
    chosen = best(case(*MODES, codes=("shape",)))
    assert chosen is not None
    assert chosen.recipe == "reduce_retracing"


def test_what_a_library_wrote_and_the_program_wraps_is_changed_where_it_is_wrapped() -> None:
    """``tf.function(model.predict)``: the signature is written there. Without such a place, only calls are changed."""
    calls = [(tensor("x", size), tensor("k")) for size in range(1, 7)]
    seen = case(*calls, codes=("shape",))
    function = msgspec.structs.replace(seen.diagnosis.function, library=True)
    of_library = seen._replace(diagnosis=msgspec.structs.replace(seen.diagnosis, function=function))
    assert seen.makings
    assert recipes(of_library)[:2] == ["input_signature", "input_signature+dynamic_shape"]
    assert recipes(of_library._replace(makings=())) == []
