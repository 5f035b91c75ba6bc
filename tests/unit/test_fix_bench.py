"""What bench/fix.py writes, and the page that shows it: a program is counted whatever came of it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from tests.cli import corpus

ROOT = Path(__file__).parents[2]


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    """The benchmark, and what makes the page."""
    for folder in ("bench", "docs"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    return importlib.import_module("fix"), importlib.import_module("generators.benchmarks")


def repaired(name: str, framework: str) -> dict[str, Any]:
    ratio = {"median": 0.5, "low": 0.4, "high": 0.6}
    judged = "raises" if framework == "tensorflow" else None
    traces = {"before": 8, "after": 1} | ({"relaxed": 4} if judged else {})
    ratios = {"after_to_before": ratio, "after_to_relaxed": None, "relaxed_to_before": None, "a_a": ratio}
    return {
        "program": name,
        "framework": framework,
        "came_to": "repaired",
        "expected": "repaired",
        "fix_seconds": 4.0,
        "not_repaired": None,
        "traces": traces,
        "reduce_retracing": judged,
        **ratios,
    }


def test_the_page_shows_what_the_benchmark_writes(modules: tuple[ModuleType, ModuleType]) -> None:
    bench, page = modules
    advised = {"program": "b.py", "came_to": "nothing", "expected": "advised", "fix_seconds": 2.0}
    skipped = {"program": "c.py", "came_to": "skipped", "expected": "repaired", "missing": ["optax"]}
    programs = [repaired("a.py", name) for name in bench.FRAMEWORKS] + [
        {**found, "framework": "jax"} for found in (advised, skipped)
    ]
    in_all = {
        name: bench.sum_up([found for found in programs if found["framework"] == name]) for name in bench.FRAMEWORKS
    }
    measured = json.loads(json.dumps({"in_all": in_all}))
    rows = dict(
        line.strip("| ").split(" | ", 1) for line in page.repair_table(measured).splitlines() if "---" not in line
    )
    assert rows["what"] == "TensorFlow | JAX | PyTorch"
    assert rows["programs"] == "1 | 3 | 1"
    assert rows["… fixed"] == "1 | 1 | 1"
    assert (rows["… nothing"], rows["… skipped"], rows["… not as expected"]) == ("0 | 1 | 0",) * 3
    assert rows["traces of programs that need a fix, before → after"] == "8 → 1 | 8 → 1 | 8 → 1"
    assert rows["run time, fixed / before (geometric mean, without imports)"] == "0.50 | 0.50 | 0.50"
    assert rows["run time, fixed / `reduce_retracing=True`"] == "– | – | –"
    assert rows["`reduce_retracing=True`: raises"] == "1 | – | –"
    bars = [(bar.label, bar.value) for bar in page.repairs(measured)]
    assert ("TensorFlow, with reduce_retracing=True", 4) in bars
    assert ("JAX, fixed by traceonce fix", 1) in bars
    assert len(bars) == 7


def test_the_page_can_show_what_was_kept(modules: tuple[ModuleType, ModuleType]) -> None:
    _, page = modules
    assert "| programs |" in page.repair_table()
    assert "TensorFlow, as they were" in [bar.label for bar in page.repairs(page.load("fix"))]


def test_a_program_whose_library_is_missing_is_skipped_and_counted(
    modules: tuple[ModuleType, ModuleType], tmp_path: Path
) -> None:
    bench, _ = modules
    programs = corpus.load()
    assert any(program.needs for program in programs), "also those whose library may not be here"
    missing = msgspec.structs.replace(programs[0], needs=["a_library_that_nobody_has"])
    found = bench.measure(missing, tmp_path, None, 2)
    assert (found["came_to"], found["missing"]) == ("skipped", ["a_library_that_nobody_has"])
    summed = bench.sum_up([found])
    assert (summed["skipped"], summed["came_to"]) == ([missing.file], {"skipped": 1})
    assert (summed["programs"], summed["not_as_expected"]) == (0, [])


def test_programs_around_libraries_are_loaded_wherever_this_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    needing = {program.file for program in corpus.load() if program.needs}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    without = [program for program in corpus.load() if program.file in needing]
    assert {program.file for program in without} == needing
    assert all(program.missing for program in without)


def test_the_suite_runs_a_share_of_every_framework() -> None:
    """Of what is repaired, of what is advised, and of what is left alone; as many at every run, wherever it is."""
    share = corpus.fair_share(corpus.load())
    assert {(each.framework, each.settled) for each in share} == {
        (framework, settled) for framework in corpus.SHARES for settled in (True, "advice", "leave")
    }
    assert len(share) < len(corpus.load()) / 2
    assert not any(each.needs for each in share)
