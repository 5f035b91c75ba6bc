"""What people say: when a claim counts as true, and what the page shows of it."""

from __future__ import annotations

import pytest

from traceonce.errors import RecordError
from traceonce.knowledge.claims import Claim, Expected, Result, load_claims, load_programs
from traceonce.knowledge.claims.page import WORDS, render_claims
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.measurement import Failed, SeenFunction, TrialMeasurement

RAISED = Failed(types=("MyError", "ValueError"), message="no", traceback="")


def claim(expected: Expected, **measured: dict[str, Result]) -> Claim:
    return Claim("claim_x", "a page", "It is so.", "如此。", "It is not.", "并非如此。", {"": expected}, [], measured)


def seen(traces: int = 1, **fields: object) -> TrialMeasurement:
    function = SeenFunction(name="f", traces=traces, verdict="ok")
    return TrialMeasurement(functions=(function,), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("expected", "measured", "result"), [
    (Expected(traces=1), seen(1), (True, "1 trace")),
    (Expected(traces=1), seen(2), (False, "2 traces")),
    (Expected(raises="ValueError"), seen(error=RAISED), (True, "MyError")),
    (Expected(raises="ValueError"), seen(1), (False, "1 trace")),
    (Expected(traces=1), seen(1, error=RAISED), (False, "MyError")),
    (Expected(outputs="right"), seen(1, outputs=[1.0]), (True, "1 trace")),
    (Expected(outputs="right"), seen(1, outputs=[2.0]), (False, "1 trace, wrong outputs")),
    (Expected(outputs="some"), seen(1, outputs=["a", "b"]), (True, "a, b")),
    (Expected(outputs="some"), seen(1, outputs=[]), (False, "nothing found")),
    (Expected(traces=1), seen(1, outputs={"a": 1}), (True, "1 trace; a: 1")),
])  # fmt: skip
def test_what_is_seen_against_what_is_said(
    expected: Expected, measured: TrialMeasurement, result: tuple[bool, str]
) -> None:
    assert claim(expected).result("", measured, [1.0]) == Result(*result)


def test_a_program_that_broke_says_nothing() -> None:
    with pytest.raises(RecordError, match="claim_x : it hung"):
        claim(Expected(traces=1)).result("", seen(broken="it hung"), None)


@pytest.mark.parametrize(
    ("held", "verdict"), [([], "not run"), ([True, True], "true"), ([True, False], "sometimes"), ([False], "false")]
)
def test_the_verdict_is_over_all_versions(held: list[bool], verdict: str) -> None:
    measured = {f"2.{number}.0": {"": Result(each, "")} for number, each in enumerate(held)}
    assert claim(Expected(), **measured).verdict == verdict


def test_versions_stand_in_order_also_one_that_is_not_released() -> None:
    measured = claim(Expected(traces=1))
    for version in ("2.21.0", "2.9.1", "2.22.0rc1"):
        measured = measured.with_results(version, {"": Result(True, "1 trace")})
    assert list(measured.measured) == ["2.9.1", "2.21.0", "2.22.0rc1"]


def test_the_page() -> None:
    agreed, differing = {"": Result(False, "2 traces")}, {"": Result(True, "1 trace")}
    programs = {"claim_x": Trial("claim_x", "claim", "step(1)")}
    page = render_claims([claim(Expected(traces=1), **{"2.9": agreed, "2.21": agreed})], programs)
    assert "| — | 1 trace | 2 traces |" in page
    assert "**false.** It is not." in page
    assert "```python\nstep(1)\n```" in page
    page = render_claims([claim(Expected(traces=3), **{"2.9": agreed, "2.21": differing})], programs, "zh")
    assert "| — | 追踪 3 次 | 2.9: 2 traces; 2.21: 1 trace |" in page
    assert "有时成立" in page


def test_ours_have_a_program_and_records_that_are_there() -> None:
    claims, programs, records = load_claims(), load_programs(), Collection()
    assert {each.trial for each in claims} == {name for name in programs if name.startswith("claim_")}
    for each in claims:
        assert set(each.expects) == set(programs[each.trial].cases or [""])
        assert all(named in records for named in each.records)
        assert each.verdict in WORDS
