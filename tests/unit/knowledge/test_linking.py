"""From a cause to its record, and every record that is named is there."""

from __future__ import annotations

import msgspec
import pytest
from handmade import STEP

from traceonce.facts import Cause, CauseCode, Diagnosis, FunctionId, Verdict
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.linking import link_records, records_of

KERAS = FunctionId("Trainer.one_step_on_data", "keras/src/backend/tensorflow/trainer.py", 110)


def diagnosis(*causes: Cause, function: FunctionId = STEP) -> Diagnosis:
    return Diagnosis(
        backend="tensorflow",
        function=function,
        traces=5,
        retraces=4,
        internal=0,
        failed=0,
        calls=5,
        compiles=0,
        backwards=0,
        seconds=1.0,
        exclusive_seconds=1.0,
        first_run_seconds=0.0,
        lost_seconds=1.0,
        share=None,
        bytes=None,
        verdict=Verdict.RETRACING,
        growth="growing",
        reason="",
        causes=causes,
    )


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


def test_variables_that_could_not_be_created() -> None:
    failed = msgspec.structs.replace(diagnosis(cause("variable_creation")), verdict=Verdict.FAILED)
    assert records_of(failed) == ["tensorflow/variable-created-later"]


def test_several_causes_in_their_order_each_record_once() -> None:
    one, two = cause("dtype"), cause("shape")
    (linked,) = link_records([diagnosis(one, two, one)])
    assert linked.records == ("tensorflow/retracing-dtype", "tensorflow/retracing-shape")


def test_every_cause_leads_to_a_record_that_is_there() -> None:
    """All but those that are no fault, or of which nothing is known."""
    silent = {CauseCode.VARIABLE_CREATION, CauseCode.BACKWARD, CauseCode.UNKNOWN}
    known = Collection()
    for code in set(CauseCode) - silent:
        kind = "RaggedTensorSpec" if code is CauseCode.SPEC else None
        (record,) = records_of(diagnosis(cause(code.value, "x.shape[0]", now="None", type_name=kind)))
        assert record in known, code
    assert [records_of(diagnosis(cause(code.value))) for code in silent] == [[], [], []]
