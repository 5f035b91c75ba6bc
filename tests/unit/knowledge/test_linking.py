"""From a cause to its record, and every record that is named is there."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.handmade import diagnosis
from traceonce.facts import Cause, CauseCode, FunctionId, Verdict
from traceonce.knowledge import cause_records
from traceonce.knowledge.cause_records import link_records, records_of
from traceonce.knowledge.collection import Collection

KERAS = FunctionId("Trainer.fit", "/venv/lib/python3.11/site-packages/keras/src/trainer.py", 9, library=True)


def cause(code: str, path: str = "x", was: str = "a", now: str = "b", **fields: object) -> Cause:
    return Cause(CauseCode(code), path, was, now, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "slug"),
    [
        (cause("shape", "x.shape[1]", values=("12", "9", "15")), "retracing-shape"),
        (cause("shape", "x.shape[1]", values=("1", "2", "3", "4")), "retracing-growing-decode"),
        (cause("shape", "x.shape[1]", values=("4", "3", "2", "1")), "retracing-shape"),
        (cause("shape", "x.shape[1]", values=("1", "2", "3")), "retracing-shape"),
        (cause("shape", "x.shape[0]", values=("32", "8")), "retracing-partial-batch"),
        (cause("shape", "x.shape[0]", values=("8", "32")), "retracing-shape"),
        (cause("shape", "x.shape[1]", values=("32", "8")), "retracing-shape"),
        (cause("value", type_name="int"), "retracing-python-number"),
        (cause("value", type_name="str"), "retracing-python-string"),
        (cause("value", type_name="bool"), "retracing-python-bool"),
        (cause("kind", now="None"), "retracing-none"),
        (cause("spec", "x.shape[0]", type_name="RaggedTensorSpec"), "retracing-ragged-rows"),
        (cause("collected", type_name="method"), "retracing-callable-argument"),
        (cause("collected", type_name="Config"), "retracing-collected-object"),
        (cause("identity", type_name="function"), "retracing-callable-argument"),
        (cause("identity", type_name="Config"), "retracing-object-identity"),
        (cause("confused", "training"), "confused-training-flag"),
        (cause("confused", "k"), "confused-literals"),
    ],
)
def test_a_cause_has_its_record(one: Cause, slug: str) -> None:
    assert records_of(diagnosis(one)) == [f"tensorflow/{slug}"]


@pytest.mark.parametrize(
    "one", [cause("kind", was="1", now="tensor"), cause("spec", "x.name"), cause("spec", "x.shape[0]")]
)
def test_what_has_no_record_of_its_own(one: Cause) -> None:
    assert records_of(diagnosis(one)) == []


def test_functions_of_keras() -> None:
    assert records_of(diagnosis(cause("new_function"), function=KERAS)) == ["tensorflow/retracing-new-model"]
    assert records_of(diagnosis(cause("shape"), function=KERAS)) == ["tensorflow/retracing-shape"]


@pytest.mark.parametrize(
    "file", ["/home/me/keras-models/train.py", "/home/me/keras/.venv/lib/python3.11/site-packages/gpflow/models.py"]
)
def test_a_folder_that_is_called_keras_is_not_keras(file: str) -> None:
    function = FunctionId("train", file, 9)
    assert records_of(diagnosis(cause("new_function"), function=function)) == ["tensorflow/retracing-new-function"]


def test_variables_that_could_not_be_created() -> None:
    failed = msgspec.structs.replace(diagnosis(cause("variable_creation")), verdict=Verdict.FAILED)
    assert records_of(failed) == ["tensorflow/variable-created-later"]


def test_several_causes_in_their_order_each_record_once() -> None:
    one, two = cause("dtype"), cause("shape")
    (linked,) = link_records([diagnosis(one, two, one)])
    assert linked.records == ("tensorflow/retracing-dtype", "tensorflow/retracing-shape")


JAX = [
    (cause("shape", "x.shape[0]"), "recompile-shape"),
    (cause("rank", "x.shape"), "recompile-shape"),
    (cause("dtype", "x.dtype"), "recompile-dtype-weak-type"),
    (cause("weak_type", "x.weak_type"), "recompile-dtype-weak-type"),
    (cause("static_argument", "depth", was="1", now="2"), "recompile-static-value"),
    (cause("static_argument", "config", was="C(2)", now="C(2)", note="another object"), "static-unequal-object"),
    (cause("structure", "batch"), "recompile-structure"),
    (cause("new_function", "step"), "recompile-fresh-function"),
    (cause("context", "jax_default_matmul_precision"), "recompile-config"),
    (cause("sharding", "x.sharding"), "recompile-sharding"),
    (cause("stale", "RATE"), "stale-global"),
]
TORCH = [
    (cause("shape", "x.shape[0]", was="3", now="5"), "recompile-shape"),
    (cause("shape", "x.shape[0]", was="3", now="1"), "recompile-size-one"),
    (cause("shape", "x.shape[0]", was="3", now="5", values=("3", "5", "1")), "recompile-size-one"),
    (cause("dtype", "x.dtype"), "recompile-dtype"),
    (cause("value", "k", type_name="int"), "recompile-python-value"),
    (cause("structure", "len(xs)"), "recompile-list-length"),
    (cause("context", "grad_mode"), "recompile-grad-mode"),
    (cause("guard", "x.stride()"), "recompile-stride"),
    (cause("guard", "x.stride()[0]"), "recompile-stride"),
    (cause("guard", "x.requires_grad"), "recompile-requires-grad"),
    (cause("guard", "self.step", type_name="int"), "recompile-module-counter"),
    (cause("guard", "SCALE", type_name="int"), "recompile-global"),
    (cause("fell_back", "step"), "recompile-limit"),
]


@pytest.mark.parametrize(
    ("backend", "one", "slug"),
    [*(("jax", *row) for row in JAX), *(("torch", *row) for row in TORCH)],
)
def test_each_framework_has_records_of_its_own(backend: str, one: Cause, slug: str) -> None:
    assert records_of(diagnosis(one, backend=backend)) == [f"{backend}/{slug}"]


def test_graph_breaks_are_known_too() -> None:
    cut = diagnosis(cause("dtype"), backend="torch", graph_breaks=("a call of print (train.py:3)",))
    assert records_of(cut) == ["torch/recompile-dtype", "torch/graph-break"]


def test_a_record_that_is_not_there_is_never_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cause_records, "_there", lambda: Collection().paths.keys() - {"torch/recompile-dtype"})
    assert records_of(diagnosis(cause("dtype"), cause("fell_back"), backend="torch")) == ["torch/recompile-limit"]
    assert records_of(diagnosis(cause("dtype"), backend="another")) == []


def test_what_is_named_is_there() -> None:
    known = Collection()
    for backend, rows in (("jax", JAX), ("torch", TORCH)):
        assert {f"{backend}/{slug}" for _, slug in rows} <= known.paths.keys()
    assert "torch/graph-break" in known
