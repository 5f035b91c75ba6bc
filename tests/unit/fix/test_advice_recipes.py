"""Advice: when it is given, the code it shows, the traces it promises; and when it must hold its tongue."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.handmade import Events, container, none, python, record, sparse, tensor, thing
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts import CallSite, Container, FunctionId, Leaf, Recording, TraceEvent, Verdict
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes import leave_it, library_report
from traceonce.fix.suggestions import describe_candidate, make_case
from traceonce.frameworks.jax.recipes import array_argument
from traceonce.frameworks.tensorflow.recipes import (
    drop_remainder,
    pad_or_bucket,
    remove_function,
    reuse_instance,
    split_static_argument,
    uniform_structure,
)
from traceonce.words.notes import english_note, in_english

RECIPES: list[Recipe] = [
    module.RECIPE
    for module in (
        drop_remainder,
        leave_it,
        library_report,
        pad_or_bucket,
        remove_function,
        reuse_instance,
        split_static_argument,
        uniform_structure,
    )
]
SITE = CallSite("train.py", 47)
LIBRARY = FunctionId("Model.call", "/venv/lib/python3.11/site-packages/keras/model.py", 80, library=True)
THROUGH = CallSite("/home/someone/train.py", 60, "/venv/lib/python3.11/site-packages/keras/trainer.py:120")
VERSIONS = {"python": "3.11.7", "tensorflow": "2.21.0"}


def parameters(*names: str) -> Container:
    return container("", "parameters", *names)


def case_of(recording: Recording) -> Case:
    ((diagnosis, events),) = diagnose_with_events(recording)
    return make_case(diagnosis, events, VERSIONS)


def case(*signatures: list[Leaf | Container], calls: int | None = None, **fields: Any) -> Case:
    """One call per signature, unless `calls` says otherwise."""
    event = Events(call_site=fields.pop("call_site", SITE), exclusive_seconds=0.02, **fields)
    events = [event(*parts, call=number + 1) for number, parts in enumerate(signatures)]
    return case_of(record(*events, calls=calls or len(events)))


def proposed(recipe: Recipe, of: Case) -> list[Candidate]:
    return list(recipe.propose(of))


def only(recipe: Recipe, of: Case) -> Candidate:
    (candidate,) = proposed(recipe, of)
    assert (candidate.recipe, candidate.safety, candidate.change) == (recipe.name, "advice", None)
    assert candidate.notes
    return candidate


def lengths(*sizes: int, **fields: Any) -> Case:
    return case(*([tensor("x", 2, size), parameters("x")] for size in sizes), **fields)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
@pytest.mark.parametrize(
    "fine",
    [
        lengths(3, 4, calls=1000),
        lengths(3, calls=9),
        case([python("training", True)], [python("training", False)], calls=5000, jit_compile=True),
        lengths(3, 4, calls=1000, function=LIBRARY),
    ],
    ids=["bounded", "traced once", "a flag of a compiled function", "in a library"],
)
def test_nothing_is_recommended_where_nothing_needs_to_be_done(recipe: Recipe, fine: Case) -> None:
    assert fine.diagnosis.verdict in (Verdict.BOUNDED, Verdict.OK)
    found = proposed(recipe, fine)
    assert [candidate.snippet for candidate in found] == ([None] if recipe.name == "leave_it" else [])


def test_what_can_be_left_is_said_with_its_counts_and_its_cost() -> None:
    candidate = only(leave_it.RECIPE, lengths(3, 4, calls=1000))
    assert in_english(candidate.notes) == (
        "You can ignore this: the function was traced 2 times in 1,000 calls.",
        "Its retraces cost 20 ms.",
    )
    assert candidate.predicted_traces == 2


def test_leave_it_is_not_said_of_what_needs_repair() -> None:
    assert proposed(leave_it.RECIPE, lengths(3, 4, 5, 6, 7, 8)) == []


# Padding


def test_a_growing_sequence_is_padded_to_powers_of_two() -> None:
    candidate = only(pad_or_bucket.RECIPE, lengths(*range(2, 18)))
    assert candidate.predicted_traces == 5  # 2, 4, 8, 16, 32
    assert (candidate.snippet or "").endswith("\ntrain_step(padded(x, axis=1))")
    assert "x.shape[1] would be 2, 4, 8, 16, 32 instead of 2, 3, 4, 5, …, 17" in (english_note(candidate.notes) or "")
    assert "mask" in (english_note(candidate.notes) or "")


def test_shapes_that_merely_vary_are_padded_too() -> None:
    """The body may have to know the size: then no signature helps."""
    candidate = only(pad_or_bucket.RECIPE, lengths(12, 9, 15, 20, 7))
    assert candidate.predicted_traces == 3
    assert (candidate.snippet or "").endswith("\ntrain_step(padded(x, axis=1))")
    assert "compilation" not in (english_note(candidate.notes) or "")
    candidate = only(pad_or_bucket.RECIPE, lengths(12, 9, 15, 20, 7, jit_compile=True))
    assert candidate.predicted_traces == 3
    assert "3 compilations instead of 5" in (english_note(candidate.notes) or "")


def test_compilations_are_counted_where_they_were_watched() -> None:
    traced = Events()(tensor("x", None), parameters("x"), call=1, jit_compile=True, signed=True)
    event = Events(kind="compile", jit_compile=True, start=2000.0, graph="g")
    compiled = [event(tensor("x", n), phase="retrace" if n > 3 else "first", seconds=1.0) for n in (3, 5, 6, 7, 8, 9)]
    of = case_of(record(traced, *compiled, calls=6))
    assert of.diagnosis.verdict is Verdict.RECOMPILING
    candidate = only(pad_or_bucket.RECIPE, of)
    assert candidate.predicted_traces == 1
    assert "3 compilations instead of 6" in (english_note(candidate.notes) or "")


def test_padding_that_saves_nothing_is_no_advice() -> None:
    assert proposed(pad_or_bucket.RECIPE, lengths(1, 2, 4, 8, 16, jit_compile=True)) == []


def test_what_lies_deeper_is_padded_before_the_call_and_text_with_empty_text() -> None:
    of = case(
        *(
            [tensor("batch['words']", n, dtype="string"), container("batch", "dict", "'words'"), parameters("batch")]
            for n in range(5, 11)
        )
    )
    snippet = only(pad_or_bucket.RECIPE, of).snippet or ""
    assert snippet.endswith("\nbatch['words'] = padded(batch['words'], axis=0)\ntrain_step(batch)")
    assert 'constant_values=""' in snippet


# The last batch


def batches(**fields: Any) -> Case:
    scales = [python("scale", float(n)) for n in range(6)]
    return case(*([tensor("x", 4 if n != 2 else 3), scale] for n, scale in enumerate(scales)), **fields)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_partial_batch_is_dropped(compiled: bool) -> None:
    candidate = only(drop_remainder.RECIPE, batches(jit_compile=compiled))
    assert candidate.snippet == "dataset = dataset.batch(4, drop_remainder=True)"
    assert english_note(candidate.notes) == "Every pass over the data drops the last 3 examples."
    assert candidate.predicted_traces == 5


def test_partial_batches_of_several_data_sets() -> None:
    shards = [[tensor("x", size, 3), parameters("x")] for size in (9, 10, 4, 7, 1, 8, 3, 6)]
    candidate = only(drop_remainder.RECIPE, case(*shards, calls=13))
    assert candidate.snippet == "dataset = dataset.batch(10, drop_remainder=True)"
    assert candidate.predicted_traces == 1
    assert (
        english_note(candidate.notes)
        == "If these are batches, those with fewer than 10 examples (9, 4, 7, 1, …, 6) are dropped."
    )


@pytest.mark.parametrize(
    ("shapes", "calls"),
    [
        ([(n, 3) for n in (9, 10, 4, 7, 1, 8)], 6),
        ([(n, n) for n in (9, 10, 4, 7, 1, 8)], 8),
        ([(3, n) for n in (9, 10, 4, 7, 1, 8)], 8),
    ],
    ids=["no size came again", "the examples vary, too", "not the first dimension"],
)
def test_what_is_no_partial_batch(shapes: list[tuple[int, int]], calls: int) -> None:
    seen = case(*([tensor("x", *shape), parameters("x")] for shape in shapes), calls=calls)
    assert seen.diagnosis.verdict is Verdict.RETRACING
    assert proposed(drop_remainder.RECIPE, seen) == []


# Structure


def keyed(*keys: str, scale: float) -> list[Leaf | Container]:
    leaves = [tensor(f"batch[{key}]", 4, dtype="int32") for key in keys]
    return [*leaves, python("scale", scale), container("batch", "dict", *keys), parameters("batch", "scale")]


def test_keys_that_are_missing_get_something_that_means_nothing() -> None:
    of = case(*(keyed(*(("'x'", "'y'") if n % 2 else ("'x'",)), scale=n // 2) for n in range(8)))
    candidate = only(uniform_structure.RECIPE, of)
    assert candidate.snippet == "batch = {'y': tf.zeros([4], tf.int32), **batch}\ntrain_step(batch, scale)"
    assert candidate.predicted_traces == 4


def listed(count: int, type_name: str = "list", scale: float = 1.0) -> list[Leaf | Container]:
    leaves = [tensor(f"xs[{n}]", 8) for n in range(count)]
    nest = container("xs", type_name, *map(str, range(count)))
    return [*leaves, python("scale", scale), nest, parameters("xs", "scale")]


def test_a_list_of_any_length_becomes_one_tensor() -> None:
    candidate = only(uniform_structure.RECIPE, case(*(listed(n) for n in range(2, 8))))
    assert (candidate.snippet or "").splitlines()[-1] == "train_step(tf.stack(xs), scale)"
    assert candidate.predicted_traces == 2


def test_a_list_and_a_tuple_become_the_one_that_came_first() -> None:
    of = case(*(listed(3, "list" if n % 2 else "tuple", scale=float(n // 2)) for n in range(8)))
    candidate = only(uniform_structure.RECIPE, of)
    assert candidate.snippet == "train_step(tuple(xs), scale)"
    assert candidate.predicted_traces == 4


def test_things_that_do_not_fit_into_one_tensor_are_left_to_their_author() -> None:
    mixed = [
        [*(tensor(f"xs[{i}]", i + 1) for i in range(n)), container("xs", "list", *map(str, range(n)))]
        for n in range(2, 8)
    ]
    assert proposed(uniform_structure.RECIPE, case(*mixed)) == []


# Objects


def instances(count: int, note: str | None = None) -> Case:
    event = Events(FunctionId("make.<locals>.BigModel.score", "model.py", 5), call_site=SITE)
    events = [
        event(
            tensor("x", 3), parameters("x"), object=n, instance=n, call=n + 1, fingerprint="same",
            reads={note: str(n)} if note else {},
        )
        for n in range(count)
    ]  # fmt: skip
    return case_of(record(*events, calls=count))


def test_an_object_is_made_once() -> None:
    candidate = only(reuse_instance.RECIPE, instances(6))
    assert candidate.snippet == (
        "big_model = BigModel(…)  # once, before the loop or the function around train.py:47\nbig_model.score(x)"
    )
    assert candidate.predicted_traces == 1


def test_objects_that_differ_promise_nothing() -> None:
    candidate = only(reuse_instance.RECIPE, instances(6, note="self.rate"))
    assert (candidate.snippet or "").endswith("\nbig_model.score(x, rate)")
    assert candidate.predicted_traces is None
    assert "self.rate" in (english_note(candidate.notes) or "")


def test_without_tf_function_only_where_nearly_every_call_is_a_trace() -> None:
    objects = [[tensor("x", 3), thing("config", n), parameters("x", "config")] for n in range(10)]
    candidate = only(remove_function.RECIPE, case(*objects))
    assert candidate.predicted_traces == 0
    assert candidate.snippet == "def train_step(x, config):  # train.py:22, without @tf.function"
    assert candidate.causes == ()
    assert "10 of 10 calls were traced" in (english_note(candidate.notes) or "")
    assert proposed(remove_function.RECIPE, case(*objects, calls=20)) == []
    assert proposed(remove_function.RECIPE, case(*objects, jit_compile=True)) == []


# Static arguments


def modes(*names: str, sizes: tuple[int, ...] = (3,)) -> Case:
    return case(*([tensor("x", n), python("mode", name), parameters("x", "mode")] for n in sizes for name in names))


def test_a_string_that_chooses_becomes_a_switch() -> None:
    candidate = only(split_static_argument.RECIPE, modes("a", "b", "c", "d", "e", "f"))
    assert candidate.predicted_traces == 1
    assert (candidate.snippet or "").startswith("MODES = ['a', 'b', 'c', 'd', 'e', 'f']\n\n@tf.function\n")
    assert (candidate.snippet or "").endswith("\ntrain_step_any(x, tf.constant(MODES.index(mode)))")


def test_where_shapes_vary_too_there_is_a_function_per_value_with_a_signature() -> None:
    table, switch = proposed(split_static_argument.RECIPE, modes("a", "b", sizes=(3, 4, 5, 6)))
    assert (table.predicted_traces, switch.predicted_traces) == (2, 2)
    assert "input_signature=[tf.TensorSpec([None], tf.float32)]" in (table.snippet or "")
    assert (table.snippet or "").endswith("\ntrain_step_by_mode[mode](x)")
    assert "@tf.function(reduce_retracing=True)" in (switch.snippet or "")


def test_none_and_a_tensor_are_two_functions() -> None:
    signatures = [
        [tensor("x", n), mask, parameters("x", "mask")]
        for n in range(2, 8)
        for mask in (none("mask"), tensor("mask", n))
    ]
    candidate = only(split_static_argument.RECIPE, case(*signatures))
    assert candidate.predicted_traces == 2
    assert (candidate.snippet or "").endswith(
        "\ntrain_step_without_mask(x) if mask is None else train_step_with_mask(x, mask)"
    )


@pytest.mark.parametrize(
    "of",
    [modes(*map(str, range(40))), case(*([python("rate", n / 10)] for n in range(8)))],
    ids=["more values than a switch should have", "a float is data"],
)
def test_values_that_are_data_are_not_split(of: Case) -> None:
    assert proposed(split_static_argument.RECIPE, of) == []


# Libraries


def in_library(*signatures: list[Leaf | Container], **fields: Any) -> list[Candidate]:
    found = proposed(library_report.RECIPE, case(*signatures, function=LIBRARY, call_site=THROUGH, **fields))
    assert all((candidate.safety, candidate.change) == ("advice", None) for candidate in found)
    return found


def test_the_caller_of_a_library_pads() -> None:
    remedy, _ = in_library(*([tensor("x", n)] for n in (9, 10, 11, 12, 13, 17)))
    assert remedy.predicted_traces == 2
    last = (remedy.snippet or "").splitlines()[-1]
    assert last.startswith("# /home/someone/train.py:60 (keras/trainer.py:120): pad before the call what keras gets")


def test_the_caller_of_a_library_passes_a_tensor() -> None:
    remedy, _ = in_library(*([tensor("x", 3), python("step", n)] for n in range(6)))
    assert remedy.predicted_traces == 1
    assert "tf.constant(step, tf.int32)" in (remedy.snippet or "")


EQUINOX = "/venv/lib/python3.11/site-packages/equinox/_jit.py"


@pytest.mark.parametrize(
    "function", [FunctionId("apply", "train.py", 35), FunctionId("_call", EQUINOX, 9, library=True)]
)
def test_a_static_value_is_the_callers_and_not_the_librarys(function: FunctionId) -> None:
    steps: list[list[Leaf | Container]] = [
        [tensor("x", 3), Leaf("step", "python", value=str(n), type_name="int", static=True)] for n in range(6)
    ]
    site = CallSite("train.py", 42, f"{EQUINOX}:263")
    of = case(*steps, function=function, call_site=site, backend="jax")
    advice = only(library_report.RECIPE, of)
    assert advice.snippet == "jnp.asarray(step)  # for step, in the call at train.py:42 (equinox/_jit.py:263)"
    assert english_note(advice.notes) == (
        "A value that is not an array is compiled in: pass jnp.asarray(step), unless a shape, an if or a range "
        "needs the value."
    )
    assert advice.predicted_traces == 1
    tried = [each.is_same_change(advice) for each in array_argument.RECIPE.propose(of)]
    assert tried == ([] if function.library else [True]), "run where the function is the user's own"


def test_a_static_argument_of_a_library_stays_static() -> None:
    linspace = FunctionId("linspace", "/venv/lib/python3.11/site-packages/jax/_src/numpy/lax_numpy.py", 9, library=True)
    steps: list[list[Leaf | Container]] = [
        [Leaf("num", "python", value=str(n), type_name="int", static=True)] for n in range(6)
    ]
    advice = only(library_report.RECIPE, case(*steps, function=linspace, backend="jax"))
    assert advice.snippet == "# train.py:47: give the same num at each call, or one of a few"


def test_the_caller_of_a_library_keeps_the_object() -> None:
    event = Events(LIBRARY, call_site=THROUGH)
    events = [event(tensor("x", 3), object=n, call=n + 1, fingerprint="same") for n in range(6)]
    remedy, report = proposed(library_report.RECIPE, case_of(record(*events, calls=6)))
    assert remedy.predicted_traces == 1
    assert "build and compile the model once" in (remedy.snippet or "")
    assert report.predicted_traces is None


REPORT = """\
## keras: `Model.call` retraces repeatedly

