"""`traceonce explain`: whatever a user pastes, names or pipes, and an answer that says what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shells import Recorded, Shell

BOOL = "tensorflow/symbolic-tensor-as-bool"
LIMIT = "tensorflow/tf-function-recompilation-cache-limit"
NUMBER = "tensorflow/retracing-python-number"
SAVED = "tensorflow/saved-model-no-matching-function"
BOOL_ERROR = (
    "tensorflow.python.framework.errors_impl.OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python "
    "`bool` is not allowed: AutoGraph did convert this function. This might indicate you are trying to use an "
    "unsupported feature."
)
LIMIT_ERROR = (
    "ResourceExhaustedError: The function 'train_step' has been retraced 1000 times. The tracing limit has been "
    "reached. This may be caused by passing Python literals or tensors with changing shapes."
)
LIMIT_ERROR_ZH = "资源耗尽错误：函数 'train_step' 已被重跟踪 1000 次。已达到跟踪限制。"
LOG = f"""\
2026-11-15 12:13:01,101 INFO reading shard 3 of 12
2026-11-15 12:13:02,102 \x1b[31mERROR\x1b[0m the step failed
Traceback (most recent call last):
  File "train.py", line 12, in <module>
    train_step(batch)
{BOOL_ERROR}
2026-11-15 12:13:03,103 INFO again
2026-11-15 12:13:04,104 ERROR {LIMIT_ERROR}
2026-11-15 12:13:05,105 ERROR {LIMIT_ERROR}
ValueError: something else entirely
"""


def explained(shell: Shell, *arguments: str, status: int = 0, **options: Any) -> dict[str, Any]:
    outcome = shell.traceonce("explain", "--format", "json", *arguments, **options)
    assert outcome.status == status, outcome.errors
    assert outcome.err == b""
    answer: dict[str, Any] = json.loads(outcome.out)
    return answer


def records(answer: dict[str, Any]) -> list[str]:
    return [item["record"] for item in answer["explanations"]]


def test_a_message(either_shell: Shell) -> None:
    outcome = either_shell.traceonce("explain", LIMIT_ERROR)
    assert outcome.status == 0
    assert outcome.err == b""
    title, signature, *_ = outcome.text.splitlines()
    assert title == f"{LIMIT}  train_step"
    assert "has been retraced" in signature
    for label in ("matched", "cause", "try first", "do not", "confused with", "more"):
        assert f"\n  {label} " in outcome.text
    assert "\x1b" not in outcome.text


def test_words_without_quotes_are_one_text(shell: Shell) -> None:
    answer = explained(shell, *LIMIT_ERROR.split())
    assert records(answer) == [LIMIT]
    assert answer["explanations"][0]["function"] == "train_step"


def test_the_first_workaround_or_all(shell: Shell) -> None:
    first, everything = (explained(shell, *options, BOOL)["explanations"][0] for options in ([], ["--all"]))
    assert first["try_first"]["action"]
    assert "other_workarounds" not in first
    assert len(everything["other_workarounds"]) >= 1
    assert first["do_not"]
    assert first["do_not"][0]["why"]
    assert {"root_cause", "tier", "url"} <= first.keys()


def test_what_to_try_comes_with_its_evidence(shell: Shell) -> None:
    [item] = explained(shell, NUMBER)["explanations"]
    shown = item["try_first"]["shown"]
    assert 0 < shown["held"] <= shown["runs"]
    assert shown["least"] <= shown["rate"] == round(shown["held"] / shown["runs"], 2)
    assert len(shown["versions"]) >= 2
    text = shell.traceonce("explain", NUMBER).text
    assert f"it helped in {shown['held']} of {shown['runs']} runs" in " ".join(text.split())
    assert shown["versions"][0] in text


def test_a_log_with_several_errors(shell: Shell) -> None:
    shell.write("train.log", LOG)
    answer = explained(shell, "train.log")
    assert [(item["record"], item["count"], item["line"]) for item in answer["explanations"]] == [
        (BOOL, 1, 6),
        (LIMIT, 2, 8),
    ]
    assert answer["unknown"] == ["ValueError: something else entirely"]
    assert answer["guesses"] == []
    assert explained(shell, "-", stdin=LOG.encode()) == answer
    assert explained(shell, stdin=LOG.encode()) == answer
    text = shell.traceonce("explain", "train.log").text
    assert "2 times, first in line 8" in text
    assert "Nothing is known about:\n  ValueError: something else entirely" in text


def test_several_files_and_ids(shell: Shell) -> None:
    shell.write("one.log", BOOL_ERROR)
    shell.write("two.log", LIMIT_ERROR)
    assert records(explained(shell, "two.log", "one.log", "retracing-shape")) == [
        LIMIT,
        BOOL,
        "tensorflow/retracing-shape",
    ]


def test_a_cause_by_its_code(shell: Shell) -> None:
    """As a report, or its JSON, names it; a word in a sentence that is called so is no cause."""
    outcome = shell.traceonce("explain", "weak_type", "kind")
    assert outcome.status == 0
    assert outcome.text.startswith("weak_type · weak dtype\n")
    for part in ("jnp.asarray(x, jnp.float32)", "@jax.jit", "kind · kind", "import tensorflow as tf", "import torch"):
        assert part in outcome.text
    assert "Nothing is known" not in outcome.text
    (told,) = explained(shell, "--lang", "zh", "weak_type")["causes"]
    assert (told["name"], told["frameworks"][0]["record"]) == ("弱类型", "jax/recompile-dtype-weak-type")
    assert explained(shell, "shape", "mismatch", status=1)["causes"] == []


def test_the_language_is_that_of_the_message_the_surroundings_or_the_option(shell: Shell) -> None:
    outcome = shell.traceonce("explain", LIMIT_ERROR_ZH)
    assert outcome.status == 0
    assert outcome.text.startswith(LIMIT)
    assert "先试" in outcome.text
    assert "先试" in shell.traceonce("explain", LIMIT_ERROR, env={"LANG": "zh_CN.UTF-8", "LC_ALL": ""}).text
    assert "先试" in shell.traceonce("explain", "--lang", "zh", BOOL).text
    assert "try first" in shell.traceonce("explain", "--lang", "en", LIMIT_ERROR_ZH).text
    [item] = explained(shell, "--lang", "zh", BOOL)["explanations"]
    assert any("\u4e00" <= character <= "\u9fff" for character in item["root_cause"])


@pytest.mark.parametrize(
    "text", [f"训练时出现这个错误，应该怎么改？\n{BOOL_ERROR}\n", f"{BOOL_ERROR * 20}\n\n请问这是什么原因？"]
)
def test_a_chinese_question_about_an_english_error_is_answered_in_chinese(shell: Shell, text: str) -> None:
    [item] = explained(shell, text)["explanations"]
    assert (item["record"], item["language"]) == (BOOL, "zh")
    assert explained(shell, "-", stdin=text.encode()) == explained(shell, text)
    shell.write("question.txt", f"{text}\nValueError: something else entirely")
    answer = shell.traceonce("explain", "question.txt").text
    assert "先试" in answer
    assert "没有关于以下内容的记录" in answer
    assert "没有与此匹配的记录" in shell.traceonce("explain", "请问为什么我的程序不能运行？").text


def test_a_record_is_explained_once_for_all_functions(shell: Shell) -> None:
    lines = [f"{name} retraced, the 2nd time: n: now 2, before 1 (a Python int) · 1 ms" for name in "fgfhijkl"]
    shell.write("train.log", "\n".join([*lines, "", f"see {NUMBER}"]))
    [item] = explained(shell, "train.log")["explanations"]
    assert (item["record"], item["function"], item["functions"]) == (NUMBER, "f", list("fghijkl"))
    assert (item["count"], item["line"]) == (9, 1)
    text = shell.traceonce("explain", "train.log").text
    assert text.splitlines()[0] == f"{NUMBER}  f, g, h, i, j and 2 more"
    assert text.count(f"\n{NUMBER}") == 0
    chinese = shell.traceonce("explain", "--lang", "zh", "train.log").text
    assert chinese.splitlines()[0] == f"{NUMBER}  f, g, h, i, j 等 7 个"


def test_versions_are_named_once(shell: Shell) -> None:
    [item] = explained(shell, SAVED)["explanations"]
    assert len(item["do_not"]) >= 2
    assert shell.traceonce("explain", SAVED).text.count(item["try_first"]["shown"]["versions"][0]) == 1


def test_nothing_known_says_so_and_guesses(shell: Shell) -> None:
    outcome = shell.traceonce("explain", "RecursionError: maximum recursion depth exceeded")
    assert outcome.status == 1
    assert outcome.text.startswith("Nothing is known about this.")
    assert "guesses" in outcome.text
    assert "tensorflow/recursion" in outcome.text
    answer = explained(shell, "RecursionError: maximum recursion depth exceeded", status=1)
    assert answer["explanations"] == []
    assert all(guess["guess"] for guess in answer["guesses"])
    assert explained(shell, "please retrace your steps", status=1)["guesses"] == []


def test_a_recording(recorded: Recorded) -> None:
    answer = explained(recorded.shell, str(recorded.file))
    assert records(answer) == [NUMBER, "tensorflow/retracing-shape"]
    for item in answer["explanations"]:
        assert item["function"] == "train_step"
    assert "step: a Python int" in answer["explanations"][0]["why"]
    assert "x.shape[1]: varies" in answer["explanations"][1]["why"]
    assert explained(recorded.shell, "-", stdin=recorded.file.read_bytes()) == answer


def test_a_json_report_is_a_recording_too(recorded_as_json: Recorded) -> None:
    assert records(explained(recorded_as_json.shell, str(recorded_as_json.file)))[0] == NUMBER


def test_the_text_report_names_its_records(recorded: Recorded) -> None:
    """What TensorFlow itself has logged is known, too, and says less."""
    assert b"triggered tf.function retracing" in recorded.outcome.err
    answer = explained(recorded.shell, "-", stdin=recorded.outcome.err)
    assert records(answer) == [NUMBER, "tensorflow/retracing-shape"]
    assert [item["function"] for item in answer["explanations"]] == ["train_step"] * 2
    assert "tensorflow/retracing-warning" in answer["explanations"][0]["also"]
    warning = next(line for line in recorded.outcome.err.splitlines() if b"triggered tf.function retracing" in line)
    assert records(explained(recorded.shell, "-", stdin=warning)) == ["tensorflow/retracing-warning"]


FAILING = """\
import tensorflow as tf

@tf.function
def step(x):
    return tf.Variable(x)

@tf.function
def fine(x):
    return x + 1

fine(tf.constant(1.0))
for number in range(2):
    try:
        step(tf.zeros([number + 1]))
    except ValueError:
        pass
"""


def test_a_trace_that_failed_is_explained_by_its_error(shell: Shell) -> None:
    shell.write("train.py", FAILING)
    assert shell.run("--recording", "run.jsonl", "train.py").status == 0
    answer = explained(shell, "run.jsonl")
    assert "tensorflow/variable-created-later" in records(answer)
    assert {item["function"] for item in answer["explanations"]} == {"step"}


BOUNDED = """\
import tensorflow as tf

@tf.function
def evaluate(x, training):
    return x * 2.0 if training else x

for number in range(20):
    evaluate(tf.zeros([2]), number % 2 == 0)
"""


def test_what_can_be_ignored_gets_a_line(shell: Shell) -> None:
    shell.write("train.py", BOUNDED)
    run = shell.traceonce("run", "--recording", "run.jsonl", "train.py")
    assert b"You can ignore these:" in run.err
    expected = [{"record": "tensorflow/retracing-python-bool", "functions": ["evaluate"]}]
    line = "You can ignore evaluate: tensorflow/retracing-python-bool\n"
    answer = explained(shell, "run.jsonl")
    assert (answer["explanations"], answer["ignorable"], answer["unknown"]) == ([], expected, [])
    text = shell.traceonce("explain", "run.jsonl").text
    assert text.startswith("Nothing to explain")
    assert text.endswith(line)
    answer = explained(shell, "-", stdin=run.err)
    assert (answer["explanations"], answer["ignorable"], answer["guesses"]) == ([], expected, [])
    assert shell.traceonce("explain", "-", stdin=run.err).text == line
    both = shell.traceonce("explain", "-", stdin=run.err + b"\n" + BOOL_ERROR.encode()).text
    assert both.startswith(BOOL)
    assert both.endswith(f"\n\n{line}")


def test_a_run_in_which_all_is_well(shell: Shell) -> None:
    shell.write("train.py", "import tensorflow as tf\nf = tf.function(lambda x: x)\nf(tf.zeros([]))\n")
    assert shell.run("--recording", "run.jsonl", "train.py").status == 0
    outcome = shell.traceonce("explain", "run.jsonl")
    assert outcome.status == 0
    assert "Nothing to explain" in outcome.text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train.log"], ["train.log", "no such file"]),
        (["logs/today/run"], ["logs/today/run", "no such file"]),
        (["out/missing"], ["out/missing", "no such file"]),
        (["张量/变量"], []),
        (["./run"], ["./run", "no such file"]),
        (["."], ["is a folder"]),
        (["empty.log"], ["empty.log", "is empty"]),
        ([""], ["the text is empty"]),
        (["tensorflow/retracing-shpe"], ["no record 'tensorflow/retracing-shpe'", "tensorflow/retracing-shape"]),
        (["--lang", "fr", "x"], ["--lang", "'fr'"]),
        (["--format", "pdf", "x"], ["--format", "'pdf'"]),
    ],
)
def test_bad_input(shell: Shell, arguments: list[str], expected: list[str]) -> None:
    (shell.cwd / "empty.log").touch()
    outcome = shell.traceonce("explain", *arguments)
    assert outcome.status == (2 if expected else 1)
    assert "Traceback" not in outcome.errors
    assert all(part in outcome.errors for part in expected)
    assert (outcome.out == b"") is bool(expected)


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 100, b"\xff" * 1_000, b"x" * 10_000_000, b"\xff\xfe", b"[" * 100_000, b"\n" * 1_000],
    ids=["binary", "invalid UTF-8", "10 MB", "a mark alone", "brackets", "blank"],
)
def test_input_that_is_no_text(shell: Shell, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "data").write_bytes(data)
    outcome = shell.traceonce("explain", str(tmp_path / "data"))
    assert outcome.status == 1
    assert outcome.text.startswith("Nothing is known about this.")
    assert outcome.err == b""


def test_a_damaged_recording_is_said_to_be_one(shell: Shell) -> None:
    shell.write(
        "run.jsonl", '{"entry":"header","schema":"traceonce.recording/99","run":"a","process":"1","clock":1.0}\n'
    )
    outcome = shell.traceonce("explain", "run.jsonl")
    assert outcome.status == 2
    assert "traceonce.recording/99" in outcome.errors
