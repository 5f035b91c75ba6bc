"""The programs of the tutorials do what the tutorials show of them, in the real frameworks."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import traceonce
from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.facts import Recording

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "examples" / "tutorial"
PAGES = {"tensorflow": "tensorflow", "jax": "jax", "torch": "pytorch"}


@pytest.mark.parametrize("framework", PAGES)
def test_the_program_is_still_slow_for_the_causes_that_are_shown(framework: str) -> None:
    pytest.importorskip(framework)
    (shown,) = diagnose_linked(Recording.load(TUTORIAL / "recorded" / f"{framework}_before.jsonl"))
    with traceonce.watch() as seen:
        runpy.run_path(str(TUTORIAL / f"train_{framework}.py"))
    found = seen[shown.function.name]
    assert (found.verdict, found.traces) == (shown.verdict, shown.traces)
    assert [(cause.code, cause.path) for cause in found.causes] == [(cause.code, cause.path) for cause in shown.causes]


@pytest.mark.parametrize("framework", PAGES)
@pytest.mark.parametrize("language", ["", ".zh"], ids=["en", "zh"])
def test_the_test_at_the_end_allows_what_the_fix_leaves(framework: str, language: str) -> None:
    page = (ROOT / "docs" / "tutorial" / f"{PAGES[framework]}{language}.md").read_text(encoding="utf-8")
    allowed = re.findall(r'max_traces\((\d+), function="(\w+)"\)', page)
    (repaired,) = diagnose_linked(Recording.load(TUTORIAL / "recorded" / f"{framework}_after.jsonl"))
    assert allowed == [(str(repaired.traces), repaired.function.name.rpartition(".")[2])]
    assert repaired.verdict.is_ignorable
