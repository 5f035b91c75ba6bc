"""What the REST interface answers about recordings and knowledge, on both databases."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from traceonce import __version__
from traceonce.facts import Recording
from traceonce.knowledge.collection import Collection
from traceonce.serve.models import Comparison, ExplainAnswer, Findings, MatchAnswer, RecordingDetails

Recorded = Callable[[str], bytes]
API = "/api/v1"
SYMBOLIC = "OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"


def upload(client: TestClient, data: bytes, name: str = "") -> dict[str, Any]:
    """Store a recording, or find the same that another test has stored."""
    answer = client.post(f"{API}/recordings", params={"name": name}, content=data)
    assert answer.status_code in (200, 201), answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def translate(client: TestClient, recorded: Recorded) -> str:
    """The id of a recording with five functions."""
    return str(upload(client, recorded("translate"), "translate")["id"])


def test_health(client: TestClient) -> None:
    """It says which version answers, and how many records it knows."""
    answer = client.get(f"{API}/health")
    assert answer.json() == {"status": "ok", "version": __version__, "records": len(Collection())}


def test_the_summary_says_what_the_run_was(client: TestClient, recorded: Recorded) -> None:
    """Its command, its cost and its worst function; the same when it is listed."""
    data = recorded("wall")
    summary = upload(client, data, "  the\nwall  ")
    recording = Recording.from_bytes(data)
    assert summary["name"] == "the wall"
    assert summary["command"] == ["wall.py"]
    assert summary["exit_code"] == 0
    assert summary["size"] == len(data)
    assert summary["seconds"] == recording.seconds
    assert summary["environment"] == recording.environment
    assert (summary["functions"], summary["traces"]) == (1, 120)
    assert summary["worst"] == {"name": "score", "verdict": "retracing"}
    assert summary["lost_seconds"] > 0
    listed = client.get(f"{API}/recordings", params={"search": "WALL score"}).json()
    assert listed == {"total": 1, "recordings": [summary]}


def test_a_recording_without_a_name_is_called_like_its_program(client: TestClient, recorded: Recorded) -> None:
    """So that a list says something."""
    assert upload(client, recorded("anew"))["name"] == "anew.py"


def test_details_have_every_function_worst_first(client: TestClient, translate: str) -> None:
    """Each with its verdict, its counts and its causes."""
    details = RecordingDetails.model_validate(client.get(f"{API}/recordings/{translate}").json())
    assert details.functions == len(details.by_function) == 5
    assert details.worst is not None
    assert details.by_function[0].name == details.worst.name
    assert details.by_function[0].causes
    assert sum(function.traces for function in details.by_function) == details.traces


def test_the_raw_recording_is_what_was_uploaded(client: TestClient, recorded: Recorded, translate: str) -> None:
    """To the byte."""
    answer = client.get(f"{API}/recordings/{translate}/raw")
    assert answer.content == recorded("translate")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert f'filename="traceonce-{translate}.jsonl"' in answer.headers["content-disposition"]


def test_findings_are_the_json_report_without_events(client: TestClient, translate: str) -> None:
    """Field for field."""
    findings = client.get(f"{API}/recordings/{translate}/findings").json()
    report = client.get(f"{API}/recordings/{translate}/report", params={"format": "json"}).json()
    assert report["events"]
    assert findings.pop("left_out") == 0
    assert findings == {key: value for key, value in report.items() if key not in ("events", "excerpts")}
    assert Findings.model_validate(findings).functions


@pytest.mark.parametrize(
    ("form", "kind", "beginning"),
    [
        ("html", "text/html", "<!doctype html>"),
        ("markdown", "text/markdown", "#"),
        ("json", "application/json", "{"),
        ("sarif", "application/sarif+json", "{"),
        ("chrome", "application/json", "{"),
        ("csv", "text/csv", ""),
        ("text", "text/plain", "traceonce"),
    ],
)
def test_reports(client: TestClient, translate: str, form: str, kind: str, beginning: str) -> None:
    """Every form, with the type that it is; the same when it is asked for again."""
    answer = client.get(f"{API}/recordings/{translate}/report", params={"format": form})
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert answer.text.lstrip().lower().startswith(beginning)
    assert len(answer.text) > 200
    assert client.get(f"{API}/recordings/{translate}/report", params={"format": form}).content == answer.content


@pytest.mark.parametrize(("path", "packed"), [("report", True), ("raw", True), ("findings", False)])
def test_large_answers_are_packed(client: TestClient, translate: str, path: str, packed: bool) -> None:
    """For whoever says that they can unpack them; small ones are not, unless they are kept so."""
    address = f"{API}/recordings/{translate}/{path}"
    plain = client.get(address, headers={"Accept-Encoding": "identity"})
    answer = client.get(address, headers={"Accept-Encoding": "deflate, gzip"})
    assert answer.content == plain.content
    assert "content-encoding" not in plain.headers
    assert answer.headers.get("content-encoding") == ("gzip" if packed else None)
    assert (int(answer.headers["content-length"]) < len(plain.content) / 2) == packed
    assert int(plain.headers["content-length"]) == len(plain.content)


def test_a_report_in_chinese(client: TestClient, translate: str) -> None:
    """Its own text beside the English one, in the forms that have one."""
    address = f"{API}/recordings/{translate}/report"
    english, chinese = (client.get(address, params={"format": "markdown", "lang": lang}).text for lang in ("en", "zh"))
    assert english != chinese
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese)
    text = [client.get(address, params={"format": "text", "lang": lang}).text for lang in ("en", "zh")]
    assert text[0] == text[1]


def test_fixes_of_one_function_and_of_all(client: TestClient, recorded: Recorded) -> None:
    """By its whole name or the last part of it; what was proved comes with its proof."""
    address = f"{API}/recordings/{upload(client, recorded('translate_fixed'))['id']}/fixes"
    every = client.get(address).json()["functions"]
    proved = [function for function in every if any(fix["proof"] for fix in function["fixes"])]
    assert proved
    name = proved[0]["function"].rpartition(".")[2]
    one = client.get(address, params={"function": name}).json()["functions"]
    assert one == [function for function in every if function["function"].rpartition(".")[2] == name]
    unknown = client.get(address, params={"function": "nobody"})
    assert unknown.status_code == 404
    assert "There is no function 'nobody' in this recording; it traced: " in unknown.json()["detail"]
    place = f"{name}@{proved[0]['file']}:{proved[0]['line']}"
    assert client.get(address, params={"function": place}).json()["functions"] == one


def test_comparing_two_runs(client: TestClient, recorded: Recorded) -> None:
    """Function by function, the worst change first."""
    before, after = upload(client, recorded("wall")), upload(client, recorded("healthy"))
    answer = client.get(f"{API}/compare", params={"before": before["id"], "after": after["id"]}).json()
    comparison = Comparison.model_validate(answer)
    assert (answer["before"], answer["after"]) == (before, after)
    assert (comparison.traces.before, comparison.traces.after) == (120, after["traces"])
    assert {function.change for function in comparison.functions} == {"new", "gone"}
    with_itself = client.get(f"{API}/compare", params={"before": before["id"], "after": before["id"]}).json()
    assert [function["change"] for function in with_itself["functions"]] == ["same"]


def test_deleting_a_recording(client: TestClient, recorded: Recorded) -> None:
    """It is gone from everywhere, also from what was kept of its reports; then it is unknown."""
    address = f"{API}/recordings/{upload(client, recorded('threads'))['id']}"
    assert client.get(f"{address}/report").status_code == 200
    assert client.delete(address).status_code == 204
    for path in ("", "/raw", "/findings", "/report", "/report?format=json", "/fixes"):
        answer = client.get(address + path)
        assert answer.status_code == 404
        assert "there is no recording" in answer.json()["detail"]
    assert client.delete(address).status_code == 404


def test_matching_a_text(client: TestClient) -> None:
    """The best record first, as the command answers."""
    answer = client.post(f"{API}/match", json={"text": SYMBOLIC})
    found = MatchAnswer.model_validate(answer.json()).matches
    assert (found[0].record, found[0].guess) == ("tensorflow/symbolic-tensor-as-bool", False)
    assert found[0].score > 0.5


@pytest.mark.parametrize("length", [0, 100_000], ids=["short", "long"])
def test_explaining_a_text(client: TestClient, length: int) -> None:
    """What to do, in the language asked for or that of the text, however long it is."""
    text = "all is well\n" * (length // 12) + SYMBOLIC
    english = ExplainAnswer.model_validate(client.post(f"{API}/explain", json={"text": text}).json())
    assert [found.record for found in english.explanations] == ["tensorflow/symbolic-tensor-as-bool"]
    assert english.explanations[0].language == "en"
    assert english.explanations[0].try_first is not None
    chinese = client.post(f"{API}/explain", json={"text": text, "language": "zh"}).json()
    assert chinese["explanations"][0]["language"] == "zh"


def test_an_error_that_nobody_knows(client: TestClient) -> None:
    """It is said so."""
    answer = client.post(f"{API}/explain", json={"text": "FrobnicationError: the frob was not nicated"}).json()
    assert answer["explanations"] == []
    assert answer["unknown"] == ["FrobnicationError: the frob was not nicated"]


def test_searching_records(client: TestClient) -> None:
    """All words must be there; names come before titles, and these before the rest. Pages can be turned."""
    every = client.get(f"{API}/records").json()
    assert every["total"] == len(Collection())
    found = client.get(f"{API}/records", params={"search": "Retracing SHAPE"}).json()
    assert 0 < found["total"] < every["total"]
    assert found["records"][0]["id"] == "tensorflow/retracing-shape"
    second = client.get(f"{API}/records", params={"limit": 1, "offset": 1}).json()
    assert second["records"] == every["records"][1:2]
    assert client.get(f"{API}/records", params={"domain": "nowhere"}).json() == {"total": 0, "records": []}
    chinese = client.get(f"{API}/records", params={"lang": "zh", "limit": 1}).json()["records"][0]
    assert chinese["signature"] != every["records"][0]["signature"]


def test_a_record_is_explained_and_whole(client: TestClient) -> None:
    """In one language; and as its file has it."""
    answer = client.get(f"{API}/records/tensorflow/retracing-shape", params={"lang": "zh"}).json()
    assert answer["explanation"]["language"] == "zh"
    assert len(answer["explanation"]["other_workarounds"]) >= 1
    assert answer["record"] == json.loads(Collection().paths["tensorflow/retracing-shape"].read_bytes())
    unknown = client.get(f"{API}/records/tensorflow/retracing-shapes")
    assert unknown.status_code == 404
    assert "Did you mean tensorflow/retracing-shape" in unknown.json()["detail"]


def test_outcomes(client: TestClient) -> None:
    """Noted with the words of the workaround; listed by record."""
    outcome = {"record": "tensorflow/retracing-dtype", "workaround": 1, "worked": True, "note": "gut"}
    noted = client.post(f"{API}/outcomes", json=outcome)
    assert noted.status_code == 201
    record = Collection().find("tensorflow/retracing-dtype")
    assert noted.json()["action"] == record.workarounds[0].action
    listed = client.get(f"{API}/outcomes", params={"record": "tensorflow/retracing-dtype"}).json()
    assert listed["outcomes"] == [noted.json()]
    assert client.get(f"{API}/outcomes", params={"record": "tensorflow/stale-capture"}).json() == {"outcomes": []}
