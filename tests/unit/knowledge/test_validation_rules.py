"""One test for every rule: a record in which nothing is wrong, changed in one place, has one problem, there."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.knowledge.handmade_base import (
    CHANGED,
    EXPERIMENT,
    TAKEN,
    fields,
    good_record,
    make_base,
    problems_after,
)
from traceonce.knowledge.validation import RULES, check_files, describe_rules
from traceonce.knowledge.validation.expressions import benign_lines

Change = Callable[[dict[str, Any]], object]


def test_no_false_alarm(tmp_path: Path) -> None:
    """With provenance, and alone or together with the rest of the base."""
    make_base(tmp_path)
    files = sorted((tmp_path / "records").glob("*/*.json"))
    assert len(files) == 2
    assert [one.problems for one in check_files(files)] == [[], []]
    assert [check_files([file])[0].problems for file in files] == [[], []]


def put(value: object, *path: str | int) -> Change:
    def change(record: dict[str, Any]) -> None:
        place: Any = record
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    def change(record: dict[str, Any]) -> None:
        place: Any = record
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return change


NEXT_YEAR = (datetime.date.today() + datetime.timedelta(days=365)).isoformat()

# rule, change, the fields with an error, the fields with a warning; the remedy or the problem says this
CHANGES: list[tuple[str, Change, list[str], list[str], str]] = [
    ("id_equals_path", put("tensorflow/another", "id"), ["id"], [], "Move it to records/tensorflow/another.json"),
    ("id_form", put("Dictionary Changed", "id"), ["id", "domain"], [], "<domain>/<slug>"),
    ("domain_of_id", put("jax", "domain"), ["domain"], [], "Write 'tensorflow'"),
    ("said_at_all", put(" ", "signature"), ["signature"], [], "Write the message"),
    ("said_at_all", put("", "root_cause"), [], ["root_cause"], "Say what happens"),
    ("said_at_all", put("", "category"), [], ["category"], "Name the kind"),
    ("said_at_all", put("ERTL", "error_code"), [], ["error_code"], "Write null"),
    ("expressions_compile", put("", "regex"), ["regex"], [], "no message finds this record"),
    ("expressions_compile", put("dictionary (?=changed)", "regex"), ["regex"], [], "RE2 refuses it: 'invalid perl"),
    ("expressions_compile", put("(迭代", "regex_zh"), ["regex_zh"], [], "missing )"),
    ("expressions_compile", put("[", "context"), ["context"], [], "RE2 refuses it"),
    ("expressions_compile", put("", "regex_zh"), [], ["regex_zh"], "finds signature_zh"),
    ("regex_finds_signature", put("KeyError", "signature"), ["regex"], [], "record's own signature"),
    ("regex_finds_signature", put("键错误", "signature_zh"), ["regex_zh"], [], "record's own signature_zh"),
    ("regex_finds_examples", put(["KeyError tensorflow"], "examples"), ["examples[0]"], [], "Widen the regex"),
    ("regex_finds_examples", put([], "examples"), [], ["examples"], "traceonce knowledge verify tensorflow/dict"),
    ("regex_finds_examples", put("jaxlib", "context"), ["context"], [], "example with a traceback"),
    (
        "examples_are_anonymous",
        put([r"C:\Users\ann\t.py tensorflow: dictionary changed size during iteration"], "examples"),
        [],
        ["examples[0]"],
        r"one machine, 'C:\\Users\\ann'",
    ),
    ("no_benign_line", drop("context"), ["regex"], [], "hits the benign line 'RuntimeError: dictionary changed size"),
    ("no_benign_line", put("字典|上限", "regex_zh"), [], [], ""),  # its context is in no benign line
    ("actions_are_said", put("", "dead_ends", 0, "action"), ["dead_ends[0].action"], [], "Say what people try"),
    ("actions_are_said", put(" ", "workarounds", 1, "action"), ["workarounds[1].action"], [], "Say what helps"),
    ("actions_are_said", put("", "dead_ends", 0, "why_fails"), ["dead_ends[0].why_fails"], [], "instead"),
    (
        "actions_differ",
        put("go through a copy of the KEYS", "workarounds", 1, "action"),
        ["workarounds[1].action"],
        [],
        "the same as workarounds[0].action",
    ),
    (
        "how_adds_something",
        put("go through the keys, alone", "dead_ends", 0, "how"),
        ["dead_ends[0].how"] * 2,  # and it is not what was run
        [],
        "only repeats the action",
    ),
    ("experiment_is_there", put("../../secret.py", "experiment"), ["experiment"], [], "<domain>/<module>.py"),
    ("experiment_is_there", put("tensorflow/absent.py", "experiment"), ["experiment"], [], "cannot be read"),
    (
        "experiment_is_there",
        drop("experiment"),
        [],
        ["experiment"],
        "Write experiments/tensorflow/dictionary_changed.py",
    ),
    (
        "experiment_is_there",
        put("workaround_absent", "workarounds", 0, "experiment"),
        ["workarounds[0].experiment", "experiment"],
        [],
        "no function workaround_absent",
    ),
    (
        "experiment_is_there",
        put("dead_end_keys", "workarounds", 0, "experiment"),
        # and what the record has from workaround_copy is not from there any more
        [
            "workarounds[0].experiment",
            "experiment",
            "workarounds[0].how",
            "workarounds[0].evidence[0].experiment",
            "workarounds[0].evidence[1].experiment",
        ],
        [],
        "no claim names its function workaround_copy",
    ),
    ("how_was_run", put("del layers", "dead_ends", 0, "how"), ["dead_ends[0].how"], [], "code of dead_end_keys"),
    ("how_was_run", put("", "workarounds", 0, "how"), [], ["workarounds[0].how"], "traceonce knowledge verify"),
    ("evidence_is_sound", put(0, "evidence", 0, "runs"), ["evidence[0].runs"], [], "no number of runs"),
    (
        "evidence_is_sound",
        put(5, "dead_ends", 0, "evidence", 1, "held"),
        ["dead_ends[0].evidence[1].held"],
        [],
        "5 of 4 runs",
    ),
    ("evidence_is_sound", put(-1, "evidence", 0, "held"), ["evidence[0].held"], [], "cannot have held"),
    ("evidence_is_sound", put("²", "evidence", 0, "version"), ["evidence[0].version"], [], "no version"),
    ("evidence_is_sound", put("", "evidence", 0, "framework"), ["evidence[0].framework"], [], "no framework"),
    ("evidence_is_sound", put("yesterday", "evidence", 0, "date"), ["evidence[0].date"], [], "YYYY-MM-DD"),
    (
        "evidence_is_its_own",
        put("dictionary_changed.failure", "workarounds", 0, "evidence", 1, "experiment"),
        ["workarounds[0].evidence[1].experiment"],
        [],
        "not from 'dictionary_changed.workaround_copy'",
    ),
    (
        "everything_was_run",
        put([], "workarounds", 1, "evidence"),
        # the rates that it had, and what they gave together
        [
            "fix_success_interval",
            "evidence_count",
            "verification_tier",
            "workarounds[1].success_rate",
            "workarounds[1].success_interval",
        ],
        ["workarounds[1].evidence"],
        "nobody ran this claim",
    ),
    (
        "nothing_typed_in",
        put(0.9, "workarounds", 0, "success_rate"),
        ["workarounds[0].success_rate"],
        [],
        "0.9 was typed",
    ),
    ("nothing_typed_in", put(0.1, "dead_ends", 0, "fail_rate"), ["dead_ends[0].fail_rate"], [], "gives 0.88"),
    ("nothing_typed_in", drop("dead_ends", 0, "fail_rate"), [], ["dead_ends[0].fail_rate"], "it is missing"),
    ("nothing_typed_in", put(1.0, "confidence"), ["confidence"], [], "1.0 was typed in"),
    ("nothing_typed_in", put(1.0, "fix_success_rate"), ["fix_success_rate"], [], "1.0 was typed in"),
    ("nothing_typed_in", put([0.0, 1.0], "fix_success_interval"), ["fix_success_interval"], [], "0 to 1 was typed in"),
    ("nothing_typed_in", put(99, "evidence_count"), ["evidence_count"], [], "gives 8"),
    ("nothing_typed_in", put("2026-03-01", "last_confirmed"), ["last_confirmed"], [], "gives 2026-03-02"),
    ("nothing_typed_in", put("reproduced", "verification_tier"), ["verification_tier"], [], "gives verified"),
    ("tier_is_known", put("certain", "verification_tier"), ["verification_tier"] * 2, [], "'certain' is no tier"),
    ("versions_were_run", put("TensorFlow 2.6.0", "versions", 0, "version"), ["versions[0]", "versions"], [], "2.6.0"),
    ("versions_were_run", put("active", "versions", 1, "status"), ["versions[1].status"], [], "the runs say 'flaky'"),
    ("versions_were_run", drop("versions", 0), ["versions"], [], "'TensorFlow 2.16.2' was run"),
    ("dates_are_days", put("March 2026", "last_updated"), ["last_updated"], [], "YYYY-MM-DD"),
    ("dates_are_days", put("2026-02-30", "first_seen"), ["first_seen"], [], "is no day"),
    ("dates_are_days", put(NEXT_YEAR, "last_updated"), ["last_updated"], [], "in the future"),
    ("dates_in_order", put("2026-03-01", "last_updated"), ["last_updated"], [], "before last_confirmed"),
    ("dates_in_order", put("2026-03-04", "first_seen"), ["last_confirmed"], [], "before first_seen"),
    ("lists_of_one_length", put(["一"], "workarounds_zh"), ["workarounds_zh"], [], "1 entry, and workarounds has 2"),
    ("everything_is_translated", put([], "dead_ends_zh"), [], ["dead_ends_zh"], "missing"),
    ("everything_is_translated", put("", "signature_zh"), [], ["signature_zh"], "missing"),
    ("everything_is_translated", put("", "root_cause_zh"), [], ["root_cause_zh"], "missing"),
    ("everything_is_translated", put(["一", ""], "workarounds_zh"), [], ["workarounds_zh[1]"], "missing"),
    ("everything_is_translated", drop("dead_ends", 0, "why_fails_zh"), [], ["dead_ends[0].why_fails_zh"], "missing"),
    (
        "everything_is_translated",
        drop("workarounds", 0, "condition_zh"),
        [],
        ["workarounds[0].condition_zh"],
        "missing",
    ),
    (
        "everything_is_translated",
        put(["Go through the keys  alone."], "dead_ends_zh"),
        [],
        ["dead_ends_zh[0]"],
        "the English text",
    ),
    ("documented", drop("official_doc_url"), [], ["official_doc_url"], "Link the page"),
    ("documented", put("see the guide", "official_doc_url"), ["official_doc_url"], [], "https://"),
    ("documented", put("https://[", "official_doc_url"), ["official_doc_url"], [], "https://"),
]


@pytest.mark.parametrize(("rule", "change", "errors", "warnings", "words"), CHANGES)
def test_a_change_is_found_where_it_was_made(
    tmp_path: Path, rule: str, change: Change, errors: list[str], warnings: list[str], words: str
) -> None:
    found = problems_after(tmp_path, change)
    assert (fields(found, "error"), fields(found, "warning")) == (errors, warnings)
    assert all(problem.remedy for problem in found)
    if words:
        assert any(words in problem.line() and problem.rule == rule for problem in found), found


TRANSITIONS: list[tuple[Change, str, str]] = [
    (put(["tensorflow/absent"], "transition_graph", "leads_to"), "transition_graph.leads_to[0]", "no record"),
    (put([[1]], "transition_graph", "leads_to"), "transition_graph.leads_to[0]", "names no record"),
    (put([CHANGED], "transition_graph", "leads_to"), "transition_graph.leads_to[0]", "the record itself"),
    (put([TAKEN, TAKEN], "transition_graph", "leads_to"), "transition_graph.leads_to[1]", "named twice"),
    (put([], "transition_graph", "leads_to"), "transition_graph.leads_to", "names this record in its preceded_by"),
    (
        put([], "transition_graph", "frequently_confused_with"),
        "transition_graph.frequently_confused_with",
        "is not named here",
    ),
]


@pytest.mark.parametrize(("change", "field", "words"), TRANSITIONS)
def test_transitions(tmp_path: Path, change: Change, field: str, words: str) -> None:
    found = {problem.field: problem for problem in problems_after(tmp_path, change)}
    assert words in found[field].what
    assert found[field].level == "error"


def test_a_transition_that_does_not_lead_back(tmp_path: Path) -> None:
    """Told once where both records are checked, and of the one that is checked where only one is."""
    make_base(tmp_path)
    paths = [tmp_path / "records" / f"{name}.json" for name in (CHANGED, TAKEN)]
    record = good_record()
    record["transition_graph"]["leads_to"] = []
    paths[0].write_text(json.dumps(record), encoding="utf-8")
    told = [(one.file, problem.field) for one in check_files(paths, provenance=False) for problem in one.problems]
    assert told == [(paths[1], "transition_graph.preceded_by")]
    assert fields(check_files(paths[:1], provenance=False)[0].problems) == ["transition_graph.leads_to"]
    assert fields(check_files(paths[1:], provenance=False)[0].problems) == ["transition_graph.preceded_by"]


def test_no_transition_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    make_base(folder)
    (folder / "records" / f"{TAKEN}.json").unlink()
    record = good_record()
    record["transition_graph"] = {}
    file = folder / "records" / f"{CHANGED}.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    assert fields(check_files([file], provenance=False)[0].problems) == ["transition_graph"]


def test_a_draft_outside_of_a_base(tmp_path: Path) -> None:
    """It is told where it belongs; that is no error. Its transitions are looked up in our own base."""
    record = good_record()
    record["transition_graph"] = {"leads_to": [TAKEN]}
    file = tmp_path / "draft.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    problems = check_files([file], provenance=False)[0].problems
    assert [problem.remedy for problem in problems if problem.field == "id"] == [f"Move it to records/{CHANGED}.json"]
    assert "id" in fields(problems, "warning")
    assert "transition_graph.leads_to[0]" in fields(problems, "error")


def test_a_broken_neighbour_does_not_matter(tmp_path: Path) -> None:
    file = make_base(tmp_path)
    (file.parent / "broken.json").write_text("{", encoding="utf-8")
    (file.parent / "digits.json").write_text('{"id": ' + "1" * 5000 + "}", encoding="utf-8")
    assert check_files([file], provenance=False)[0].problems == []


def test_a_dead_end_that_helps_is_refuted(tmp_path: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        for piece in record["dead_ends"][0]["evidence"]:
            piece["held"] = 1

    found = [problem for problem in problems_after(tmp_path, change) if problem.rule == "everything_was_run"]
    assert fields(found, "error") == ["dead_ends[0].evidence"]
    assert "speak against it" in found[0].what


def test_evidence_for_the_same_version_twice(tmp_path: Path) -> None:
    """It would count twice in every rate."""

    def change(record: dict[str, Any]) -> None:
        record["evidence"].append(record["evidence"][0])

    found = problems_after(tmp_path, change)
    assert "evidence[2]" in fields(found, "error")
    assert any("another piece of evidence for 'tensorflow 2.16.2'" in problem.what for problem in found)


def test_a_failure_that_never_showed(tmp_path: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        for piece in record["evidence"]:
            piece["held"] = 0

    found = [problem for problem in problems_after(tmp_path, change) if problem.rule == "everything_was_run"]
    assert [problem.what for problem in found] == ["the failure showed in no run"]


def test_nothing_was_run(tmp_path: Path) -> None:
    """A record as an author writes it: one line for all that was not run yet, and none for what is computed."""

    def change(record: dict[str, Any]) -> None:
        for item in (record, *record["workarounds"], *record["dead_ends"]):
            del item["evidence"]
            for name in [name for name in item if name.endswith(("_rate", "_interval")) or name in COMPUTED_HERE]:
                del item[name]

    found = problems_after(tmp_path, change)
    assert fields(found, "error") == []
    assert fields(found, "warning") == ["evidence", "verification_tier"]
    assert "nor any claim" in found[0].what


COMPUTED_HERE = ("versions", "confidence", "evidence_count", "verification_tier", "last_confirmed")


def test_an_experiment_that_is_no_python(tmp_path: Path) -> None:
    file = make_base(tmp_path)
    (tmp_path / "experiments" / "tensorflow" / "dictionary_changed.py").write_text(EXPERIMENT + "def", encoding="utf-8")
    (problem,) = check_files([file], provenance=False)[0].problems
    assert problem.field == "experiment"
    assert "is not Python" in problem.what


def test_every_rule_is_named_once_and_says_what_it_demands() -> None:
    names = [name for name, _ in describe_rules()]
    assert len(set(names)) == len(RULES)
    assert all(text.endswith(".") and len(text) < 300 for _, text in describe_rules())
    tested = {rule for rule, *_ in CHANGES} | {"transitions_lead_somewhere", "transitions_lead_back", "message_exists"}
    assert tested == set(names)


def test_the_benign_lines() -> None:
    """Enough of them, none twice, and none with a place on somebody's machine in it."""
    lines = benign_lines()
    assert len(lines) >= 200
    assert len(set(lines)) == len(lines)
    places = ("/home/", "/root/", "/tmp/", "/usr/", "C:\\")
    assert not [line for line in lines if any(place in line for place in places)]
