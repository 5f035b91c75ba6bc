"""A framework from another package, found through its entry point, is treated like those that come with traceonce."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.shells import Shell
from traceonce.frameworks.base.registry import BUILT_IN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = Path(__file__).parents[1] / "toyframe_package"
TRAIN = """\
import numpy as np
import toyframe


@toyframe.traced
def double(x):
    return 2 * x


for size in (3, 4, 2, 8, 5, 16, 6, 9):
    print(double(np.ones(size)).sum())
"""
RETRACED = "double  retoyed 7 times in 8 calls"
FORMS = ("text", "json", "html", "markdown", "sarif", "chrome", "csv", "github")


@pytest.fixture
def toy_shell(shell: Shell, tmp_path: Path) -> Shell:
    """A shell in whose Python toyframe is installed: its modules, and what an installer writes beside them."""
    site = tmp_path / "site"
    shutil.copytree(PACKAGE / "toyframe", site / "toyframe")
    facts = site / "toyframe-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: toyframe\nVersion: 1.0\n")
    points = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]["traceonce.frameworks"]
    written = "".join(f"{name} = {target}\n" for name, target in points.items())
    (facts / "entry_points.txt").write_text(f"[traceonce.frameworks]\n{written}")
    shell.environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    shell.write("train.py", TRAIN)
    return shell


def test_a_run_and_its_reports(toy_shell: Shell) -> None:
    """Every form, in every language that it comes in, in the framework's own words; with its record."""
    ran = toy_shell.traceonce("run", "--recording", "run.jsonl", "train.py")
    assert ran.status == 0, ran.errors
    assert RETRACED in ran.errors
    assert "toyframe.traced at train.py:5" in ran.errors
    assert "has another size, and toys are choosy" in ran.errors
    reports = {
        (form, language): toy_shell.traceonce("report", "run.jsonl", "--format", form, "--lang", language)
        for form in FORMS
        for language in (("en", "zh") if form in ("html", "markdown") else ("en",))
    }
    for (form, language), report in reports.items():
        assert report.status == 0, (form, language, report.errors)
        assert "double" in report.text, (form, language)
    assert "toys are choosy" in reports["html", "en"].text
    assert "玩具很挑剔" in reports["html", "zh"].text
    assert "玩具很挑剔" in reports["markdown", "zh"].text
    (function,) = json.loads(reports["json", "en"].text)["functions"]
    assert (function["backend"], function["traces"], function["verdict"]) == ("toyframe", 8, "retracing")
    assert function["records"] == ["toyframe/a-size-too-many"]
    assert [fix["recipe"] for fix in function["fixes"]] == ["any_size"]
    assert json.loads(reports["json", "en"].text)["environment"]["toyframe"] == "1.0"


def test_it_is_repaired_by_its_own_recipe(toy_shell: Shell) -> None:
    fixed = toy_shell.traceonce("fix", "--write", "train.py")
    assert fixed.status == 0, fixed.errors
    assert "same outputs on 8 calls" in fixed.errors
    assert "A toy that takes any size knows none: x.shape[0]." in fixed.errors
    assert '@toyframe.traced(sizes="any")' in (toy_shell.cwd / "train.py").read_text()


def test_why_its_recipe_declines_is_told_in_both_languages(toy_shell: Shell) -> None:
    toy_shell.write("train.py", TRAIN.replace("16", "160"))
    fixed = toy_shell.traceonce("fix", "--json", "fix.json", "train.py")
    assert fixed.status == 1, fixed.errors
    assert "any_size: not written: a toy of 160 fits into no box" in fixed.errors
    attempts = json.loads((toy_shell.cwd / "fix.json").read_text())["fix"]["attempts"]
    (declined,) = [attempt for attempt in attempts if attempt["recipe"] == "any_size"]
    assert declined["reason"] == "a toy of 160 fits into no box"
    assert declined["reason_zh"] == "大小为 160 的玩具装不进任何盒子"
    assert declined["coded_reasons"] == [{"code": "too_large_a_toy", "arguments": {"size": 160}}]


