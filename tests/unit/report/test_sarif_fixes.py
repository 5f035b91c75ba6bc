"""Changes that a reader of SARIF can apply: those that were proved, at the lines that they are for, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.handmade import STEP
from tests.unit.report.made_reports import fix_of, recorded
from tests.unit.report.sarif_documents import render, retracing
from traceonce.facts import CauseCode, Edit, Fix, FunctionId, Repair


def fixed(*fixes: tuple[FunctionId, Fix]) -> list[dict[str, Any]]:
    """The results of a run whose functions were repaired."""
    runs = [retracing(function) for function, _ in fixes]
    repairs = tuple(Repair("tensorflow", function, (fix,)) for function, fix in fixes)
    events = tuple(
        msgspec.structs.replace(event, id=number)
        for number, event in enumerate(event for run in runs for event in run.events)
    )
    calls = {"1": {function.key: 8 for function, _ in fixes}}
    results: list[dict[str, Any]] = render(
        msgspec.structs.replace(runs[0], events=events, repairs=repairs, calls=calls)
    )["results"]
    return results


def apply(source: str, replacements: list[dict[str, Any]]) -> str:
    """Replace regions as a reader of SARIF does: by lines and columns, from the last one up."""
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    for replacement in sorted(replacements, key=lambda item: -item["deletedRegion"]["startLine"]):
        region = replacement["deletedRegion"]
        begin = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1]
        end += region["endColumn"] - 1 if "endColumn" in region else len(lines[region["endLine"] - 1].rstrip("\n"))
        source = source[:begin] + replacement["insertedContent"]["text"] + source[end:]
    return source


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit("train.py", 2, 2, "B\n"), "a\nB\nc\nd"),
        (Edit("train.py", 2, 3, "B\n"), "a\nB\nd"),
        (Edit("train.py", 2, 1, "new\n"), "a\nnew\nb\nc\nd"),
        (Edit("train.py", 2, 3, ""), "a\nd"),
        (Edit("train.py", 4, 4, "D"), "a\nb\nc\nD"),
    ],
    ids=["one line", "two lines", "lines come in", "lines go", "the last line, without an end"],
)
def test_a_proved_change_can_be_applied(edit: Edit, after: str) -> None:
    (result,) = fixed((STEP, fix_of("@tf.function(…)", edits=(edit,))))
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert apply("a\nb\nc\nd", change["replacements"]) == after
    assert fix["description"]["text"].startswith("input_signature: 8 traces → 1, same outputs on 8 calls")


def test_a_real_repair_can_be_applied() -> None:
    """What `traceonce fix` proved of a program turns its source into what the diff says."""
    source = (Path(__file__).parents[2] / "recorded" / "programs" / "translate.py").read_text()
    result = render(recorded("translate_fixed"))["results"][0]
    assert result["properties"]["path"] == "step"
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    changed = apply(source, change["replacements"])
    assert changed != source
    signature = "input_signature=[tf.TensorSpec([8, None], tf.int32), tf.TensorSpec([], tf.float32)]"
    assert f"    @tf.function({signature})\n    def train_step(" in changed
    compile(changed, "translate.py", "exec")


@pytest.mark.parametrize(
    "fix",
    [
        fix_of("@tf.function(…)", verdict="refuted", reason="other outputs"),
        fix_of("@tf.function(…)", edits=()),
        msgspec.structs.replace(fix_of("@tf.function(…)"), proof=None),
        msgspec.structs.replace(fix_of("@tf.function(…)"), causes=(CauseCode.SHAPE,)),
    ],
    ids=["refuted", "without edits", "not run", "for another cause"],
)
def test_nothing_else_is_offered_as_a_change(fix: Fix) -> None:
    (result,) = fixed((STEP, fix))
    assert "fixes" not in result


def test_a_change_whose_lines_another_one_may_have_moved_is_not_offered() -> None:
    """They were made one after the other: what is written for line 40 is not for line 40 of the file."""
    other = FunctionId("other", "train.py", 40)
    longer = fix_of("@tf.function(…)", edits=(Edit("train.py", 22, 22, "two\nlines\n"),))
    same = fix_of("@tf.function(…)", edits=(Edit("train.py", 22, 22, "one\n"),))
    below = fix_of("@tf.function(…)", edits=(Edit("train.py", 40, 40, "one\n"),))
    first, second = fixed((STEP, longer), (other, below))
    assert "fixes" in first
    assert "fixes" not in second
    assert all("fixes" in result for result in fixed((STEP, same), (other, below)))