`Model.call` (`keras/model.py:80`) was traced 6 times in 6 calls: it keeps retracing as it is called.

Cause:
- `x.shape[0]` (spec), 5 times: 2, 3, 4, 5, 6, 7

Cost: 100 ms lost (0% of the run), 12.0 MiB of memory kept.
Versions: python 3.11.7, tensorflow 2.21.0.

To reproduce:
- `train.py:60` through `keras/trainer.py:120`, 6 traces

Measured with traceonce (`traceonce run --format json` has every trace)."""


def test_the_report_for_the_maintainers_has_no_path_of_this_machine() -> None:
    (report,) = in_library(*([sparse("x", n, 3)] for n in range(2, 8)), bytes=2 * 2**20)
    assert report.snippet == REPORT
    described = describe_candidate(report)
    assert described.is_report
    assert report.is_last_resort


def test_the_report_carries_the_version_of_the_library() -> None:
    of = case(*([sparse("x", n, 3)] for n in range(2, 8)), function=LIBRARY, call_site=THROUGH)
    of = of._replace(environment={**of.environment, "keras": "3.15.1"})
    assert (only(library_report.RECIPE, of).snippet or "").startswith("## keras 3.15.1: `Model.call` retraces")


def test_advice_needs_no_call_site_and_no_parameters() -> None:
    """A recording may have neither; nothing fails."""
    events: list[TraceEvent] = []
    for function in (LIBRARY, FunctionId("<lambda>")):
        event = Events(function, exclusive_seconds=0.1, jit_compile=True, start=1000.0 + len(events))
        events += [event(tensor("x", n), python("mode", f"m{n}"), call=n) for n in range(1, 7)]
    for diagnosis, own in diagnose_with_events(record(*events, calls=6)):
        for recipe in RECIPES:
            for candidate in recipe.propose(make_case(diagnosis, own, {})):
                assert candidate.snippet
