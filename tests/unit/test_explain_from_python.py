"""`traceonce.explain`: the command of that name, from Python."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import traceonce
from traceonce.knowledge.collection import OURS

LIMIT = "tensorflow/tf-function-recompilation-cache-limit"
BOOL = "tensorflow/symbolic-tensor-as-bool"
LIMIT_ERROR = (
    "ResourceExhaustedError: The function 'train_step' has been retraced 1000 times. The tracing limit has been "
    "reached. This may be caused by passing Python literals or tensors with changing shapes."
)
BOOL_ERROR = (
    "OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: AutoGraph did "
    "convert this function. This might indicate you are trying to use an unsupported feature."
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without the records that whoever runs this has imported."""
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path))
    return tmp_path


def test_an_error_is_explained() -> None:
    explained = traceonce.explain(LIMIT_ERROR)
    (explanation,) = explained
    assert explained
    assert isinstance(explanation, traceonce.Explanation)
    assert (explanation.record, explanation.functions) == (LIMIT, ["train_step"])
    assert explanation.try_first is not None
    assert explanation.other_workarounds  # all that is known
    assert repr(explained) == f"<traceonce.Explanations: {LIMIT}>"


def test_printed_it_says_what_to_do() -> None:
    explained = traceonce.explain(LIMIT_ERROR)
    title, *lines = str(explained).splitlines()
    assert title == f"{LIMIT}  train_step"
    assert [line[:12].strip() for line in lines][:2] == ["cause", "try first"]
    assert explained[0].root_cause in lines[0]
    assert any(line.startswith("  do not ") for line in lines)


def test_a_log_with_several_errors() -> None:
    lines = [f"ERROR {BOOL_ERROR}", "INFO again", f"ERROR {LIMIT_ERROR}"]
    log = "\n".join(f"2026-11-15 12:13:0{number},101 {line}" for number, line in enumerate(lines))
    explained = traceonce.explain(f"{log}\nValueError: something else\n")
    assert {explanation.record for explanation in explained} == {LIMIT, BOOL}
    assert explained.unknown == ("ValueError: something else",)
    assert len(explained[:1]) == 1


def test_an_exception_with_its_causes() -> None:
    try:
        try:
            raise RuntimeError(LIMIT_ERROR)
        except RuntimeError as error:
            raise ValueError("the step failed") from error
    except ValueError as error:
        caught = error
    assert [explanation.record for explanation in traceonce.explain(caught)] == [LIMIT]


def test_the_language_is_that_of_the_text_unless_another_is_asked_for() -> None:
    (chinese,) = traceonce.explain("资源耗尽错误：函数 'train_step' 已被重跟踪 1000 次。已达到跟踪限制。")
    assert (chinese.record, chinese.language) == (LIMIT, "zh")
    assert "先试" in str(chinese)
    (asked_for,) = traceonce.explain(LIMIT_ERROR, language="zh")
    assert asked_for.root_cause == chinese.root_cause


@pytest.mark.parametrize("text", ["", "hello", "ValueError: nobody knows this one"])
def test_what_nobody_knows_is_false(text: str) -> None:
    explained = traceonce.explain(text)
    assert not explained
    assert list(explained) == []
    assert repr(explained).startswith("<traceonce.Explanations: nothing is known")
    assert str(explained).startswith("Nothing is known about this.")


def test_where_nothing_is_known_the_nearest_are_guesses() -> None:
    explained = traceonce.explain("ValueError: tf.function decorated function tried to create variables, I think")
    assert not explained
    assert explained.guesses
    assert f"nearest: {explained.guesses[0].record}" in repr(explained)
    assert explained.guesses[0].record in str(explained)


def test_records_that_the_user_has_imported_are_known(home: Path) -> None:
    mine = home / "knowledge" / "records" / "tensorflow" / "mine.json"
    mine.parent.mkdir(parents=True)
    written = (OURS / "records" / f"{LIMIT}.json").read_text()
    mine.write_text(written.replace(LIMIT, "tensorflow/mine"))
    assert [explanation.record for explanation in traceonce.explain("tensorflow/mine")] == ["tensorflow/mine"]


@pytest.mark.parametrize("problem", [b"bytes", None, 3])
def test_what_is_no_text_is_refused(problem: object) -> None:
    with pytest.raises(TypeError, match="explain is for a text or an exception, not for"):
        traceonce.explain(problem)  # type: ignore[arg-type]  # the mistake is the point


def test_no_module_has_the_name_of_something_public() -> None:
    """Importing such a module would put it in the place of what a program calls."""
    modules = {module.name for module in pkgutil.iter_modules(traceonce.__path__)}
    assert "diagnosis" in modules
    assert not modules & set(traceonce.__all__)


def test_it_is_a_function_whatever_was_imported_before() -> None:
    program = (
        "import traceonce.diagnosis, traceonce.commands.explain, traceonce\n"
        f"print(*[each.record for each in traceonce.explain({LIMIT_ERROR!r})])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == (f"{LIMIT}\n", 0), done.stderr
