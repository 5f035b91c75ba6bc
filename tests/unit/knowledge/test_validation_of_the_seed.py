"""The record that this format comes from: every real defect in it is found, each with its remedy, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.knowledge.provenance import package_files
from traceonce.knowledge.validation import Problem, check_files

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"
VERIFY = "traceonce knowledge verify tensorflow/tf-function-recompilation-cache-limit"

# field: what is said of it; the remedy
ERRORS = {
    "regex": ("'has been retraced' and 'tracing limit': found nowhere in 'tensorflow'", "raised_by"),
    "dead_ends[0].action": ("it is empty", "Say what people try"),
    "dead_ends[1].action": ("it is empty", "Say what people try"),
    "dead_ends[2].action": ("it is empty", "Say what people try"),
    "workarounds[0].how": ("only repeats the action", "Write a trial"),
    "workarounds[1].how": ("only repeats the action", "Write a trial"),
    "workarounds[2].how": ("only repeats the action", "Write a trial"),
    "confidence": ("0.89 was typed in: there is no evidence", VERIFY),
    "fix_success_rate": ("0.88 was typed in: there is no evidence", VERIFY),
    "evidence_count": ("1 was typed in: the evidence that is there gives 0", VERIFY),
    "verification_tier": ("ai_generated was typed in: the evidence that is there gives documented", VERIFY),
    "last_confirmed": ("2024-06-01 was typed in: there is no evidence", VERIFY),
    "workarounds[0].success_rate": ("0.9 was typed in: there is no evidence", VERIFY),
    "workarounds[1].success_rate": ("0.85 was typed in: there is no evidence", VERIFY),
    "workarounds[2].success_rate": ("0.8 was typed in: there is no evidence", VERIFY),
    "dead_ends[0].fail_rate": ("0.9 was typed in: there is no evidence", VERIFY),
    "dead_ends[1].fail_rate": ("0.7 was typed in: there is no evidence", VERIFY),
    "dead_ends[2].fail_rate": ("0.6 was typed in: there is no evidence", VERIFY),
    "versions[0]": ("'TensorFlow 2.6.0' was never run", "--against tensorflow==2.6.0"),
    "versions[1]": ("'TensorFlow 2.10.0' was never run", "--against tensorflow==2.10.0"),
}
WARNINGS = {
    "id": ("does not lie in the records/", "records/tensorflow/tf-function-recompilation-cache-limit.json"),
    "error_code": ("no message of this record carries 'ERTL'", "Write null"),
    "regex_zh": ("no Chinese message finds this record", "signature_zh"),
    "examples": ("no real messages", VERIFY),
    "experiment": ("nothing here can be run", "Write experiments/tensorflow/tf_function_recompilation_cache_limit.py"),
    "evidence": ("nobody ran the failure, nor any claim", VERIFY),
    "dead_ends[0].how": ("it is empty", "Write a trial"),
    "dead_ends[1].how": ("it is empty", "Write a trial"),
    "dead_ends[2].how": ("it is empty", "Write a trial"),
    "dead_ends_zh": ("the Chinese text is missing", "Translate it"),
    "dead_ends[0].why_fails_zh": ("the Chinese text is missing", "Translate it"),
    "dead_ends[1].why_fails_zh": ("the Chinese text is missing", "Translate it"),
    "dead_ends[2].why_fails_zh": ("the Chinese text is missing", "Translate it"),
    "transition_graph": ("there are none", "Name what comes before or after"),
}
NOTES = {"tags": ("there are none", "Add the words")}


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    found = sorted(SEEDS.glob("000*"))
    if not found:
        pytest.skip("the seeds are not here")
    if package_files("tensorflow") is None:
        pytest.skip("TensorFlow is not installed here")
    return check_files(found)[0].problems


@pytest.mark.parametrize(("level", "expected"), [("error", ERRORS), ("warning", WARNINGS), ("note", NOTES)])
def test_every_defect_is_found_with_its_remedy(
    problems: list[Problem], level: str, expected: dict[str, tuple[str, str]]
) -> None:
    found = {problem.field: problem for problem in problems if problem.level == level}
    assert found.keys() == expected.keys()
    for field, (what, remedy) in expected.items():
        assert what in found[field].what, field
        assert remedy in found[field].remedy, field


def test_each_is_told_once(problems: list[Problem]) -> None:
    assert len(problems) == len(ERRORS) + len(WARNINGS) + len(NOTES)
