"""The accepted state of a run: written so that a review can read it, read so that a damaged file is named."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given

from tests.unit.handmade import Events, cause, container, python, record, signature, tensor, thing
from traceonce.diagnosis import diagnose
from traceonce.errors import UsageError
from traceonce.facts import CauseCode, Diagnosis, FunctionId
from traceonce.limits.baseline import Accepted, Baseline, Change, compare, digest, name_in_baseline, take_state

NONE = Accepted()


def diagnosis(name: str, file: str | None = "train.py", *, traces: int = 1, compiles: int = 0) -> Diagnosis:
    events = Events(FunctionId(name, file, 3))
    (made,) = diagnose(record(*(events(tensor("x", size)) for size in range(traces))))
    return msgspec.structs.replace(made, compiles=compiles)


def test_it_is_written_sorted_one_fact_a_line_and_read_again(tmp_path: Path) -> None:
    baseline = Baseline(
        functions={"b (train.py)": Accepted(2), "a (train.py)": Accepted(1, 3, True)},
        tests={"tests/test_b.py::test": {"b": Accepted(0, 1)}, "tests/test_a.py::test": {}},
        shared={"b": ("1f", "2e"), "a": ()},
    )
    path = tmp_path / "baseline.json"
    baseline.save(path)
    assert path.read_text(encoding="utf-8") == (
        "{\n"
        ' "functions": {\n'
        '  "a (train.py)": {\n'
        '   "recompiles": 3,\n'
        '   "retraces": 1,\n'
        '   "wrong": true\n'
        "  },\n"
        '  "b (train.py)": {\n'
        '   "retraces": 2\n'
        "  }\n"
        " },\n"
        ' "schema": "traceonce.baseline/1",\n'
        ' "shared": {\n'
        '  "a": [],\n'
        '  "b": [\n'
        '   "1f",\n'
        '   "2e"\n'
        "  ]\n"
        " },\n"
        ' "tests": {\n'
        '  "tests/test_a.py::test": {},\n'
        '  "tests/test_b.py::test": {\n'
        '   "b": {\n'
        '    "recompiles": 1\n'
        "   }\n"
        "  }\n"
        " }\n"
        "}\n"
    )
    assert Baseline.load(path) == baseline


accepted = st.builds(Accepted, st.integers(0, 2000), st.integers(0, 9), st.booleans())
functions = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), accepted, max_size=4)


@given(functions, functions)
def test_any_state_survives_the_file(tmp_path_factory: pytest.TempPathFactory, one: Any, other: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    baseline = Baseline(functions=one, tests={"tests/test_it.py::test[ü]": other})
    baseline.save(path)
    assert Baseline.load(path) == baseline
    first = path.read_bytes()
    Baseline(functions=dict(reversed(one.items())), tests=baseline.tests).save(path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is not a baseline (Input data was truncated). Correct it, or delete it"),
        (b"[]", "is not a baseline (Expected `object`, got `array`)"),
        (b"[" * 100_000, "is not a baseline ("),
        (b"\xff\xfe", "is not a baseline (JSON is malformed"),
        (b'{"functions": {"\xff": {}}}', "is not a baseline ('utf-8' codec can't decode"),
        (b"<<<<<<< HEAD\n{}", "is not a baseline (JSON is malformed"),
        (b'{"functions": {"f": {"retraces": "1"}}}', "(Expected `int`, got `str` - at `$.functions[...].retraces`)"),
        (b'{"functions": {"f": {"traces": 1}}}', "(Object contains unknown field `traces`"),
        (b'{"schema": "traceonce.baseline/2", "more": 1}', "field 'schema' is 'traceonce.baseline/2', not 'traceonce."),
        (
            b'{"schema": "traceonce.recording/1"}',
            "field 'schema' is 'traceonce.recording/1', not 'traceonce.baseline/1'",
        ),
    ],
)
def test_a_broken_file_is_named_with_the_remedy(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        Baseline.load(path, "--traceonce-baseline", "--traceonce-update")
    message = str(caught.value)
    assert message.startswith(f"--traceonce-baseline {path}: ")
    assert problem in message
    assert message.endswith("accept the present state with --traceonce-update.")


def test_a_file_that_is_not_there_or_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.json: no such file\. Create it with --up"):
        Baseline.load(tmp_path / "nothing.json")
    with pytest.raises(UsageError, match=r": cannot be read: Is a directory\."):
        Baseline.load(tmp_path)


def test_it_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "baseline.json"
    Baseline(functions={"f": Accepted(1)}).save(path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"nowhere/baseline\.json: cannot be written: No such file or directory\."):
        Baseline().save(tmp_path / "nowhere" / "baseline.json")

    def full(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError, match=r"cannot be written: No space left on device\."):
        Baseline(functions={"f": Accepted(2)}).save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["baseline.json"]


def test_a_function_is_known_by_its_name_and_file_not_its_line() -> None:
    for line in (3, 99):
        assert name_in_baseline(FunctionId("Gpt.step", "train.py", line)) == "Gpt.step (train.py)"
    assert name_in_baseline(FunctionId("step")) == "step"
    assert name_in_baseline(FunctionId("fit", "/a/site-packages/keras/trainer.py", 5)) == "fit (keras/trainer.py)"


def test_a_digest_is_the_same_in_every_run() -> None:
    """What tells objects of one process apart is left out; everything else is in it."""
    base = signature(tensor("x", 3), thing("config", 1))
    same = signature(tensor("x", 3), thing("config", 2))
    others = [
        signature(tensor("x", 4), thing("config", 1)),
        signature(tensor("x", 3, dtype="int32"), thing("config", 1)),
        signature(tensor("x", 3), thing("config", 1, "Setting")),
        signature(tensor("x", 3), python("config", 1)),
        signature(tensor("x", 3), thing("config", 1), container("x", "list", "0")),
    ]
    assert digest(base) == digest(same) == "4510762a9550"
    assert len({digest(base), *map(digest, others)}) == len(others) + 1


def test_the_state_holds_what_is_worth_accepting() -> None:
    state = take_state(
        [
            diagnosis("z", traces=3),
            diagnosis("fine"),
            diagnosis("compiled", traces=2, compiles=5),
            diagnosis("compiled once", traces=1, compiles=1),
            diagnosis("<lambda>", traces=2),
            diagnosis("<lambda>", traces=3),
        ]
    )
    assert list(state.items()) == [
        ("<lambda> (train.py)", Accepted(3)),
        ("compiled (train.py)", Accepted(1, 3)),
        ("z (train.py)", Accepted(2)),
    ]


def test_only_what_was_shown_to_be_wrong_is_wrong() -> None:
    for evidence, wrong in (("measured", True), ("inferred", False)):
        shown = msgspec.structs.replace(
            diagnosis("step"), causes=(cause(CauseCode.STALE, "rate", evidence=evidence), cause())
        )
        assert take_state([shown]) == ({"step (train.py)": Accepted(wrong=True)} if wrong else {})


def test_changes_are_said_what_is_worse_first() -> None:
    changes = compare(
        {"a": Accepted(5), "b": Accepted(1, 1), "c": Accepted(wrong=True), "same": Accepted(4)},
        {"a": Accepted(2), "b": Accepted(1, 2), "d": Accepted(3, 0, True), "same": Accepted(4)},
    )
    assert [(change.describe(), change.is_worse) for change in changes] == [
        ("b: repeated compilations 1 → 2", True),
        ("d: retraces 0 → 3, silently wrong", True),
        ("a: retraces 5 → 2", False),
        ("c: no longer silently wrong", False),
    ]


def test_better_in_one_way_and_worse_in_another_is_worse() -> None:
    values = [
        Accepted(retraces, compiles, wrong)
        for retraces, compiles, wrong in itertools.product((0, 1), (0, 1), (False, True))
    ]
    for was, now in itertools.product(values, values):
        grown = now.retraces > was.retraces or now.recompiles > was.recompiles or now.wrong > was.wrong
        assert Change("f", was, now).is_worse is grown
        assert bool(compare({"f": was}, {"f": now})) is (was != now)


def test_a_state_compared_with_itself_has_not_changed() -> None:
    events = Events()
    recording = record(*(events(tensor("x", size), python("k", size)) for size in range(4)))
    state = take_state(diagnose(recording))
    assert state == {"train_step (train.py)": Accepted(3)}
    assert compare(state, state) == []
    assert NONE not in state.values()
