"""The contract that other programs read: every key is there, and of the right type."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from traceonce.diagnosis import diagnose
from traceonce.errors import UsageError
from traceonce.facts import (
    CallSite,
    CauseCode,
    Diagnosis,
    Finding,
    Fix,
    Measurement,
    Proof,
    Recording,
    SiteCount,
    Verdict,
)
from traceonce.report.base import FORMATS, Material, find_renderer
from traceonce.report.json import render_json

number = (int, float)
optional_text = (str, type(None))
optional_count = (int, type(None))

DOCUMENT: dict[str, Any] = {
    "schema": str,
    "environment": dict,
    "command": list,
    "exit_code": optional_count,
    "seconds": number,
    "functions": list,
    "events": list,
}
FUNCTION: dict[str, Any] = {
    "backend": str,
    "name": str,
    "file": optional_text,
    "line": optional_count,
    "traces": int,
    "retraces": int,
    "internal": int,
    "calls": optional_count,
    "seconds": number,
    "verdict": str,
    "causes": list,
    "exclusive_seconds": number,
    "first_run_seconds": number,
    "lost_seconds": number,
    "unclear_seconds": number,
    "call_sites": list,
    "fixes": list,
    "records": list,
}
CAUSE: dict[str, Any] = {"code": str, "path": str, "count": int, "was": str, "now": str, "evidence": str}
CALL_SITE: dict[str, Any] = {"file": str, "line": int, "count": int, "via": optional_text}
FIX: dict[str, Any] = {
    "recipe": str,
    "safety": str,
    "predicted_traces": optional_count,
    "snippet": optional_text,
    "proof": (dict, type(None)),
}


def check_keys(thing: dict[str, Any], contract: dict[str, Any]) -> None:
    for key, kind in contract.items():
        assert key in thing, f"{key} is missing"
        assert isinstance(thing[key], kind), f"{key} is {thing[key]!r}"
        assert not isinstance(thing[key], bool), f"{key} is {thing[key]!r}"


def retracing() -> Recording:
    site = CallSite("train.py", 47)
    event = Events(call_site=site, seconds=0.25, exclusive_seconds=0.2, first_run_seconds=0.1, preparing_seconds=0.1)
    events = [event(tensor("x", 2, 3 + n), python("step", n), call=n + 1) for n in range(8)]
    return record(
        *events,
        calls=8,
        seconds=12.5,
        environment={"python": "3.11.7", "platform": "Linux x86_64", "tensorflow": "2.21.0"},
        command=("train.py",),
        exit_code=0,
    )


def read(recording: Recording, diagnoses: list[Diagnosis] | None = None) -> dict[str, Any]:
    document = json.loads(render_json(Material(recording, diagnose(recording) if diagnoses is None else diagnoses)))
    assert isinstance(document, dict)
    return document


def test_the_contract_as_it_is_written_down() -> None:
    document = read(retracing())
    check_keys(document, DOCUMENT)
    assert document["schema"] == "traceonce.recording/1"
    assert document["environment"] == {"python": "3.11.7", "platform": "Linux x86_64", "tensorflow": "2.21.0"}
    assert (document["command"], document["exit_code"], document["seconds"]) == (["train.py"], 0, 12.5)
    (function,) = document["functions"]
    check_keys(function, FUNCTION)
    shown = {
        "backend": "tensorflow", "name": "train_step", "file": "train.py", "line": 22, "traces": 8, "retraces": 7,
        "internal": 0, "calls": 8, "seconds": 2.0, "exclusive_seconds": 1.6, "first_run_seconds": 0.8,
        "lost_seconds": 2.1, "verdict": "retracing", "fixes": [], "records": [],
        "call_sites": [{"file": "train.py", "line": 47, "count": 8, "via": None}],
    }  # fmt: skip
    assert {key: function[key] for key in shown} == shown
    for found in function["causes"]:
        check_keys(found, CAUSE)
    first = {key: function["causes"][0][key] for key in CAUSE}
    assert first in (
        {"code": "value", "path": "step", "count": 7, "was": "0", "now": "1", "evidence": "measured"},
        {"code": "shape", "path": "x.shape[1]", "count": 7, "was": "3", "now": "4", "evidence": "measured"},
    )
    check_keys(function["call_sites"][0], CALL_SITE)


def test_the_contract_when_hardly_anything_is_known() -> None:
    """No key is left out because its value is empty."""
    function = msgspec.structs.replace(STEP, file=None, line=None)
    recording = Recording(events=(Events(function)(tensor("x")),))
    document = read(recording)
    check_keys(document, DOCUMENT)
    check_keys(document["functions"][0], FUNCTION)
    assert (document["functions"][0]["file"], document["functions"][0]["calls"]) == (None, None)


def test_the_contract_of_an_empty_run() -> None:
    document = read(Recording())
    check_keys(document, DOCUMENT)
    assert (document["functions"], document["events"], document["exit_code"]) == ([], [], None)


MEASURED = Proof(Measurement(8, 8, 2.0), Measurement(1, 8, 0.2), outputs_equal=True, verdict="proved")


@pytest.mark.parametrize(
    "fix",
    [
        Fix("input_signature", "safe"),
        Fix("input_signature", "safe", predicted_traces=1, snippet="@tf.function(…)"),
        Fix("input_signature", "narrow", predicted_traces=1, snippet="@tf.function(…)", proof=MEASURED),
    ],
    ids=["bare", "not proved", "proved"],
)
def test_fixes_keep_the_contract(fix: Fix) -> None:
    """``"proof": null`` is written, as the contract has it."""
    recording = retracing()
    diagnoses = [msgspec.structs.replace(d, fixes=(fix,), records=("tensorflow/values",)) for d in diagnose(recording)]
    (function,) = read(recording, diagnoses)["functions"]
    assert function["records"] == ["tensorflow/values"]
    (written,) = function["fixes"]
    check_keys(written, FIX)
    assert (written["recipe"], written["safety"]) == (fix.recipe, fix.safety)


def test_call_sites_through_a_library() -> None:
    recording = retracing()
    sites = (SiteCount("train.py", 47, 3, "keras/trainer.py:120"), SiteCount("train.py", 60, 1))
    diagnoses = [msgspec.structs.replace(d, call_sites=sites) for d in diagnose(recording)]
    written = read(recording, diagnoses)["functions"][0]["call_sites"]
    for site in written:
        check_keys(site, CALL_SITE)
    assert [site["via"] for site in written] == ["keras/trainer.py:120", None]


@pytest.mark.parametrize("verdict", Verdict)
def test_verdicts_are_written_by_their_names(verdict: Verdict) -> None:
    recording = retracing()
    diagnoses = [msgspec.structs.replace(d, verdict=verdict) for d in diagnose(recording)]
    assert read(recording, diagnoses)["functions"][0]["verdict"] == verdict.value


@pytest.mark.parametrize("code", CauseCode)
def test_causes_are_written_by_their_codes(code: CauseCode) -> None:
    recording = record(Events()(tensor("x")), findings=(Finding("tensorflow", STEP, cause(code, "argument")),))
    (written,) = read(recording)["functions"][0]["causes"]
    check_keys(written, CAUSE)
    assert written["code"] == code.value


def test_functions_come_in_the_order_of_the_diagnoses() -> None:
    recording = retracing()
    (diagnosis,) = diagnose(recording)
    others = [msgspec.structs.replace(diagnosis, function=msgspec.structs.replace(STEP, name=n)) for n in ("b", "a")]
    assert [function["name"] for function in read(recording, others)["functions"]] == ["b", "a"]


def test_text_of_any_language_is_kept() -> None:
    recording = msgspec.structs.replace(retracing(), command=("größe 漢字.py",))
    assert "größe 漢字.py" in render_json(Material(recording, []))
    assert read(recording)["command"] == ["größe 漢字.py"]


def test_a_format_that_there_is_not_is_refused_with_those_there_are() -> None:
    assert find_renderer("json") is render_json
    with pytest.raises(UsageError, match=r"pdf.*use one of") as refused:
        find_renderer("pdf")
    assert all(name in str(refused.value) for name in FORMATS)
