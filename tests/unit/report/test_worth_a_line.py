"""What is no alarm and yet worth a line is named with its causes in every form of a report."""

from __future__ import annotations

import json

import msgspec
import pytest

from tests.unit.handmade import Events, record, tensor
from traceonce.analysis.conclusion import judge_run
from traceonce.analysis.error_records import explain_run
from traceonce.analysis.material import find_out
from traceonce.config import Config, FailOn
from traceonce.diagnosis import diagnose
from traceonce.facts import CallSite, FunctionId, Recording
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index
from traceonce.report.base import find_renderer
from traceonce.report.page.data import make_page_data
from traceonce.serve.mcp.prose import tell_run
from traceonce.serve.mcp.run_findings import describe_run
from traceonce.words.translated import LANGUAGES, Language

SITE = CallSite("train.py", 47)


def of_a_price() -> Recording:
    """A thousand calls, three shapes at the beginning, and a quarter of the run."""
    event = Events(FunctionId("warm_up", "train.py", 8), call_site=SITE)
    events = [event(tensor("image", n), call=n, exclusive_seconds=8.5) for n in (1, 2, 3)]
    return record(*events, calls=1000, seconds=68.0, command=("train.py",))


def by_accident() -> Recording:
    event = Events(FunctionId("mixed", "train.py", 9), call_site=SITE)
    events = [event(tensor("price", 3, dtype=dtype), call=n) for n, dtype in enumerate(("float32", "int32"), 1)]
    return record(*events, calls=1000, seconds=68.0, command=("train.py",))


def told(recording: Recording, form: str, language: Language = "en") -> str:
    return find_renderer(form)(find_out(recording, form, language))


def test_a_price_in_the_text() -> None:
    headline, _, title, _, first, cause, *rest = told(of_a_price(), "text").splitlines()
    assert headline == "traceonce  1 function, 3 traces · 17.0 s (25 % of the run) lost · 1 function costly"
    assert title == "Bounded, but costly:"
    assert first.startswith("warm_up  retraced 2 times in 1,000 calls · 17.0 s lost (25 % of the run)")
    assert cause.split() == ["image.shape[0]", "varies", "1,", "2,", "3"]
    assert any(line.split() == ["why", "all", "traces", "came", "early"] for line in rest)
    assert not any("ignore" in line or "nothing to fix" in line for line in rest)


def test_an_accident_in_the_text() -> None:
    headline, _, title, _, first, cause, *rest = told(by_accident(), "text").splitlines()
    assert headline == "traceonce  1 function, 2 traces · 1 function avoidable"
    assert title == "Avoidable, though bounded:"
    assert first.startswith("mixed  retraced 1 time in 1,000 calls")
    assert cause.split()[0] == "price.dtype"
    assert any(line.strip().startswith(("change", "fix", "advice")) for line in rest)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("recording", [of_a_price(), by_accident()], ids=["price", "accident"])
def test_markdown(recording: Recording, language: Language) -> None:
    (diagnosis,) = diagnose(recording)
    text = told(recording, "markdown", language)
    assert f"<summary><code>{diagnosis.function.name}</code>" in text
    assert diagnosis.causes[0].path in text
    assert {"en": "no alarm; 1 function", "zh": "没有警报；1 个函数"}[language] in text.splitlines()[0]


@pytest.mark.parametrize("recording", [of_a_price(), by_accident()], ids=["price", "accident"])
def test_annotations_are_notices(recording: Recording) -> None:
    (diagnosis,) = diagnose(recording)
    (line,) = told(recording, "github").splitlines()
    assert line.startswith("::notice file=train.py")
    assert diagnosis.causes[0].path in line


@pytest.mark.parametrize("recording", [of_a_price(), by_accident()], ids=["price", "accident"])
def test_sarif_says_what_to_change(recording: Recording) -> None:
    (result,) = json.loads(told(recording, "sarif"))["runs"][0]["results"]
    assert result["level"] == "note"
    assert any(word in result["message"]["text"] for word in ("Change:", "Fix:", "Advice:"))


def test_the_json_and_the_page_have_the_mark() -> None:
    for recording, verdict, costly in ((of_a_price(), "bounded", True), (by_accident(), "avoidable", False)):
        (function,) = json.loads(told(recording, "json"))["functions"]
        assert (function["verdict"], function["costly"]) == (verdict, costly)
        (shown,) = json.loads(msgspec.json.encode(make_page_data(find_out(recording))))["functions"]
        assert (shown["verdict"], shown["costly"]) == (verdict, costly)


@pytest.mark.parametrize("recording", [of_a_price(), by_accident()], ids=["price", "accident"])
def test_an_agent_is_told_to_change_it(recording: Recording) -> None:
    found = describe_run("last", recording, find_out(recording).diagnoses)
    (function,) = found.functions
    assert not function.ignorable
    assert "propose_fix" in found.next_step
    assert "- to change: " in tell_run(found)


@pytest.mark.parametrize("recording", [of_a_price(), by_accident()], ids=["price", "accident"])
def test_its_records_are_not_said_to_be_ignorable(recording: Recording) -> None:
    found, _ = explain_run(recording, Index(Collection()))
    assert found
    assert not any(met.ignorable for met in found)


@pytest.mark.parametrize(
    ("recording", "fail_on", "complaints"),
    [
        (of_a_price(), "costly", ["--fail-on: warm_up is costly: 17.0 s lost"]),
        (of_a_price(), "bounded", ["--fail-on: warm_up is bounded"]),
        (of_a_price(), "avoidable", []),
        (by_accident(), "avoidable", ["--fail-on: mixed is avoidable"]),
        (by_accident(), "costly", []),
        (by_accident(), "retracing", []),
    ],
)
def test_a_build_can_fail_on_it(recording: Recording, fail_on: FailOn, complaints: list[str]) -> None:
    config = Config(fail_on=(fail_on,))
    concluded = judge_run(recording, diagnose(recording), config, None, command=("train.py",), code=0, unrecorded=())
    assert concluded.complaints == complaints


def test_what_a_baseline_accepts_fails_no_build() -> None:
    recording = of_a_price()
    accepted = [msgspec.structs.replace(diagnosis, accepted=True) for diagnosis in diagnose(recording)]
    config = Config(fail_on=("costly", "bounded"))
    concluded = judge_run(recording, accepted, config, None, command=("train.py",), code=0, unrecorded=())
    assert concluded.complaints == []
