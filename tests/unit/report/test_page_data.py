"""The data of the HTML report: the contract between Python and the page's scripts."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from tests.unit.report.made_reports import PROGRAMS, material_of, recorded
from traceonce.causes import CATALOGUE
from traceonce.facts import (
    Breach,
    CallSite,
    Cause,
    CauseCode,
    Excerpt,
    Finding,
    Fix,
    FunctionId,
    Limit,
    Measurement,
    Notice,
    Proof,
    Recording,
    Repair,
    TraceEvent,
)
from traceonce.facts.cause import SILENT
from traceonce.frameworks.tensorflow.words import BECOMES_TENSOR
from traceonce.report.page.data import describe_catalogue, embed_json, make_page_data
from traceonce.words.notes.diagnoses import CALLS_NOT_COUNTED
from traceonce.words.notes.proofs import BEYOND_NOT_TRIED

number = (int, float)
optional_number = (int, float, type(None))
optional_text = (str, type(None))
optional_count = (int, type(None))

DOCUMENT: dict[str, Any] = {
    "schema": str,
    "version": str,
    "language": str,
    "command": list,
    "fix_command": optional_text,
    "runs": int,
    "exit_code": optional_count,
    "seconds": number,
    "complete": bool,
    "started": number,
    "environment": dict,
    "error": optional_text,
    "functions": list,
    "dialects": dict,
    "events": list,
    "refused": list,
    "records": dict,
    "notices": list,
}
FUNCTION: dict[str, Any] = {
    "backend": str,
    "name": str,
    "file": optional_text,
    "line": optional_count,
    "library": bool,
    "verdict": str,
    "alarm": bool,
    "silent": bool,
    "ignorable": bool,
    "attention": str,
    "family": str,
    "growth": str,
    "unit": str,
    "made": int,
    "again": int,
    "wrong": (dict, type(None)),
    "reason": dict,
    "traces": int,
    "retraces": int,
    "internal": int,
    "failed": int,
    "calls": optional_count,
    "calls_at_least": bool,
    "compiles": int,
    "backwards": int,
    "seconds": number,
    "first_run_seconds": number,
    "lost_seconds": number,
    "unclear_seconds": number,
    "costly": bool,
    "needed_seconds": number,
    "share": optional_number,
    "bytes": optional_count,
    "unwatched": optional_text,
    "accepted": (bool, type(None)),
    "notes": dict,
    "compilations": int,
    "fell_back": (dict, type(None)),
    "graph_breaks": list,
    "limits": dict,
    "causes": list,
    "call_sites": list,
    "source": (dict, type(None)),
    "call_excerpts": list,
    "places": list,
    "texts": list,
    "constant": list,
    "fixes": list,
    "records": list,
}
EVENT: dict[str, Any] = {
    "id": int,
    "function": int,
    "kind": str,
    "phase": str,
    "ordinal": int,
    "call": optional_count,
    "start": number,
    "seconds": number,
    "first_run_seconds": optional_number,
    "nodes": optional_count,
    "site": (dict, type(None)),
    "thread": str,
    "process": str,
    "error": optional_text,
    "causes": list,
    "families": list,
    "v": list,
}
CAUSE: dict[str, Any] = {"code": str, "path": str, "was": str, "now": str, "evidence": str}
CAUSE_OF_FUNCTION = CAUSE | {
    "count": int,
    "values": list,
    "type": optional_text,
    "note": optional_text,
    "finite": bool,
    "said": dict,
    "remedy": dict,
    "alarm": (dict, type(None)),
    "changed_since": bool,
}


def page_data(recording: Recording) -> dict[str, Any]:
    """As the page reads it: through JSON."""
    data: dict[str, Any] = msgspec.json.decode(embed_json(make_page_data(material_of(recording, "html"))))
    return data


def check(thing: dict[str, Any], contract: dict[str, Any]) -> None:
    assert set(thing) == set(contract)
    wrong = {key: thing[key] for key, kind in contract.items() if not isinstance(thing[key], kind)}
    assert not wrong


@pytest.mark.parametrize("name", PROGRAMS)
def test_contract(name: str) -> None:
    """Every key is there and of the right type, in the recording of every program."""
    data = page_data(recorded(name))
    check(data, DOCUMENT)
    for function in data["functions"]:
        check(function, FUNCTION)
        for found in function["causes"]:
            check(found, CAUSE_OF_FUNCTION)
    for event in data["events"]:
        check(event, EVENT)
        for found in event["causes"]:
            check(found, CAUSE)
        function = data["functions"][event["function"]]
        assert len(event["v"]) == len(function["places"])
        assert set(event["families"]) <= set(describe_catalogue()["families"])
        assert all(-1 <= text < len(function["texts"]) for text in event["v"])


def test_what_an_event_is_coloured_by() -> None:
    """Its first two families, in the order of its function's causes: the most frequent one first."""
    events = Events()
    calls = [(1, 3), (2, 3), (3, 3), (4, 5)]
    made = [events(tensor("x", size), python("k", k), call=n) for n, (size, k) in enumerate(calls, 1)]
    data = page_data(record(*made, calls=4))
    assert [event["families"] for event in data["events"]] == [["first"], ["shape"], ["shape"], ["shape", "value"]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_events_add_up_to_the_diagnosis(name: str) -> None:
    """What is drawn is what is counted: traces, retraces, internal ones, compilations and backward graphs."""
    data = page_data(recorded(name))
    for index, function in enumerate(data["functions"]):
        own = [event for event in data["events"] if event["function"] == index]
        refused = [event for event in own if (event["error"] or "").startswith("TracingLimitReached")]
        traces = [event for event in own if event["kind"] == "trace" and event not in refused]
        phases = [event["phase"] for event in traces]
        assert phases.count("first") + phases.count("retrace") == function["traces"]
        assert phases.count("retrace") == function["retraces"]
        assert phases.count("internal") == function["internal"]
        assert phases.count("failed") == function["failed"]
        kinds = [event["kind"] for event in own]
        assert (kinds.count("compile"), kinds.count("backward")) == (function["compiles"], function["backwards"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_cause_has_its_row(name: str) -> None:
    """The place of a cause in the arguments is a row of the grid, under the same name."""
    data = page_data(recorded(name))
    elsewhere = {"new_function", "new_instance", "stale", "confused", "unknown", "variable_creation"}
    for event in data["events"]:
        function = data["functions"][event["function"]]
        paths = {found["path"] for found in event["causes"] if found["code"] not in elsewhere}
        assert paths <= {*function["places"], function["name"]}


def test_events_are_numbered_in_the_order_of_time() -> None:
    """From 1, and their start counts from the beginning of the run."""
    event = Events(start=2000.0)
    events = [event(python("step", n), call=n + 1, seconds=0.5) for n in range(3)]
    data = page_data(record(*events, calls=3, started=1990.0))
    assert [event["id"] for event in data["events"]] == [1, 2, 3]
    assert [event["start"] for event in data["events"]] == [10.0, 11.0, 12.0]
    assert [event["ordinal"] for event in data["events"]] == [1, 2, 3]


def test_events_of_functions_without_a_diagnosis_are_left_out() -> None:
    """What the framework traced for itself only is no function of the user's."""
    internal = Events(FunctionId("initialise"))(phase="internal")
    data = page_data(record(Events()(tensor("x", 1)), internal))
    assert [function["name"] for function in data["functions"]] == ["train_step"]
    assert len(data["events"]) == 1


def creating_variables() -> list[TraceEvent]:
    event = Events(seconds=1.0, exclusive_seconds=1.0)
    after = {"scope": "after the variables were created"}
    first = event(tensor("x", 1), call=1)
    again = event(tensor("x", 1), call=1, phase="retrace")
    again = msgspec.structs.replace(again, signature=msgspec.structs.replace(again.signature, context=after))
    other = event(tensor("x", 2), call=2, phase="retrace", first_run_seconds=0.5)
    other = msgspec.structs.replace(other, signature=msgspec.structs.replace(other.signature, context=after))
    return [first, again, other]


def test_the_trace_after_variables_were_created_is_internal() -> None:
    """It has no number, and the time that it took was needed."""
    data = page_data(record(*creating_variables(), calls=2))
    assert [(event["phase"], event["ordinal"]) for event in data["events"]] == [
        ("first", 1),
        ("internal", 0),
        ("retrace", 2),
    ]
    assert data["functions"][0]["needed_seconds"] == 2.0


def test_a_first_compilation_is_not_counted_twice() -> None:
    """It happened in the first run of its graph, whose time is that of the trace."""
    event = Events(jit_compile=True, graph="g")
    trace = event(tensor("x", 1), seconds=1.0, first_run_seconds=3.0, steady_run_seconds=0.5)
    compiled = event(tensor("x", 1), kind="compile", seconds=2.0, parent=trace.id)
    (function,) = page_data(record(trace, compiled))["functions"]
    assert function["needed_seconds"] == 3.5


def test_source_comes_from_the_recording() -> None:
    """The function's lines, and those around its call; a call inside the same lines is not shown twice."""
    inside, outside = CallSite("train.py", 23), CallSite("train.py", 90)
    event = Events()
    events = [event(tensor("x", n), call_site=site) for n, site in enumerate([inside, outside, outside])]
    excerpts = (
        Excerpt("train.py", 21, ("@tf.function", "def train_step(x):", "  …")),
        Excerpt("train.py", 89, ("a", "b")),
    )
    (function,) = page_data(record(*events, excerpts=excerpts))["functions"]
    assert function["source"] == {
        "file": "train.py",
        "start": 21,
        "lines": ["@tf.function", "def train_step(x):", "  …"],
    }
    assert function["call_excerpts"] == [{"file": "train.py", "start": 89, "lines": ["a", "b"], "line": 90}]


def test_no_line_is_shown_twice() -> None:
    """Two calls near each other share their lines; a function inside another has its own."""
    inner = FunctionId("outer.<locals>.inner", "train.py", 12)
    event = Events(inner)
    sites = [CallSite("train.py", 21), CallSite("train.py", 21), CallSite("train.py", 23)]
    events = [event(tensor("x", n), call_site=site) for n, site in enumerate(sites)]
    outer, own = Excerpt("train.py", 10, ("def outer():",) * 8), Excerpt("train.py", 12, ("def inner(x):",) * 3)
    calls = Excerpt("train.py", 18, ("call",) * 7), Excerpt("train.py", 20, ("call",) * 7)
    (function,) = page_data(record(*events, excerpts=(outer, own, *calls)))["functions"]
    assert function["source"]["start"] == 12
    assert [(found["start"], found["line"]) for found in function["call_excerpts"]] == [(18, 21)]


def test_a_recording_without_source_has_none() -> None:
    """Old recordings, and those made with --no-source."""
    (function,) = page_data(record(Events()(tensor("x", 1), call_site=CallSite("train.py", 5))))["functions"]
    assert function["source"] is None
    assert function["call_excerpts"] == []


def test_a_proved_fix_with_its_proof() -> None:
    """What `traceonce fix` has found, with all that the page says of it."""
    proof = Proof(Measurement(3, 3, 9.0, 2.0), Measurement(1, 3, 3.0, 0.5), True, "proved", compared=3, tolerance=1e-5)
    fix = Fix("input_signature", "safe", 1, "@tf.function(…)", proof, diff="--- a/train.py\n+++ b/train.py\n")
    event = Events()
    events = [event(python("step", n), call=n + 1) for n in range(3)]
    data = page_data(record(*events, calls=3, repairs=(Repair("tensorflow", STEP, (fix,)),)))
    (shown,) = data["functions"][0]["fixes"]
    assert shown["notes"] == {"en": [], "zh": []}
    assert shown["diff"] == fix.diff
    assert shown["proof"]["speedup"] == 4.0
    assert shown["proof"]["before"]["traces"] == 3
    assert shown["proof"]["after"]["seconds_per_call"] == 0.5


def test_notes_are_sentences_in_both_languages() -> None:
    """Finished, with code between backticks; from an older recording, the text that it has."""
    notes = (BECOMES_TENSOR(names=["step"]), BEYOND_NOT_TRIED())
    coded = Fix("input_signature", "review", 1, "@tf.function(…)", note="in English", coded_notes=notes)
    older = Fix("input_signature", "review", 1, "@tf.function(…)", note="in English")
    repair = Repair("tensorflow", STEP, (coded, older), ("said before there were codes",))
    data = page_data(record(Events()(python("step", 1)), repairs=(repair,)))
    (function,) = data["functions"]
    assert function["notes"] == {
        "en": [CALLS_NOT_COUNTED.en, "said before there were codes"],
        "zh": [CALLS_NOT_COUNTED.zh, "said before there were codes"],
    }
    shown, as_it_is = function["fixes"]
    assert as_it_is["notes"] == {"en": ["in English"], "zh": ["in English"]}
    assert shown["notes"] == {
        "en": [
            "`step` becomes a tensor: during tracing, Python cannot index with, format or branch on it.",
            "No calls beyond the run could be tried.",
        ],
        "zh": [
            "`step` 变成张量，追踪时 Python 代码不能用它做下标、格式化或分支判断。",
            "无法试行本次运行之外的调用。",
        ],
    }


def test_limits_in_words() -> None:
    """How often each was reached, and what the program got."""
    refused = Breach("tensorflow", STEP, Limit(3), 3, 4, (cause(),))
    warned = Breach("tensorflow", STEP, Limit(1, of="traces"), 0, 1, refused=False)
    data = page_data(record(Events()(tensor("x", 1)), breaches=(refused, refused, warned)))
    assert data["functions"][0]["limits"] == {
        "en": ["3 retraces; 2 calls refused", "1 trace; the program went on"],
        "zh": ["重新追踪 3 次；2 次调用被拒绝", "追踪 1 次；程序继续运行"],
    }


def test_a_function_that_was_allowed_no_trace() -> None:
    """It has no diagnosis, and must be told of all the same."""
    refused = Breach("tensorflow", FunctionId("other"), Limit(0, of="traces"), 0, 0)
    data = page_data(record(Events()(tensor("x", 1)), breaches=(refused,)))
    assert [function["limits"] for function in data["functions"]] == [{"en": [], "zh": []}]
    assert data["refused"] == [
        {"name": "other", "limits": {"en": ["0 traces; 1 call refused"], "zh": ["追踪 0 次；1 次调用被拒绝"]}}
    ]


def test_runs_that_happened_at_the_same_time_stand_in_a_row() -> None:
    """Their traces are numbered as they are shown, not as the clock had them."""
    made = [Events(start=1000.0 + shift, seconds=0.1) for shift in (0.0, 0.5)]
    runs = [record(*(event(python("step", n)) for n in range(3))) for event in made]
    named = [msgspec.structs.replace(run, runs=(f"run {k}",)) for k, run in enumerate(runs)]
    data = page_data(Recording.merge(named))
    assert data["runs"] == 2
    assert [event["ordinal"] for event in data["events"]] == [1, 2, 3, 4, 5, 6]
    assert [event["process"][:2] for event in data["events"]] == ["r1"] * 3 + ["r2"] * 3


def test_a_trace_whose_forerunner_is_lost() -> None:
    """A damaged line hides the first trace: the next one has nothing to be compared with, and so is the first."""
    data = page_data(record(Events()(tensor("x", 2), phase="retrace")))
    assert [event["phase"] for event in data["events"]] == ["first"]
    assert data["functions"][0]["retraces"] == 0


def test_what_the_reader_must_know() -> None:
    """Notices, but not the one that names the hook; the line of the error that says what is wrong."""
    notices = (Notice("watched through cache misses", hook=True), Notice("a process was killed"))
    data = page_data(record(notices=notices, error="in user code:\n  line 3\n    ValueError: no\n", complete=False))
    assert data["notices"] == [{"en": "a process was killed", "zh": "a process was killed"}]
    assert data["error"] == "ValueError: no"
    assert data["complete"] is False


def test_silent_findings_are_causes_without_an_event() -> None:
    """Nobody knows when a wrong value was served: it is told, but not drawn."""
    data = page_data(recorded("silently_wrong"))
    codes = {found["code"] for function in data["functions"] for found in function["causes"]}
    assert {CauseCode.STALE.value, CauseCode.CONFUSED.value} <= codes
    assert not any(event["causes"] for event in data["events"])


@pytest.mark.parametrize("text", ["</script>", "<script>alert(1)</script>", "<!--", "a\u2028b\u2029c", "a & b", "]]>"])
def test_json_cannot_leave_its_element(text: str) -> None:
    """No mark that HTML or JavaScript would take for its own; what is read back is what was written."""
    embedded = embed_json({"name": text, text: [text]})
    assert not set(embedded) & set("<>&\u2028\u2029")
    assert msgspec.json.decode(embedded) == {"name": text, text: [text]}


def test_a_name_that_is_no_text() -> None:
    """A file name with bytes that are no UTF-8 reaches us with lone surrogates."""
    assert embed_json({"file": "a\udcff.py"}) == '{"file":"a\\udcff.py"}'


def found(one: Cause) -> dict[str, Any]:
    """The only function of a run in which this was found."""
    (function,) = page_data(record(Events()(tensor("x", 1)), findings=(Finding("tensorflow", STEP, one),)))["functions"]
    return function


@pytest.mark.parametrize("code", sorted(SILENT))
def test_a_wrong_value_has_its_headline_and_its_line(code: CauseCode) -> None:
    """Finished words in both languages, whichever cause it is."""
    function = found(cause(code, "self.scale", was="1.0", now="2.0"))
    wrong = CATALOGUE[code].wrong_value
    assert wrong is not None
    assert function["attention"] == "alarms"
    assert function["wrong"]["headline"] == wrong.words.headline._asdict()
    assert function["wrong"]["lede"] == wrong.words.lede._asdict()
    assert function["causes"][0]["alarm"] == wrong.words.alarm._asdict()


def test_what_was_not_shown_is_said_so() -> None:
    """In the headline and in the line, both by Python."""
    function = found(cause(CauseCode.STALE, "RATE", was="1.0", now="2.0", evidence="inferred"))
    assert function["wrong"]["headline"]["en"] == "{name} may use an old value"
    assert "may use" in function["causes"][0]["alarm"]["en"]


def test_a_value_that_changed_after_the_last_call_is_no_alarm() -> None:
    function = found(cause(CauseCode.STALE, "RATE", was="1.0", now="2.0", note="seen at the end"))
    (shown,) = function["causes"]
    assert (function["wrong"], function["attention"]) == (None, "quiet")
    assert (shown["alarm"], shown["changed_since"]) == (None, True)


def test_what_is_counted_where_it_is_compiled_again() -> None:
    """Compilations, and of them the later ones; the traces of all others."""
    event = Events(jit_compile=True, graph="g")
    trace = event(tensor("x", 1))
    phases = ["first", *["retrace"] * 3]
    compiled = [event(tensor("x", n), kind="compile", phase=phase, call=n) for n, phase in enumerate(phases, 1)]
    (function,) = page_data(record(trace, *compiled, calls=4))["functions"]
    assert (function["verdict"], function["unit"]) == ("recompiling", "compile")
    assert (function["made"], function["again"]) == (4, 3)
    (other,) = page_data(record(Events()(tensor("x", 1))))["functions"]
    assert (other["unit"], other["made"], other["again"]) == ("trace", 1, 0)


@pytest.mark.parametrize(("backend", "option"), [("tensorflow", "--xla"), ("jax", None)])
def test_the_option_that_would_have_shown_compilations(backend: str, option: str | None) -> None:
    """As the framework's dialect has it; of one whose compilations are always watched, nothing is said."""
    (function,) = page_data(record(Events(backend=backend, jit_compile=True)(tensor("x", 1))))["functions"]
    assert function["unwatched"] == option
