"""What `traceonce fix` proves, refutes, and leaves open: programs that try to lead it astray."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.shells import Outcome, Shell


def fix(shell: Shell, text: str, *options: str) -> tuple[Outcome, dict[str, Any]]:
    shell.write("train.py", text)
    outcome = shell.traceonce("fix", "--json", "fix.json", *options, "train.py")
    return outcome, json.loads((shell.cwd / "fix.json").read_text())


def proofs(document: dict[str, Any], name: str) -> list[tuple[str, str, str]]:
    (function,) = (function for function in document["functions"] if function["name"].endswith(name))
    return [(f["recipe"], f["safety"], f["proof"]["verdict"] if f["proof"] else "advice") for f in function["fixes"]]


def test_a_program_that_differs_from_itself_is_said_to_and_nothing_is_claimed(shell: Shell) -> None:
    """Its own entropy is beyond all seeds. With --unproved it is written all the same."""
    text = """\
        import os
        import tensorflow as tf

        @tf.function
        def scale(x, k):
            return x * tf.cast(k, tf.float32)

        noise = int.from_bytes(os.urandom(4), "big") / 2**32
        for k in range(8):
            scale(tf.constant(noise), k)
        """
    outcome, document = fix(shell, text)
    assert outcome.status == 1
    assert outcome.out == b""
    assert "two unmodified runs differ in what scale returns" in outcome.errors
    assert document["fix"]["deterministic"] is False
    assert proofs(document, "scale")[0] == ("input_signature", "review", "not_proved")
    assert document["functions"][0]["fixes"][0]["proof"]["outputs_equal"] is None
    outcome = shell.traceonce("fix", "--write", "--unproved", "train.py")
    assert "input_signature" in (shell.cwd / "train.py").read_text(), outcome.errors


def test_a_number_that_is_formatted_is_not_lifted(shell: Shell) -> None:
    """As a tensor it raises no error in an f-string: it gives another text."""
    text = """\
        import tensorflow as tf

        @tf.function
        def label(x, k):
            return tf.strings.join([f"item {k}: ", tf.strings.as_string(x)])

        for k in range(8):
            print(label(tf.constant(0.5), k).numpy().decode())
        """
    outcome, document = fix(shell, text)
    assert outcome.status == 1
    assert document["fix"]["diff"] == ""
    refuted = [attempt for attempt in document["fix"]["attempts"] if attempt["verdict"] == "refuted"]
    assert refuted
    assert "item 0" in refuted[0]["reason"]


def test_digits_that_a_cast_would_lose_refute_it(shell: Shell) -> None:
    """2**40 does not fit int32; a float64 result is compared as closely as that."""
    text = """\
        import tensorflow as tf

        @tf.function
        def big(x, k):
            return x + tf.cast(k, tf.float64)

        for k in range(8):
            print(big(tf.constant(0.0, tf.float64), 2**40 + k).numpy())
        """
    outcome, _ = fix(shell, text, "--write")
    assert outcome.status == 0, outcome.errors
    assert "tf.int64" in (shell.cwd / "train.py").read_text()


def test_a_branch_that_the_run_never_took_is_found_beyond_it(shell: Shell) -> None:
    """All calls have k > 0. For k < 0 the body takes another way, which a tensor cannot take in Python."""
    text = """\
        import tensorflow as tf

        @tf.function
        def scale(x, k):
            sign = "minus" if isinstance(k, int) and k < 0 else "plus"
            return x * (-1.0 if sign == "minus" else 1.0) * tf.cast(k, tf.float32)

        for k in range(1, 9):
            print(float(scale(tf.constant(2.0), k)))
        """
    outcome, document = fix(shell, text)
    assert outcome.status == 0, outcome.errors
    assert proofs(document, "scale") == [("input_signature", "review", "proved")]
    assert "k = -1" in outcome.errors
    assert document["functions"][0]["fixes"][0]["proof"]["probe_differences"]


def test_a_signature_too_narrow_for_the_next_batch_is_called_so_and_the_wider_one_is_offered(shell: Shell) -> None:
    text = """\
        import tensorflow as tf

        @tf.function
        def total(x):
            return tf.reduce_sum(x)

        for width in (3, 4, 5, 6, 7, 8):
            print(float(total(tf.ones([2, width]))))
        """
    outcome, document = fix(shell, text)
    assert outcome.status == 0, outcome.errors
    assert proofs(document, "total") == [("input_signature", "narrow", "proved")]
    assert "tf.TensorSpec([2, None], tf.float32)" in outcome.text
    assert "x.shape[0]: 2 → 3" in outcome.errors
    assert document["functions"][0]["fixes"][0]["wider"].count("[None, None]") == 1
    wide, document = fix(shell, text, "--wide")
    assert "tf.TensorSpec([None, None], tf.float32)" in wide.text
    assert proofs(document, "total") == [("input_signature", "safe", "proved")]


def test_several_functions_in_several_files_in_one_go(shell: Shell) -> None:
    shell.write(
        "package/model.py",
        """\
        from tensorflow import function
        import tensorflow

        @function
        def encode(x):
            return tensorflow.reduce_mean(x)
        """,
    )
    text = """\
        import tensorflow as tf
        from package.model import encode

        def run(values):
            @tf.function
            def double(x):
                return 2.0 * x
            return [float(double(value)) for value in values]

        for width in range(3, 11):
            print(run([encode(tf.ones([width]))]))
        """
    outcome, document = fix(shell, text, "--write")
    assert outcome.status == 0, outcome.errors
    assert set(document["fix"]["written"]) == {"train.py", "package/model.py"}
    assert "tensorflow.TensorSpec([None], tensorflow.float32)" in (shell.cwd / "package" / "model.py").read_text()
    again = shell.traceonce("fix", "train.py")
    assert "nothing to fix" in again.errors


def test_only_the_function_that_was_asked_for(shell: Shell) -> None:
    text = """\
        import tensorflow as tf

        @tf.function
        def one(x, k):
            return x + tf.cast(k, tf.float32)

        @tf.function
        def other(x, k):
            return x - tf.cast(k, tf.float32)

        for k in range(8):
            print(float(one(tf.constant(1.0), k)), float(other(tf.constant(1.0), k)))
        """
    outcome, document = fix(shell, text, "--function", "other")
    assert outcome.status == 0, outcome.errors
    assert proofs(document, "other") == [("input_signature", "safe", "proved")]
    assert outcome.text.count("+@tf.function(input_signature") == 1
    wrong = shell.traceonce("fix", "--function", "onee", "train.py")
    assert wrong.status == 2
    assert "traced: one, other" in wrong.errors


def test_a_library_is_never_touched_and_its_maintainers_get_a_report(shell: Shell) -> None:
    folder = shell.write(
        "env/lib/python3.11/site-packages/somelib/__init__.py",
        """\
        import tensorflow as tf

        def normalise(x):
            @tf.function
            def inner(x):
                return x / tf.norm(x)
            return inner(x)
        """,
    ).parent.parent
    text = """\
        import tensorflow as tf
        import somelib

        for turn in range(8):
            print(float(somelib.normalise(tf.ones([4]))[0]))
        """
    shell.write("train.py", text)
    before = shell.files()
    outcome = shell.traceonce("fix", "--json", "-", "train.py", env={"PYTHONPATH": str(folder)})
    document = json.loads(outcome.text)
    assert outcome.status == 1, outcome.errors
    assert shell.files(home=False) == before
    (function,) = document["functions"]
    assert function["library"] is True
    reports = [fix["snippet"] for fix in function["fixes"] if fix["recipe"] == "library_report"]
    assert any("somelib" in report and "normalise" in report for report in reports)
    assert not any(str(shell.cwd) in report for report in reports)


def test_what_a_library_wrote_and_the_program_wraps_is_repaired_where_it_is_wrapped(shell: Shell) -> None:
    folder = shell.write(
        "env/lib/python3.11/site-packages/somemodels.py",
        """\
        import tensorflow as tf

        class Model:
            def predict(self, x):
                return 2.0 * tf.reduce_mean(x)
        """,
    ).parent
    text = """\
        import somemodels
        import tensorflow as tf

        model = somemodels.Model()
        predict = tf.function(model.predict)
        for points in range(2, 10):
            print(points, float(predict(tf.range(float(points)))))
        """
    script = shell.write("train.py", text)
    outcome = shell.traceonce("fix", "--write", "train.py", env={"PYTHONPATH": str(folder)})
    assert outcome.status == 0, outcome.errors
    signature = "input_signature=[tf.TensorSpec([None], tf.float32)]"
    assert f"predict = tf.function(model.predict, {signature})" in script.read_text()
    assert "8 traces → 1, same outputs of its callers" in outcome.errors


def test_what_can_be_ignored_is_repaired_where_it_is_asked_for(shell: Shell) -> None:
    text = """\
        import tensorflow as tf

        @tf.function
        def scale(x, k):
            return x * tf.cast(k, tf.float32)

        for turn in range(40):
            print(float(scale(tf.constant(2.0), turn % 2)))
        """
    outcome, _ = fix(shell, text)
    assert (outcome.status, outcome.out) == (0, b"")
    outcome, document = fix(shell, text, "--function", "scale")
    assert proofs(document, "scale") == [("input_signature", "safe", "proved")]


def test_a_check_that_a_repair_would_lose_is_found(shell: Shell) -> None:
    text = """\
        import tensorflow as tf

        @tf.function
        def root(x, k):
            if isinstance(k, int) and k < 0:
                raise ValueError("k must not be negative")
            return x + tf.sqrt(tf.cast(k, tf.float32))

        for k in range(1, 9):
            print(float(root(tf.constant(2.0), k)))
        """
    _, document = fix(shell, text)
    assert proofs(document, "root") == [("input_signature", "review", "proved")]
    differing = document["functions"][0]["fixes"][0]["proof"]["probe_differences"]
    assert any("ValueError" in text for text in differing)
