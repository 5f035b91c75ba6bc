"""`traceonce fix` where a size is read in what the traced function calls."""

from __future__ import annotations

import json

from tests.cli.shells import Shell


def test_helpers_in_other_files_are_changed_with_the_function(shell: Shell) -> None:
    """Without AutoGraph only the traceback on stderr names them. The second helper shows when the first is changed."""
    shell.write(
        "pieces.py",
        """\
        def centred(x, total):
            return x - total / x.shape[1]


        def width(x):
            return x.shape[-1]
        """,
    )
    shell.write(
        "train.py",
        """\
        import tensorflow as tf

        from pieces import centred, width


        def steps(x):
            return tf.linspace(0.0, 1.0, x.shape[1])[tf.newaxis, :, tf.newaxis]


        def weighted(x):
            return tf.ensure_shape(x * steps(x), [3, None, width(x)])


        @tf.function(autograph=False)
        def score(x):
            return tf.reduce_sum(weighted(centred(x, tf.reduce_sum(x, axis=1, keepdims=True))), axis=[1, 2])


        for length in (5, 8, 6, 9, 7, 12):
            print(score(tf.reshape(tf.range(6.0 * length), [3, length, 2])).numpy().round(2))
        """,
    )
    outcome = shell.traceonce("fix", "--write", "--json", "fix.json", "train.py")
    assert outcome.status == 0, outcome.errors
    (function,) = json.loads((shell.cwd / "fix.json").read_text())["functions"]
    (fix,) = (fix for fix in function["fixes"] if fix["proof"])
    assert (fix["recipe"], fix["proof"]["verdict"]) == ("input_signature+dynamic_shape", "proved")
    assert fix["proof"]["after"]["traces"] == 1
    assert "in centred and steps too" in fix["note"]
    pieces = (shell.cwd / "pieces.py").read_text()
    assert "return x - total / tf.cast(tf.shape(x)[1], tf.float32)" in pieces
    assert "return x.shape[-1]" in pieces
    assert "tf.linspace(0.0, 1.0, tf.shape(x)[1])" in (shell.cwd / "train.py").read_text()
