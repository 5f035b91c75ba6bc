"""What `traceonce fix` says of a function that it could not settle."""

from __future__ import annotations

from tests.unit.handmade import STEP, diagnosis
from traceonce.console.repair_report import tried_lines
from traceonce.facts import FunctionId
from traceonce.fix.case import Case
from traceonce.prove.search_result import Repaired


def told(function: FunctionId) -> list[str]:
    repaired = Repaired(Case(diagnosis(function=function), ()), (), (), (), settled=False)
    return list(tried_lines(repaired, ["train.py", "--epochs", "3"]))[2:]


def test_a_function_of_a_library_can_be_repaired_there() -> None:
    smooth = FunctionId("smooth", "/venv/lib/python3.11/site-packages/curvekit/smoothing.py", 3, library=True)
    command = "traceonce fix --library curvekit train.py --epochs 3"
    assert told(smooth) == [f"  it belongs to curvekit: {command} looks for a fix there"]
    assert told(STEP) == ["  no fix is known that preserves the program's meaning"]
