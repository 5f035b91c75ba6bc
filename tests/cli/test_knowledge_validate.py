"""``traceonce knowledge validate``: what it prints, and how it exits."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.cli.shells import Shell
from traceonce.console import progress_line
from traceonce.knowledge.schema import PUBLISHED

ROOT = Path(__file__).parents[2]
LACKING: dict[str, Any] = {
    "id": "tensorflow/draft",
    "signature": "ValueError: a draft that says nothing false",
    "regex": "a draft that says nothing false",
    "raised_by": "no_such_package_here",
    "domain": "tensorflow",
}
FALSE = LACKING | {"confidence": 0.9, "regex": "a draft (?=that)"}


def write(shell: Shell, name: str, record: object) -> str:
    shell.write(name, record if isinstance(record, str) else json.dumps(record))
    return name


def test_errors_warnings_and_notes(either_shell: Shell) -> None:
    name = write(either_shell, "draft.json", FALSE)
    outcome = either_shell.traceonce("knowledge", "validate", name)
    lines = outcome.text.splitlines()
    assert outcome.status == 1
    assert outcome.err == b""
    assert (
        "draft.json: confidence: 0.9 was typed in: there is no evidence for it. "
        "Take it out, and run: traceonce knowledge verify tensorflow/draft"
    ) in lines
    assert any(
        line.startswith("draft.json: regex: RE2 refuses it") and line.endswith("(no look-around).") for line in lines
    )
    assert "draft.json: warning: signature_zh: the Chinese text is missing. Translate it." in lines
    assert "draft.json: note: tags: there are none. Add the words that people search for." in lines
    marked = re.compile(r"draft\.json: (warning: |note: )?[\w.\[\]]+: .+")
    *problems, blank, summary = lines
    assert all(marked.fullmatch(line) for line in problems)
    assert blank == ""
    warnings = sum(line.startswith("draft.json: warning: ") for line in problems)
    assert summary == f"1 file checked: 2 errors, {warnings} warnings"


def test_warnings_count_if_told_to(shell: Shell) -> None:
    name = write(shell, "draft.json", LACKING)
    assert shell.traceonce("knowledge", "validate", name).status == 0
    strict = shell.traceonce("knowledge", "validate", "--strict", name)
    assert strict.status == 1
    assert "0 errors" in strict.text


def test_as_json(shell: Shell) -> None:
    names = [write(shell, "draft.json", FALSE), write(shell, "broken.json", "{"), "absent.json"]
    outcome = shell.traceonce("knowledge", "validate", "--format", "json", *names)
    answer = json.loads(outcome.out)
    assert outcome.status == 2
    assert [(one["file"], one["unreadable"]) for one in answer["files"]] == [
        ("draft.json", False),
        ("broken.json", True),
        ("absent.json", True),
    ]
    assert answer["errors"] == 4
    problem = next(problem for problem in answer["files"][0]["problems"] if problem["field"] == "confidence")
    assert problem.keys() == {"file", "field", "what", "remedy", "rule", "level"}
    assert (problem["rule"], problem["level"]) == ("nothing_typed_in", "error")


def test_a_file_that_cannot_be_read_does_not_hide_the_others(shell: Shell) -> None:
    (shell.cwd / "latin.json").write_bytes(b'{"id": "caf\xe9"}')
    names = [
        write(shell, "broken.json", '{\n"id": }'),
        "latin.json",
        "absent.json",
        write(shell, "draft.json", LACKING),
    ]
    outcome = shell.traceonce("knowledge", "validate", *names)
    assert outcome.status == 2
    assert "Traceback" not in outcome.errors
    assert "broken.json: the file: is not JSON: Expecting value in line 2, column 7. Correct it there." in outcome.text
    assert "latin.json: the file: is not UTF-8 (line 1, byte 11). Save it as UTF-8." in outcome.text
    assert "absent.json: the file: cannot be read: No such file or directory. Name a file" in outcome.text
    assert "draft.json: warning: root_cause:" in outcome.text
    assert "4 files checked: 3 errors" in outcome.text
    assert "3 unreadable files" in outcome.text


def test_a_name_that_is_no_text(shell: Shell) -> None:
    for form in ("text", "json"):
        outcome = shell.traceonce("knowledge", "validate", "--format", form, b"caf\xe9.json")
        assert outcome.status == 2
        assert "caf?.json" in outcome.text
        assert outcome.err == b""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "seconds", "shown"), [(Terminal, -1, True), (Terminal, 1e9, False), (io.StringIO, -1, False)]
)
def test_progress_is_for_people_who_wait(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], seconds: float, shown: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setattr(progress_line, "PATIENCE", seconds)
    progress = progress_line.ProgressLine()
    progress.say("in tensorflow: 25 %")
    progress.clear()
    written = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert ("in tensorflow: 25 %" in written) == shown
    assert bool(written) == shown


def test_provenance_can_be_left_out(shell: Shell) -> None:
    name = write(shell, "draft.json", LACKING | {"raised_by": "traceonce"})
    found = "found nowhere in 'traceonce'"
    assert found in shell.traceonce("knowledge", "validate", name).text
    assert found not in shell.traceonce("knowledge", "validate", "--no-provenance", name).text


def test_the_schema_is_printed(shell: Shell) -> None:
    outcome = shell.traceonce("knowledge", "validate", "--schema")
    assert outcome.status == 0
    assert outcome.out == PUBLISHED.read_bytes()
    Draft202012Validator.check_schema(json.loads(outcome.out))


def test_without_a_file_our_own_base_is_checked(shell: Shell) -> None:
    outcome = shell.traceonce("knowledge", "validate", "--no-provenance", "--format", "json")
    records = sorted((ROOT / "src/traceonce/knowledge/records").glob("*/*.json"))
    checked = json.loads(outcome.out)["files"]
    assert [Path(one["file"]) for one in checked] == records


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "xml"], "'--format': 'xml' is not one of 'text', 'json'"),
        (["--schema", "draft.json"], "--schema prints the schema and checks no files"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_wrong_use(shell: Shell, arguments: list[str], words: str) -> None:
    outcome = shell.traceonce("knowledge", "validate", *arguments)
    assert outcome.status == 2
    assert outcome.out == b""
    assert words in outcome.errors


def test_the_hook_for_pre_commit(shell: Shell) -> None:
    """What pre-commit would do with it: choose the files, and run the entry on them."""
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    hook = hooks["traceonce-knowledge-validate"]
    good, bad = "base/records/tensorflow/draft.json", "base/records/tensorflow/other.json"
    names = [write(shell, good, LACKING), write(shell, bad, LACKING), write(shell, "package.json", "{}")]
    chosen = [name for name in names if re.search(hook["files"], name)]
    assert chosen == [good, bad]
    program, *arguments = shlex.split(hook["entry"])
    assert program == "traceonce"
    assert shell.traceonce(*arguments, good).status == 0
    outcome = shell.traceonce(*arguments, *chosen)
    assert outcome.status == 1
    assert f"{bad}: id: the file would be found under another id, or not at all" in outcome.text
