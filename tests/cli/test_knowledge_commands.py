"""Reading, exchanging and noting: the knowledge commands as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shells import Shell

SEEDS = Path(__file__).parents[2].parent / "shared" / "seeds"
RECORD: dict[str, Any] = {
    "id": "tensorflow/made-up",
    "signature": "Made-up failure: <script>",
    "signature_zh": "虚构的错误",
    "domain": "tensorflow",
    "category": "retracing",
    "root_cause": "It was made up for a test.",
    "workarounds": [
        {"action": "Do this.", "how": "do(this)", "evidence": [
            {"experiment": "m.w", "framework": "tensorflow", "version": "2.21.0", "python": "3.11", "seconds": 0.1,
             "date": "2026-11-01", "runs": 3, "held": 1, "outcome": "2 traces"}]},
        {"action": "Do that.", "how": "do(that)"},
    ],
    "dead_ends": [{"action": "Do nothing.", "why_fails": "It stays."}],
    "verification_tier": "documented",
    "tags": ["testing"],
    "kept": {"unknown": [1]},
}  # fmt: skip


@pytest.fixture
def base(shell: Shell) -> Path:
    """A base with two records."""
    for record in (RECORD, {**RECORD, "id": "tensorflow/other", "signature": "Other", "category": "xla", "tags": []}):
        shell.write(f"base/records/{record['id']}.json", json.dumps(record))
    return shell.cwd / "base"


def lines_of(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()]


# --- render


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds are not here")
def test_the_seed_is_rendered_to_the_byte(either_shell: Shell) -> None:
    record, markdown = sorted(SEEDS.iterdir())[:2]
    outcome = either_shell.traceonce("knowledge", "render", str(record))
    assert outcome == (0, markdown.read_bytes(), b"")
    outcome = either_shell.traceonce(
        "knowledge", "render", str(record), env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    )
    assert outcome.out == markdown.read_bytes()
    outcome = either_shell.traceonce("knowledge", "render", str(record), "-o", "out.md")
    assert outcome == (0, b"", b"")
    assert (either_shell.cwd / "out.md").read_bytes() == markdown.read_bytes()


def test_every_form(shell: Shell, base: Path) -> None:
    render = ("knowledge", "render", "--base", "base", "made-up", "--format")
    assert json.loads(shell.traceonce(*render, "json").text) == RECORD
    html = shell.traceonce(*render, "html", "--lang", "zh").text
    assert 'lang="zh-Hans"' in html
    assert "虚构的错误" in html
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "# 虚构的错误\n" in shell.traceonce(*render, "markdown", "--lang", "zh").text
    assert "  1. Do this." in shell.traceonce(*render, "text").text


@pytest.mark.parametrize(("arguments", "told"), [
    (("render", "no-such"), "there is no record 'no-such'"),
    (("render", "none.json"), "none.json: cannot be read"),
    (("render", "broken.json"), "broken.json: is not JSON"),
    (("render", "shaped.json"), "shaped.json: tags: "),
    (("render", "made-up", "--format", "pdf"), "'--format': 'pdf' is not one of"),
    (("render", "made-up", "--lang", "fr"), "'--lang': 'fr' is not one of"),
    (("render", "made-up", "-o", "no/folder/x"), ": no folder"),
    (("show", "no-such"), "there is no record"),
    (("list", "--base", "empty"), "has no folder records/"),
    (("list", "--tier", "tested"), "'--tier': 'tested' is not one of"),
    (("export", "made-up", "--form", "round"), "'--form': 'round' is not one of"),
    (("export",), "--all"),
    (("export", "--all", "made-up"), "not both"),
    (("export", "broken.json"), "is not JSON"),
    (("import", "broken.json", "--to", "broken.json"), "is not a folder"),
    (("outcome", "made-up", "3", "--worked"), "has no workaround 3; they are numbered 1 to 2"),
    (("outcome", "made-up", "0", "--worked"), "has no workaround 0"),
    (("outcome", "made-up", "1"), "name the workaround and its result"),
    (("outcome", "--worked"), "name the workaround"),
    (("outcome", "no-such", "1", "--worked"), "there is no record"),
    (("outcome", "--forget", "9"), "there is no outcome 9"),
    (("outcome", "made-up", "1", "--list"), "leave out N"),
])  # fmt: skip
def test_bad_requests(shell: Shell, base: Path, arguments: tuple[str, ...], told: str) -> None:
    shell.write("broken.json", "{")
    shell.write("shaped.json", json.dumps({**RECORD, "tags": 3}))
    (shell.cwd / "empty").mkdir()
    before = shell.files()
    with_base = () if "--base" in arguments or arguments[0] == "import" else ("--base", "base")
    outcome = shell.traceonce("knowledge", *arguments, *with_base)
    assert (outcome.status, outcome.out) == (2, b"")
    assert told in outcome.errors
    assert "Traceback" not in outcome.errors
    assert shell.files() == before


# --- show, list, stats


def test_show_is_plain_where_there_is_no_terminal(shell: Shell, base: Path) -> None:
    outcome = shell.traceonce("knowledge", "show", "made-up", "--base", "base", env={"COLUMNS": "60"})
    assert (outcome.status, outcome.err) == (0, b"")
    assert "\x1b" not in outcome.text
    assert "         do(this)\n" in outcome.text
    assert "TensorFlow 2.21.0: 2 traces, in 1 of 3 runs" in outcome.text
    chinese = shell.traceonce("knowledge", "show", "made-up", "--base", "base", "--lang", "zh").text
    assert "Do this.（暂无译文）" in chinese


def test_show_is_in_colour_at_a_terminal(shell: Shell, base: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*shell.entry, "knowledge", "show", "made-up", "--base", "base"]
    environment = {**shell.environment, "TERM": "xterm-256color"}
    subprocess.run(command, stdout=theirs, cwd=shell.cwd, env=environment, check=True, timeout=240)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:
        pass  # how Linux says that the other end is closed
    os.close(ours)
    assert b"\x1b[" in seen
    assert "Do this." in re.sub(r"\x1b\[[0-9;]*m", "", seen.decode())


def test_our_own_base_is_listed_and_shown(shell: Shell) -> None:
    entries = json.loads(shell.traceonce("knowledge", "list", "--format", "json").text)
    assert len(entries) >= 32
    outcome = shell.traceonce("knowledge", "list")
    assert lines_of(outcome.text) == [entry["id"] for entry in entries]
    assert shell.traceonce("knowledge", "show", entries[0]["id"]).text.startswith(entries[0]["id"])
    assert not shell.home.exists()


@pytest.mark.parametrize(("options", "found"), [
    ((), ["tensorflow/made-up", "tensorflow/other"]),
    (("--category", "xla"), ["tensorflow/other"]),
    (("--tag", "testing"), ["tensorflow/made-up"]),
    (("--tier", "verified"), []),
    (("--search", "SCRIPT do"), ["tensorflow/made-up"]),
    (("--search", "虚构"), ["tensorflow/made-up", "tensorflow/other"]),
])  # fmt: skip
def test_list_filters(shell: Shell, base: Path, options: tuple[str, ...], found: list[str]) -> None:
    answer = json.loads(shell.traceonce("knowledge", "list", "--base", "base", "--format", "json", *options).text)
    assert [entry["id"] for entry in answer] == found
    text = shell.traceonce("knowledge", "list", "--base", "base", *options).text
    assert lines_of(text) == (found or ["no"])


def test_stats_count_what_was_run(shell: Shell, base: Path) -> None:
    stats = json.loads(shell.traceonce("knowledge", "stats", "--base", "base", "--format", "json").text)
    assert stats == {
        "records": 2,
        "by_category": {"retracing": 1, "xla": 1},
        "by_tier": {"documented": 2},
        "workarounds": 4,
        "dead_ends": 2,
        "claims": 8,
        "claims_run": 2,
        "evidence": 2,
        "runs": 6,
        "runs_by_version": {"tensorflow 2.21.0": 6},
        "refuted": ["tensorflow/made-up workarounds[0]", "tensorflow/other workarounds[0]"],
        "oldest_evidence": "2026-11-01",
        "newest_evidence": "2026-11-01",
    }
    text = shell.traceonce("knowledge", "stats", "--base", "base").text
    assert "claims      8, of which 2 were run" in text


# --- import and export


def test_there_and_back(shell: Shell, base: Path) -> None:
    """Nested, as a file, and imported again: what comes out flat is what went in."""
    outcome = shell.traceonce("knowledge", "export", "--all", "--form", "nested", "--base", "base", "-o", "out.ndjson")
    assert (outcome.status, outcome.out) == (0, b"")
    assert "2 records in the nested form" in outcome.errors
    assert "signature_zh" in outcome.errors
    outcome = shell.traceonce("knowledge", "import", "out.ndjson", "--to", "new/base")
    assert outcome.status == 0, outcome.text
    assert "out.ndjson: 2 records, written" in outcome.text
    outcome = shell.traceonce("knowledge", "export", "made-up", "--form", "flat", "--base", "new/base")
    assert json.loads(outcome.text) == RECORD
    listed = shell.traceonce("knowledge", "list", "--base", "new/base").text
    assert lines_of(listed) == ["tensorflow/made-up", "tensorflow/other"]


def test_export_to_a_folder(shell: Shell, base: Path) -> None:
    shell.traceonce("knowledge", "export", "--all", "--form", "nested", "--base", "base", "-o", "public/")
    assert json.loads((shell.cwd / "public/tensorflow/made-up/any.json").read_text())["id"] == "tensorflow/made-up/any"
    shell.traceonce("knowledge", "export", "--all", "--form", "flat", "--base", "base", "-o", "copy/")
    assert json.loads((shell.cwd / "copy/records/tensorflow/made-up.json").read_text()) == RECORD
    again = shell.traceonce("knowledge", "export", "--all", "--form", "flat", "--base", "base", "-o", "copy/")
    assert again.status == 2
    assert "cannot be written" in again.errors


def test_import_reports_and_refuses(shell: Shell, base: Path) -> None:
    bad = [RECORD, {**RECORD, "id": "../../outside"}]
    shell.write("bad.json", json.dumps(bad))
    shell.write("good.json", json.dumps({**RECORD, "id": "tensorflow/new"}))
    outcome = shell.traceonce("knowledge", "import", "bad.json", "good.json", "--to", "base", "--format", "json")
    assert outcome.status == 2
    report = json.loads(outcome.text)["files"]
    assert report[0]["records"] == []
    assert [reason.split(":")[0] for reason in report[0]["refused"]] == ["bad.json", "bad.json"]
    assert "already exists" in report[0]["refused"][0]
    assert "'../../outside'" in report[0]["refused"][1]
    assert [record["id"] for record in report[1]["records"]] == ["tensorflow/new"]
    assert report[1]["kept"] == ["kept"]
    assert (base / "records/tensorflow/new.json").is_file()
    assert not (shell.cwd / "outside.json").exists()


def test_without_a_place_import_goes_to_ones_own_base(shell: Shell) -> None:
    shell.write("record.json", json.dumps(RECORD))
    dry = shell.traceonce("knowledge", "import", "record.json", "--dry-run")
    assert dry.status == 0
    assert "1 record, to be written" in dry.text
    assert not shell.home.exists()
    outcome = shell.traceonce("knowledge", "import", "record.json")
    assert str(shell.home / "knowledge") in outcome.text
    assert json.loads((shell.home / "knowledge/records/tensorflow/made-up.json").read_text()) == RECORD


# --- outcomes


def test_outcomes_are_noted_and_shown_beside_ours(shell: Shell, base: Path) -> None:
    note = ("--version", "TensorFlow 2.21.0", "--note", "in our trainer", "--base", "base")
    outcome = shell.traceonce("knowledge", "outcome", "made-up", "1", "--failed", *note)
    assert (outcome.status, outcome.text) == (0, "saved as outcome 1: failed: Do this.\n")
    assert (shell.home / "outcomes.sqlite3").is_file()
    shell.traceonce("knowledge", "outcome", "made-up", "2", "--worked", "--base", "base")
    shown = shell.traceonce("knowledge", "show", "made-up", "--base", "base").text
    assert "Your own outcomes  failed × 1" in shown
    assert "TensorFlow 2.21.0 · failed · in our trainer" in shown
    rendered = ("knowledge", "render", "made-up", "--base", "base", "--format")
    assert "Your own outcomes" in shell.traceonce(*rendered, "text").text
    for form in ("markdown", "html", "json"):
        assert "our trainer" not in shell.traceonce(*rendered, form).text
    listed = json.loads(
        shell.traceonce("knowledge", "outcome", "--list", "made-up", "--base", "base", "--format", "json").text
    )
    assert [(one["number"], one["workaround"], one["worked"]) for one in listed] == [(1, 1, False), (2, 2, True)]
    assert shell.traceonce("knowledge", "outcome", "--list", "other", "--base", "base").text == "no outcomes yet\n"
    assert shell.traceonce("knowledge", "outcome", "--forget", "1").status == 0
    assert "Do that." in shell.traceonce("knowledge", "outcome", "--list").text
    assert "Do this." not in shell.traceonce("knowledge", "outcome", "--list").text


def test_a_damaged_file_of_outcomes_stops_nobody_from_reading(shell: Shell, base: Path) -> None:
    shell.home.mkdir()
    (shell.home / "outcomes.sqlite3").write_bytes(b"no database " * 100)
    shown = shell.traceonce("knowledge", "show", "made-up", "--base", "base")
    assert shown.status == 0
    assert "Do this." in shown.text
    assert "outcomes.sqlite3: is damaged" in shown.errors
    noted = shell.traceonce("knowledge", "outcome", "made-up", "1", "--worked", "--base", "base")
    assert noted.status == 2
    assert (shell.home / "outcomes.sqlite3").read_bytes() == b"no database " * 100
