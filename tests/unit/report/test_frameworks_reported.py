"""A function that PyTorch gave up on, one that JAX compiles without a trace: as every report shows them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.unit.handmade import Events, cause, record, tensor
from tests.unit.report.made_reports import material_of
from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.facts import CallSite, CauseCode, FellBack, Finding, FunctionId, Leaf, Recording, Verdict
from traceonce.report.base import find_renderer
from traceonce.report.page.change_grid import find_places
from traceonce.report.page.data import make_page_data
from traceonce.report.sentences import call_time, describe_breaks, describe_eager_calls
from traceonce.serve.mcp.prose import tell_run
from traceonce.serve.mcp.run_findings import describe_run
from traceonce.words.translated import Language

FORWARD = FunctionId("Model.forward", "train.py", 5)
BREAK = "Failed to trace builtin operator (train.py:9)"
SITE = CallSite("train.py", 14)


def fallen(**fields: Any) -> Recording:
    """Compiled eight times for as many values of a counter, and no more after that."""
    event = Events(FORWARD, backend="torch", seconds=0.5, call_site=SITE, graph_breaks=(BREAK,))
    events = [
        event(
            tensor("x", 3, 4),
            phase="retrace" if step else "first",
            call=step + 1,
            reasons=(f"0/{step - 1}: self.step == {step - 1}",) if step else (),
            reads={"self.step": str(step)},
        )
        for step in range(8)
    ]
    gone = Finding(
        "torch",
        FORWARD,
        cause(CauseCode.FELL_BACK, "forward", was="compiled", now="eager", note="recompile_limit = 8"),
        fell_back=FellBack(8, SITE, 1010.0, **{"compiled_seconds": 0.0012, "eager_seconds": 0.0084, **fields}),
    )
    return record(*events, calls=9, findings=(gone,), at_least=(FORWARD.key,), command=("train.py",))


def resharded() -> Recording:
    """One trace, and a compilation for each device that its argument lay on."""
    event = Events(FunctionId("total", "train.py", 3), backend="jax", seconds=0.1, graph="total")
    leaves = [msgspec.structs.replace(tensor("x", 4), sharding=f"device {n % 2}") for n in range(5)]
    compiled = [
        event(leaf, kind="compile", phase="retrace" if n else "first", call=n + 1) for n, leaf in enumerate(leaves)
    ]
    return record(event(leaves[0], call=1), *compiled, calls=6)


def told(recording: Recording, form: str = "text", language: Language = "en") -> str:
    return find_renderer(form)(material_of(recording, form, language))


def test_what_a_terminal_says() -> None:
    lines = told(fallen()).splitlines()
    title = next(line for line in lines if line.startswith("Model.forward"))
    assert title.startswith("Model.forward  fell back to plain Python after 8 compilations · ")
    assert "torch.compile at train.py:5, called from train.py:14" in title
    eager = next(line for line in lines if line.startswith("  eager "))
    assert eager.split("   ")[-1].strip() == (
        "from the call at train.py:14 on; a call took 1.2 ms compiled, and takes 8.4 ms now, 7.0 times as long"
    )
    assert any(line.startswith("  breaks ") and line.endswith(f"1 graph break: {BREAK}") for line in lines)


def test_the_verdict_is_its_own() -> None:
    (diagnosis,) = diagnose_linked(fallen())
    assert diagnosis.verdict is Verdict.FELL_BACK
    assert diagnosis.calls_at_least


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            (
                "fell back to plain Python after 8 compilations",
                "| fell\\_back |",
                "≥ 9",
                "and takes 8.4 ms now, 7.0 times as long",
            ),
        ),
        (
            "zh",
            (
                "编译 8 次后退回普通 Python 运行",
                "退回即时执行",
                "≥ 9",
                "现在用 8.4 毫秒，是原来的 7.0 倍",
                "不再编译，而是作为普通 Python 运行",
            ),
        ),
    ],
)
def test_what_a_comment_says(language: Language, words: tuple[str, ...]) -> None:
    text = told(fallen(), "markdown", language)
    for each in words:
        assert each in text or each.replace("\\", "") in text, each
    assert "Failed to trace builtin operator" in text


def test_what_code_scanning_says() -> None:
    (run,) = json.loads(told(fallen(), "sarif"))["runs"]
    (found,) = [result for result in run["results"] if result["ruleId"] == "fell_back"]
    assert found["level"] == "warning"
    assert "a call took 1.2 ms compiled" in found["message"]["text"]
    assert found["properties"]["callsAtLeast"] is True


def test_what_github_says() -> None:
    assert "title=traceonce%3A forward has fallen back::" in told(fallen(), "github")


def test_what_the_page_knows() -> None:
    (function,) = make_page_data(material_of(fallen(), "html"))["functions"]
    assert function["verdict"] == "fell_back"
    assert function["compilations"] == 8
    assert function["fell_back"]["en"].endswith("and takes 8.4 ms now, 7.0 times as long.")
    assert function["fell_back"]["zh"].startswith("从 train.py:14 的调用起不再编译；")
    assert function["graph_breaks"] == (BREAK,)
    remedies = {one["code"]: one["remedy"] for one in function["causes"]}
    assert remedies["fell_back"]["en"].startswith("Fix what makes it recompile; raising torch._dynamo")
    assert remedies["fell_back"]["zh"].endswith("。")


def test_what_an_agent_is_told() -> None:
    recording = fallen()
    found = describe_run("run.jsonl", recording, diagnose_linked(recording))
    (function,) = found.functions
    assert function.framework == "torch"
    assert function.calls_at_least
    assert function.fell_back is not None
    assert (function.fell_back.compilations, function.fell_back.line) == (8, 14)
    text = tell_run(found)
    assert "8 compilations in at least 9 calls" in text
    assert "fell back to plain Python after 8 compilations; from the call at train.py:14 on" in text
    assert f"1 graph break: {BREAK}" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"eager_seconds": None}, "a call took 1.2 ms compiled"),
        ({"compiled_seconds": None}, "a call that was not compiled took 8.4 ms"),
        ({"compiled_seconds": 0.0075}, "a call took 7.5 ms compiled, and takes 8.4 ms now"),
        ({"compiled_seconds": 0.042}, "a call took 42.0 ms compiled, and takes 8.4 ms now: 5.0 times as fast"),
        ({"compiled_seconds": None, "eager_seconds": None}, "from the call at train.py:14 on"),
    ],
)
def test_only_what_was_measured_is_said(fields: dict[str, Any], words: str) -> None:
    (finding,) = fallen(**fields).findings
    assert finding.fell_back is not None
    assert describe_eager_calls(finding.fell_back).endswith(words)
    assert "not measured" in describe_eager_calls(FellBack())


def test_short_calls_have_figures() -> None:
    assert [call_time(seconds) for seconds in (0.000042, 0.0042, 4.2)] == ["42 µs", "4.2 ms", "4.2 s"]


def test_many_graph_breaks_are_counted() -> None:
    assert describe_breaks(["a", "b", "c", "d", "e"]) == "5 graph breaks: a; b; c; … 2 more"


def test_breaks_of_a_function_that_is_fine_are_told() -> None:
    event = Events(FORWARD, backend="torch", graph_breaks=(BREAK,))
    text = told(record(event(tensor("x", 3), call=1), calls=5, at_least=(FORWARD.key,)))
    assert f"note  Model.forward has 1 graph break: {BREAK}" in text


def test_a_function_that_is_recompiled() -> None:
    event = Events(FORWARD, backend="torch", seconds=0.5)
    events = [event(tensor("x", n), phase="retrace" if n > 3 else "first", call=n - 2) for n in range(3, 9)]
    text = told(record(*events, calls=6, at_least=(FORWARD.key,)))
    assert "Model.forward  recompiled 5 times in at least 6 calls" in text
    assert "XLA" not in text


def test_a_compilation_without_a_trace_is_about_devices() -> None:
    text = told(resharded())
    assert "total  compiled 5 times under 1 trace in 6 calls" in text
    assert "is on other devices, or is sharded differently" in text
    assert "jax.device_put(x, sharding)" in text
    assert "XLA" not in text


def test_places_that_only_some_frameworks_have() -> None:
    """They are rows of the grid where they change, and only there."""
    weak = Leaf("s", "tensor", dtype="float32", shape=(), weak=True)
    strong = msgspec.structs.replace(weak, weak=False)
    rows = Leaf("x", "tensor", dtype="float32", shape=(3, 4), stride=(4, 1))
    columns = msgspec.structs.replace(rows, stride=(1, 3))
    event = Events()
    places = find_places([event(weak, rows).signature, event(strong, columns).signature])
    assert places.paths[:2] == ["s.weak_type", "x.stride()"]
    assert [[places.texts[n] for n in row[:2]] for row in places.rows] == [["True", "contiguous"], ["False", "(1, 3)"]]
    assert not any("sharding" in path or "requires_grad" in path for path in (*places.paths, *places.constant))
    taller = msgspec.structs.replace(rows, shape=(5, 4))
    grown = find_places([event(rows).signature, event(taller).signature])
    assert not any("stride" in path for path in grown.paths)
