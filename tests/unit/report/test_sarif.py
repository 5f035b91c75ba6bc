"""SARIF: valid by the schema of the standard, and a result for each function and cause at the right line and level."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import msgspec
import pytest

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from tests.unit.report.made_reports import HARM, PROGRAMS, harmful, material_of, recorded
from tests.unit.report.sarif_documents import VALIDATOR, levels, read, render, retracing
from traceonce.facts import CauseCode, Excerpt, Finding, Notice, Recording, Verdict
from traceonce.report.sarif import render_sarif
from traceonce.report.sarif.rules import RULES


def test_the_schema_can_refuse() -> None:
    """A document that is wrong in one place is not valid: the tests below can fail."""
    document = json.loads(render_sarif(material_of(retracing(), "sarif")))
    document["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError, match="fatal"):
        VALIDATOR.validate(document)


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_runs_are_valid_and_have_a_result_for_each_function_and_cause(name: str) -> None:
    material = material_of(recorded(name), "sarif")
    run = read(render_sarif(material))
    told = [(result["ruleId"], result["properties"].get("path")) for result in run["results"]]
    for diagnosis in material.diagnoses:
        if diagnosis.verdict is not Verdict.OK:
            assert {(cause.code.value, cause.path) for cause in diagnosis.causes} <= set(told)
    assert len({json.dumps(result["partialFingerprints"]) for result in run["results"]}) == len(run["results"])


def test_a_result_to_the_letter() -> None:
    (result,) = render(retracing(excerpts=(Excerpt("train.py", 22, ("@tf.function", "def train_step(x, step):")),)))[
        "results"
    ]
    assert result["message"]["text"].splitlines()[:3] == [
        "train_step retraced 7 times in 8 calls, 1.8 s lost (2 % of the run).",
        "step: a Python int, a new value each time: 0 → 1 → 2 → 3 → 4 → 5 → 6 → 7",
        "Fix: @tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)])",
    ]
    (location,) = result["locations"]
    assert location == {
        "physicalLocation": {
            "artifactLocation": {"uri": "train.py", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 22, "snippet": {"text": "@tf.function"}},
        },
        "logicalLocations": [{"name": "train_step", "fullyQualifiedName": "train_step", "kind": "function"}],
    }
    (call,) = result["relatedLocations"]
    assert call["physicalLocation"]["region"] == {"startLine": 47}
    properties = result["properties"]
    assert (properties["verdict"], properties["path"], properties["count"]) == ("retracing", "step", 7)
    assert (properties["traces"], properties["calls"], properties["lostSeconds"]) == (8, 8, 1.75)


def test_the_run_is_described() -> None:
    run = render(
        retracing(
            exit_code=1, error="ValueError: no\nmore", notices=(Notice("cut {short}", error=True),), started=1.7e9
        )
    )
    assert run["tool"]["driver"]["name"] == "traceonce"
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": "file:///home/user/project/"}}
    assert run["automationDetails"] == {"id": "traceonce/train.py/"}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert (invocation["exitCode"], invocation["exitCodeDescription"]) == (1, "ValueError: no")
    assert (invocation["commandLine"], invocation["startTimeUtc"]) == ("python train.py", "2023-11-14T22:13:20.000Z")
    assert invocation["workingDirectory"] == {"uri": "file:///home/user/project/"}
    (notice,) = invocation["toolExecutionNotifications"]
    assert (notice["level"], notice["message"]["text"]) == ("error", "cut {{short}}")


def test_a_signal_is_no_exit_code() -> None:
    (invocation,) = render(retracing(exit_code=-9))["invocations"]
    assert invocation["exitSignalNumber"] == 9
    assert "exitCode" not in invocation


def test_a_module_has_its_name_as_category() -> None:
    assert (
        render(retracing(command=("-m", "package.train", "--fast")))["automationDetails"]["id"]
        == "traceonce/package.train/"
    )
    assert "automationDetails" not in render(retracing(command=("-c", "code")))


@pytest.mark.parametrize(("accepted", "level"), [(None, "warning"), (False, "error"), (True, "note")])
def test_retracing_is_a_warning_unless_a_baseline_judges_it(accepted: bool | None, level: str) -> None:
    assert levels(render(retracing(), accepted)) == [("value", level)]


def test_what_can_be_ignored_is_a_note_and_what_is_fine_is_nothing() -> None:
    event = Events()
    bounded = record(event(python("training", True), call=1), event(python("training", False), call=2), calls=500)
    assert levels(render(bounded)) == [("value", "note")]
    assert levels(render(record(Events()(tensor("x"), call=1), calls=5))) == []


@pytest.mark.parametrize(
    ("evidence", "note", "level"),
    [("measured", None, "error"), ("inferred", None, "warning"), ("inferred", "seen late", "note")],
)
def test_silently_wrong_is_an_error_where_it_was_shown(evidence: Any, note: str | None, level: str) -> None:
    found = Finding("tensorflow", STEP, cause(CauseCode.STALE, "RATE", evidence=evidence, note=note))
    assert levels(render(record(Events()(tensor("x"), call=1), calls=5, findings=(found,)))) == [("stale", level)]


def test_real_errors_are_errors() -> None:
    assert levels(render(recorded("fails"))) == [("failed", "error")]
    assert levels(render(recorded("limited")))[0] == ("limit", "error")
    assert ("confused", "error") in levels(render(recorded("silently_wrong")))
    assert render(recorded("limited"))["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 13


def test_every_cause_is_a_rule_with_help() -> None:
    assert {code.value for code in CauseCode} <= set(RULES)
    assert set(RULES) == {code.value for code in CauseCode} | {"failed", "limit"}
    for rule in render(Recording())["tool"]["driver"]["rules"]:
        assert rule["help"]["text"].strip()
        assert rule["help"]["markdown"].strip()
        assert re.fullmatch(r"([A-Z][a-z]+)+", rule["name"])
        assert "{" not in rule["fullDescription"]["text"]


@pytest.mark.parametrize("code", CauseCode)
def test_every_cause_can_be_a_result(code: CauseCode) -> None:
    found = Finding("tensorflow", STEP, cause(code, "argument"))
    run = render(msgspec.structs.replace(retracing(), findings=(found,)))
    assert code.value in [result["ruleId"] for result in run["results"]]


def test_harmful_texts_stay_texts() -> None:
    run = render(harmful())
    assert {result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] for result in run["results"]} == set(
        HARM
    )
    for result in run["results"]:
        text = result["message"]["text"]
        assert "](" not in text
        assert not re.search(r"(?<!\{)\{(?:\{\{)*\d", text)


@pytest.mark.parametrize("number", [-1e300, 1e300])
def test_numbers_that_no_clock_shows_do_no_harm(number: float) -> None:
    assert "startTimeUtc" not in render(retracing(started=number, seconds=abs(number)))["invocations"][0]
