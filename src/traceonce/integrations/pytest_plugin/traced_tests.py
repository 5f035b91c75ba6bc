"""What the process that ran a test tells the one that leads the session: plain data, which xdist can carry."""

from __future__ import annotations

import msgspec
import pytest

from traceonce.facts import Verdict
from traceonce.limits.baseline import Functions


class TracedFunction(msgspec.Struct, frozen=True, omit_defaults=True):
    """One function in one test, for a line of the summary. `records` explain its causes."""

    name: str
    verdict: Verdict
    traces: int
    retraces: int
    lost_seconds: float
    calls: int | None = None
    calls_at_least: bool = False
    causes: str = ""
    records: tuple[str, ...] = ()


class TracedTest(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one test traced.

    `ended` is False where an error or a skip ended it early: it may have had more to do. `better` names
    the functions that needed less than the baseline accepts, `problems` say what was not watched properly, and
    `traced_for` what each function was traced for, as digests.
    """

    test: str
    functions: tuple[TracedFunction, ...] = ()
    state: Functions = {}
    better: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ended: bool = True
    traced_for: dict[str, tuple[str, ...]] = {}


def attach(outcome: TracedTest, report: pytest.TestReport) -> None:
    report.traceonce = msgspec.to_builtins(outcome)  # type: ignore[attr-defined]  # carried by xdist, as any attribute


def detach(report: pytest.TestReport) -> TracedTest | None:
    data = getattr(report, "traceonce", None)
    return msgspec.convert(data, TracedTest) if data is not None else None
