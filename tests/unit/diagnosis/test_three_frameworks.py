"""What JAX and PyTorch add: weak types, static arguments, shardings, calls counted in part, falling back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, cause, record, tensor
from traceonce.diagnosis import diagnose
from traceonce.diagnosis.arguments import compare_arguments
from traceonce.diagnosis.verdicts import Retrace, judge
from traceonce.facts import (
    Calls,
    Cause,
    CauseCode,
    Diagnosis,
    FellBack,
    Finding,
    Header,
    Leaf,
    Reason,
    Recording,
    Signature,
    Verdict,
)
from traceonce.facts.entries import encode_line


def only(recording: Recording) -> Diagnosis:
    (diagnosis,) = diagnose(recording)
    return diagnosis


def changed(was: Leaf, now: Leaf) -> list[tuple[str, str, str, str]]:
    causes = compare_arguments(Signature((was,)), Signature((now,)))
    return [(cause.code.value, cause.path, cause.was, cause.now) for cause in causes]


def with_(leaf: Leaf, **fields: Any) -> Leaf:
    return msgspec.structs.replace(leaf, **fields)


X = tensor("x", 3)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"weak": True}, ("weak_type", "x.weak_type", "False", "True")),
        ({"sharding": "cpu:1"}, ("sharding", "x.sharding", "cpu:0", "cpu:1")),
        ({"stride": (2,)}, ("guard", "x.stride()", "(1,)", "(2,)")),
        ({"requires_grad": True}, ("guard", "x.requires_grad", "False", "True")),
    ],
)
def test_what_else_a_tensor_is_keyed_on(fields: dict[str, Any], expected: tuple[str, str, str, str]) -> None:
    before = with_(X, sharding="cpu:0", stride=(1,))
    assert changed(before, with_(before, **fields)) == [expected]
    assert changed(before, before) == []


def test_of_two_dtypes_the_dtype_is_the_cause_and_not_that_one_is_weak() -> None:
    assert [code for code, *_ in changed(X, with_(X, dtype="int32", weak=True))] == ["dtype"]


def test_a_weak_type_is_nearer_than_another_dtype() -> None:
    event = Events(backend="jax")
    calls = [with_(X, weak=True), with_(X, weak=True, dtype="int32"), X]
    causes = only(record(*(event(leaf) for leaf in calls))).causes
    assert [(found.code.value, found.was, found.now) for found in causes] == [
        ("dtype", "float32", "int32"),
        ("weak_type", "True", "False"),
    ]


def test_another_shape_has_other_strides_which_are_no_cause() -> None:
    assert [code for code, *_ in changed(with_(X, stride=(1,)), tensor("x", 4))] == ["shape"]


def static(value: str, identity: int | None = None, type_name: str = "int") -> Leaf:
    kind = "python" if identity is None else "object"
    return Leaf("n", kind, value=value, type_name=type_name, identity=identity, static=True)  # type: ignore[arg-type]


def test_a_static_argument_is_known_by_its_type_too() -> None:
    """JAX keys on equality and type: 1 and True are two static values, though TensorFlow takes them for one."""
    assert changed(static("1"), static("2")) == [("static_argument", "n", "1", "2")]
    assert changed(static("1"), static("True", type_name="bool")) == [("static_argument", "n", "1", "True")]
    assert changed(static("1"), static("1")) == []


def test_a_static_object_that_prints_the_same_is_said_to_be_another() -> None:
    was, now = static("Config()", 1, "Config"), static("Config()", 2, "Config")
    (found,) = compare_arguments(Signature((was,)), Signature((now,)))
    assert (found.code, found.was, found.now) == (CauseCode.STATIC_ARGUMENT, "Config()", "Config()")
    assert "no __eq__" in (found.note or "")


def test_a_compilation_for_another_device() -> None:
    compiled = Events(kind="compile", graph="g")
    trace = Events()(X, call=1, id=99, graph="g")
    first = compiled(with_(X, sharding="cpu:0"))
    again = [compiled(with_(X, sharding=f"cpu:{n}"), phase="retrace", seconds=0.5) for n in (1, 2, 3)]
    diagnosis = only(record(trace, first, *again, calls=20))
    (found,) = diagnosis.causes
    assert (found.code, found.path, found.values) == (
        CauseCode.SHARDING,
        "x.sharding",
        ("cpu:0", "cpu:1", "cpu:2", "cpu:3"),
    )
    assert (diagnosis.verdict, diagnosis.reason) == (
        Verdict.RECOMPILING,
        Reason.COMPILED_FOR_DEVICES,
    )


def judged(retraces: int, **facts: Any) -> Verdict:
    """A function that was traced anew each time after it had served twelve calls."""
    filled: dict[str, Any] = {"failed": 0, "recompiles": 0, "silent": (), **facts}
    each = [Retrace(12 * number + 1, (cause(),)) for number in range(1, retraces + 1)]
    return judge(retraces=each, calls=12 * (retraces + 1), traces=retraces + 1, **filled)[0]


def test_traces_that_served_many_calls_say_nothing_of_their_growth_where_the_rest_was_not_counted() -> None:
    assert judged(6) is Verdict.RETRACING
    assert judged(6, at_least=True) is Verdict.BOUNDED


def test_a_trace_for_each_call_grows_however_calls_are_counted() -> None:
    event = Events()
    recording = record(*(event(tensor("x", n), call=n) for n in range(1, 9)), calls=8)
    counted = msgspec.structs.replace(recording, at_least=(STEP.key,))
    assert only(counted).verdict is only(recording).verdict is Verdict.RETRACING
    assert (only(counted).calls_at_least, only(recording).calls_at_least) == (True, False)


def test_calls_counted_in_part_are_said_to_be() -> None:
    header = Header("traceonce.recording/1", "run", "7", 0.0)
    entries = [header, Events()(X), Calls({STEP.key: 12}, at_least=True), Calls({"other": 3})]
    recording = Recording.from_bytes(b"\n".join(map(encode_line, entries)))
    assert (recording.calls, recording.at_least) == ({"7": {STEP.key: 12, "other": 3}}, (STEP.key,))
    assert Recording.merge([recording, record(Events()(X))]).at_least == (STEP.key,)


def test_a_function_that_fell_back_is_that_whatever_else_it_did() -> None:
    event = Events(backend="torch")
    traces = [event(tensor("x", n), call=n, graph_breaks=("print (train.py:3)",)) for n in range(1, 9)]
    told = FellBack(limit=8, compiled_seconds=0.001, eager_seconds=0.004)
    finding = Finding("torch", STEP, Cause(CauseCode.FELL_BACK, "train_step", "compiled", "eager"), "1", told)
    diagnosis = only(record(*traces, calls=8, findings=(finding,)))
    assert (diagnosis.verdict, diagnosis.fell_back, diagnosis.traces) == (Verdict.FELL_BACK, told, 8)
    assert {found.code for found in diagnosis.causes} == {CauseCode.SHAPE, CauseCode.FELL_BACK}
    assert diagnosis.graph_breaks == ("print (train.py:3)",)
    assert not diagnosis.verdict.is_ignorable