def test_what_it_says_of_a_cause_is_told_in_both_languages(toy_shell: Shell) -> None:
    toy_shell.write("train.py", TRAIN.replace("(3, 4, 2, 8, 5, 16, 6, 9)", "(3, 3, 3)") + "toyframe.winding = 2\n")
    ran = toy_shell.traceonce("run", "--recording", "run.jsonl", "train.py")
    assert ran.status == 0, ran.errors
    assert "toyframe.winding was 1 when traced and is 2 now; toys are wound up once, by toyframe.winding" in ran.errors
    for form in ("html", "markdown"):
        for language, told, other in (("en", "wound up once", "上一次发条"), ("zh", "上一次发条", "wound up once")):
            report = toy_shell.traceonce("report", "run.jsonl", "--format", form, "--lang", language).text
            assert told in report, (form, language)
            assert (other in report) == (form == "html")  # the page has both, to be switched
    (function,) = json.loads(toy_shell.traceonce("report", "run.jsonl", "--format", "json").text)["functions"]
    (cause,) = function["causes"]
    assert cause["note"] == "toys are wound up once, by toyframe.winding"
    assert cause["coded_notes"] == [{"code": "unwound", "arguments": {"path": "toyframe.winding"}}]


def test_limits_hold(toy_shell: Shell) -> None:
    """Under `run`, and in a program that is started by itself."""
    limited = toy_shell.traceonce("run", "--max-traces", "3", "train.py")
    toy_shell.environment["TRACEONCE_LIMIT"] = "2"
    alone = toy_shell.python("train.py")
    for refused in (limited, alone):
        assert refused.status == 1
        assert "traceonce.errors.TracingLimitReached" in refused.errors
        assert 'change     let toys take any size: sizes="any"' in refused.errors


def test_its_example_shows_a_cause(toy_shell: Shell) -> None:
    """As the built-in ones do: run, it has the cause at the place that it names, and the record."""
    told = toy_shell.traceonce("explain", "--format", "json", "shape")
    (example,) = [each for each in json.loads(told.out)["causes"][0]["frameworks"] if each["framework"] == "Toyframe"]
    toy_shell.write("example.py", example["example"])
    toy_shell.traceonce("run", "--format", "json", "-o", "example.json", "example.py")
    (function,) = json.loads((toy_shell.cwd / "example.json").read_text())["functions"]
    assert [(cause["code"], cause["path"]) for cause in function["causes"]] == [("shape", example["path"])]
    assert function["records"] == [example["record"]]


def test_its_record_explains_its_error(toy_shell: Shell) -> None:
    told = toy_shell.traceonce("explain", "ToyError: this toy is too large for its box")
    assert told.status == 0, told.errors
    assert "toyframe/a-size-too-many" in told.text
    assert "Toys are traced for each size." in told.text


def test_the_pytest_plugin_judges_it(toy_shell: Shell) -> None:
    toy_shell.write(
        "test_toys.py",
        """\
        import numpy as np
        import pytest
        import toyframe

        @toyframe.traced
        def double(x):
            return 2 * x

        @pytest.mark.max_traces(2)
        def test_double():
            for size in (3, 7, 2, 9, 4):
                double(np.ones(size))
        """,
    )
    judged = toy_shell.python("-m", "pytest", "-p", "no:cacheprovider", "test_toys.py")
    assert judged.status == 1, judged.text
    assert "double" in judged.text
    assert "toyframe.traced at test_toys.py" in judged.text


def test_it_is_among_those_that_the_doctor_looks_at(toy_shell: Shell) -> None:
    """Those that cannot be imported do not keep it from that; to import them would take a minute."""
    for known in BUILT_IN:
        toy_shell.write(f"../site/{known.module}.py", "raise ImportError('it is broken')")
    examined = toy_shell.traceonce("doctor")
    assert "a toy function was traced twice; seen: 2 → works" in examined.text
    assert examined.text.count("it is broken") == len(BUILT_IN)


@pytest.mark.parametrize("target", ["toyframe.nowhere:Toyframe", "toyframe:Traced"])
def test_one_that_is_broken_takes_nothing_from_the_others(toy_shell: Shell, tmp_path: Path, target: str) -> None:
    """Its module is missing, or it has no descriptor."""
    (tmp_path / "site" / "toyframe-1.0.dist-info" / "entry_points.txt").write_text(
        f"[traceonce.frameworks]\ntoyframe = {target}\n"
    )
    recorded = Path(__file__).parents[1] / "recorded" / "translate.jsonl"
    told = toy_shell.traceonce("report", str(recorded))
    assert told.status == 0, told.errors
    assert "retraced" in told.text
    explained = toy_shell.traceonce("explain", "ValueError: tf.function only supports singleton tf.Variables")
    assert explained.status == 0, explained.errors
    assert "tensorflow/" in explained.text
    ran = toy_shell.traceonce("run", "train.py")
    assert (ran.status, len(ran.text.splitlines())) == (0, 8), ran.errors
