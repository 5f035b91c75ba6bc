"""`traceonce knowledge match`: the form for programs, one text or many."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.shells import Shell

MESSAGE = (
    "TypeError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: AutoGraph did convert this function."
)
BOOL = "tensorflow/symbolic-tensor-as-bool"


def matches(shell: Shell, *arguments: str, **options: Any) -> list[dict[str, Any]]:
    outcome = shell.traceonce("knowledge", "match", *arguments, **options)
    assert outcome.status == 0, outcome.errors
    assert outcome.err == b""
    answer = json.loads(outcome.out)
    assert list(answer) == ["matches"]
    found: list[dict[str, Any]] = answer["matches"]
    return found


def test_one_text(either_shell: Shell) -> None:
    found = matches(either_shell, MESSAGE)
    assert {"record", "score", "why", "guess"} <= found[0].keys()
    assert (found[0]["record"], found[0]["guess"]) == (BOOL, False)
    assert found[0]["score"] > 0.5
    assert [item["score"] for item in found] == sorted((item["score"] for item in found), reverse=True)


def test_words_a_file_and_standard_input_are_the_same(shell: Shell) -> None:
    shell.write("message", MESSAGE)
    found = matches(shell, MESSAGE)
    assert matches(shell, *MESSAGE.split()) == found
    assert matches(shell, "message") == found
    assert matches(shell, "-", stdin=MESSAGE.encode()) == found


def test_guesses_are_marked_and_may_be_left_out(shell: Shell) -> None:
    text = "RecursionError: maximum recursion depth exceeded"
    found = matches(shell, text)
    assert found
    assert all(item["guess"] and item["score"] < 0.5 for item in found)
    assert matches(shell, "--guesses", "0", text) == []
    assert len(matches(shell, "--limit", "1", text)) == 1
    assert matches(shell, "retrace your steps") == []


def test_a_batch_has_an_answer_for_every_line(shell: Shell) -> None:
    asked = [
        {"id": 7, "text": MESSAGE},
        {"id": "b", "text": "nothing of the kind"},
        {"text": "see tensorflow/recursion"},
    ]
    shell.write("batch.ndjson", "\n".join(map(json.dumps, asked)) + "\n\n")
    outcome = shell.traceonce("knowledge", "match", "--batch", "batch.ndjson")
    assert outcome.status == 0
    answers = [json.loads(line) for line in outcome.text.splitlines()]
    assert [answer["id"] for answer in answers] == [7, "b", None]
    assert [[item["record"] for item in answer["matches"]][:1] for answer in answers] == [
        [BOOL],
        [],
        ["tensorflow/recursion"],
    ]
    assert answers[0]["matches"] == matches(shell, MESSAGE)


BROKEN = [
    b'{"id": 1, "text": "broken',
    b"\xff\xfe",
    b"[1, 2]",
    b'{"id": 3, "text": 5}',
    b'{"id": 4}',
    b"[" * 100_000,
    b"null",
]


def test_broken_lines_are_named_and_the_rest_goes_on(shell: Shell) -> None:
    lines = [*BROKEN, json.dumps({"id": "last", "text": MESSAGE}).encode()]
    outcome = shell.traceonce("knowledge", "match", "--batch", "-", stdin=b"\n".join(lines))
    assert outcome.status == 2
    assert b"Traceback" not in outcome.err
    answers = [json.loads(line) for line in outcome.text.splitlines()]
    assert len(answers) == len(lines)
    for number, answer in enumerate(answers[:-1], 1):
        assert answer["error"].startswith(f"line {number}: ")
        assert answer["matches"] == []
    assert [answer["id"] for answer in answers] == [None, None, None, 3, 4, None, None, "last"]
    assert answers[-1]["matches"][0]["record"] == BOOL


def test_a_long_text_in_a_batch(shell: Shell) -> None:
    asked = {"id": 1, "text": "x" * 3_000_000 + " " + MESSAGE}
    outcome = shell.traceonce("knowledge", "match", "--batch", "-", stdin=json.dumps(asked).encode())
    assert outcome.status == 0
    assert json.loads(outcome.out)["matches"][0]["record"] == BOOL


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["give a text", "--batch"]),
        (["--batch", "-", "text"], ["give a text", "--batch"]),
        (["--batch", "absent.ndjson"], ["--batch absent.ndjson", "no such file"]),
        (["--batch", "."], ["is a folder"]),
        (["absent.log"], ["absent.log", "no such file"]),
        (["--limit", "0", "x"], ["--limit"]),
        ([" "], ["the text is empty"]),
    ],
)
def test_bad_input(shell: Shell, arguments: list[str], expected: list[str]) -> None:
    outcome = shell.traceonce("knowledge", "match", *arguments)
    assert outcome.status == 2
    assert outcome.out == b""
    assert "Traceback" not in outcome.errors
    assert all(part in outcome.errors for part in expected)
