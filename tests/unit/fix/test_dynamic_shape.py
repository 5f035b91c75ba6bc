"""Sizes that the body reads from static shapes are read while the function runs, and nothing else is touched."""

from __future__ import annotations

import textwrap

import pytest

from traceonce.facts import FunctionId
from traceonce.facts.signature import Shape
from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.dynamic_shapes.edit import read_sizes_at_run_time
from traceonce.frameworks.tensorflow.recipes.dynamic_shape import REACHES

FILE = "program.py"
HEAD = "import tensorflow as tf\n\n\n"


def rewritten(body: str, head: str = "def f(x, y):", reach: int = 0, floating: str = "float32", **shapes: Shape) -> str:
    """The body, where x is open in its first two of three dimensions (or the shapes are as given)."""
    source = f"{HEAD}{head}\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    edits = Edits({FILE: source.encode()})
    open_shapes: dict[str, Shape | None] = {"x": (None, None, 3), **shapes}
    name = head.removeprefix("def ").partition("(")[0]
    read_sizes_at_run_time(edits, FunctionId(name, FILE, 4), open_shapes, REACHES[: reach + 1], floating)
    after = edits.results()[FILE].decode()
    return textwrap.dedent(after.removeprefix(f"{HEAD}{head}\n"))


def is_left(body: str, **options: object) -> bool:
    """Is there nothing to change?"""
    try:
        rewritten(body, **options)  # type: ignore[arg-type]
    except Declined as why:
        return "no size" in str(why)
    return False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return x.shape[0]\n", "return tf.shape(x)[0]\n"),
        ("return x.shape[-2]\n", "return tf.shape(x)[-2]\n"),
        ("return x.shape.as_list()[0]\n", "return tf.shape(x)[0]\n"),
        ("return x.get_shape()[1]\n", "return tf.shape(x)[1]\n"),
        ("return x.get_shape().as_list()[1]\n", "return tf.shape(x)[1]\n"),
        ("return len(x)\n", "return tf.shape(x)[0]\n"),
        ("return tf.zeros(x.shape)\n", "return tf.zeros(tf.shape(x))\n"),
        ("return tf.zeros(shape=x.shape, dtype=x.dtype)\n", "return tf.zeros(shape=tf.shape(x), dtype=x.dtype)\n"),
        ("return tf.ones(x.shape[:2])\n", "return tf.ones(tf.shape(x)[:2])\n"),
        ("return tf.zeros([x.shape[0], x.shape[2]])\n", "return tf.zeros([tf.shape(x)[0], x.shape[2]])\n"),
        ("a, b, c = x.shape\nreturn b\n", "a, b, c = tf.shape(x)[0], tf.shape(x)[1], x.shape[2]\nreturn b\n"),
        ("_, b, _ = x.shape\nreturn b\n", "_, b, _ = x.shape[0], tf.shape(x)[1], x.shape[2]\nreturn b\n"),
        ("a, *b = x.shape\nreturn b\n", "a, *b = tf.unstack(tf.shape(x))\nreturn b\n"),
        ("s = x.shape\nreturn s[0] + s[2]\n", "s = x.shape\nreturn tf.shape(x)[0] + s[2]\n"),
        ("s = x.shape\nreturn tf.zeros(s)\n", "s = x.shape\nreturn tf.zeros(tf.shape(x))\n"),
        (
            "for i in range(x.shape[0]):\n    y += i\nreturn y\n",
            "for i in range(tf.shape(x)[0]):\n    y += i\nreturn y\n",
        ),
        ("h = x @ y\nreturn h.shape[0]\n", "h = x @ y\nreturn tf.shape(h)[0]\n"),
        ("x = x[1:]\nreturn x.shape[0]\n", "x = x[1:]\nreturn tf.shape(x)[0]\n"),
        ("return tf.concat([x, y], 0).shape[1]\n", "return tf.shape(tf.concat([x, y], 0))[1]\n"),
        (
            "def g(z):\n    return z.shape[0]\nreturn g(x)\n",
            "def g(z):\n    return tf.shape(z)[0]\nreturn g(x)\n",
        ),
        (
            "return tf.reshape(x, [x.shape[0], -1]).shape[0]  # rows\n",
            "return tf.shape(tf.reshape(x, [tf.shape(x)[0], -1]))[0]  # rows\n",
        ),
    ],
)
def test_what_is_changed(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    "body",
    [
        "return x.shape[2]\n",  # does not vary
        "return x.shape[-1]\n",
        "return y.shape[0]\n",
        "return self.w.shape[0]\n",
        "return WEIGHTS.shape[0]\n",
        "return x.shape.rank\n",
        "return len(x.shape)\n",
        "return len(y)\n",
        "return tf.shape(x)[0]\n",
        "assert x.shape[0] == 3\nreturn x\n",
        "return x if x.shape[0] is None else y\n",
        "print(x.shape[0], x.shape)\nreturn x\n",
        "name = f'{x.shape[0]}'\nreturn x\n",
        "return tf.ensure_shape(y, x.shape)\n",
        "return tf.TensorShape(x.shape)\n",
        "return y.reshape(x.shape)\n",
        "return np.zeros(x.shape)\n",
        "h = x @ y\nreturn h.shape[-1]\n",
    ],
)
def test_what_is_left_alone(body: str) -> None:
    assert is_left(body)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return y / x.shape[0]\n", "return y / tf.cast(tf.shape(x)[0], tf.float32)\n"),
        ("return x.shape[0] * 0.5\n", "return tf.cast(tf.shape(x)[0], tf.float32) * 0.5\n"),
        ("return x.shape[0] * 2\n", "return tf.shape(x)[0] * 2\n"),
        ("return x.shape[0] // 2\n", "return tf.shape(x)[0] // 2\n"),
        ("return y / (x.shape[0] - 1)\n", "return y / tf.cast(tf.shape(x)[0] - 1, tf.float32)\n"),
        ("return (x.shape[0] * x.shape[1]) / y\n", "return tf.cast(tf.shape(x)[0] * tf.shape(x)[1], tf.float32) / y\n"),
        ("n = x.shape[0]\nreturn y / n\n", "n = tf.shape(x)[0]\nreturn y / tf.cast(n, tf.float32)\n"),
        ("n = x.shape[0]\nreturn y[:n] * n\n", "n = tf.shape(x)[0]\nreturn y[:n] * n\n"),
        (
            "a, b, c = x.shape\nreturn y / (a * c)\n",
            "a, b, c = tf.shape(x)[0], tf.shape(x)[1], x.shape[2]\nreturn y / tf.cast(a * c, tf.float32)\n",
        ),
        ("return y / len(x)\n", "return y / tf.cast(tf.shape(x)[0], tf.float32)\n"),
    ],
)
def test_a_size_that_meets_a_float_is_cast(before: str, after: str) -> None:
    """Python divides two whole numbers to a float; TensorFlow refuses a float tensor and a whole one."""
    assert rewritten(before) == after


def test_the_cast_is_to_the_dtype_of_the_tensors() -> None:
    assert (
        rewritten("return y / x.shape[0]\n", floating="float64") == "return y / tf.cast(tf.shape(x)[0], tf.float64)\n"
    )


def test_further_reach_casts_in_sums_and_products_but_not_in_shapes() -> None:
    body = "n = x.shape[0]\nreturn tf.reshape(y, [n * 2]) * n\n"
    assert rewritten(body) == "n = tf.shape(x)[0]\nreturn tf.reshape(y, [n * 2]) * n\n"
    assert rewritten(body, reach=1) == ("n = tf.shape(x)[0]\nreturn tf.reshape(y, [n * 2]) * tf.cast(n, tf.float32)\n")


def test_further_reach_takes_every_size_of_what_is_computed() -> None:
    body = "h = x @ y\nreturn h.shape[-1] + h.shape[0]\n"
    assert rewritten(body) == "h = x @ y\nreturn h.shape[-1] + tf.shape(h)[0]\n"
    assert rewritten(body, reach=2) == "h = x @ y\nreturn tf.shape(h)[-1] + tf.shape(h)[0]\n"


@pytest.mark.parametrize("reach", [1, 2, 3])
def test_a_reach_that_does_no_more_declines(reach: int) -> None:
    with pytest.raises(Declined, match="no other size"):
        rewritten("return x.shape[0]\n", reach=reach)


def test_parts_of_arguments_are_known_by_their_paths() -> None:
    head = "def f(batch):"
    shapes = {"batch['ids']": (None, 4)}
    body = 'return batch["ids"].shape[0] + batch["ids"].shape[1]\n'
    after = 'return tf.shape(batch["ids"])[0] + batch["ids"].shape[1]\n'
    assert rewritten(body, head, **shapes) == after


def test_an_unknown_rank_leaves_every_size_open() -> None:
    assert rewritten("return x.shape[5]\n", x=None) == "return tf.shape(x)[5]\n"  # type: ignore[arg-type]


def test_the_own_name_of_tensorflow_is_used() -> None:
    source = b"import tensorflow as flow\n\n\ndef f(x):\n    return x.shape[0]\n"
    edits = Edits({FILE: source})
    read_sizes_at_run_time(edits, FunctionId("f", FILE, 4), {"x": (None,)}, REACHES[:1], "float32")
    assert b"return flow.shape(x)[0]" in edits.results()[FILE]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (FunctionId("f", FILE, 99), "was not found"),
        (FunctionId("f"), "definition was not found"),
        (FunctionId("f", "elsewhere.py", 4), "outside the project"),
    ],
)
def test_a_function_that_is_not_there(function: FunctionId, reason: str) -> None:
    edits = Edits({FILE: f"{HEAD}def f(x):\n    return x.shape[0]\n".encode()})
    with pytest.raises(Declined, match=reason):
        read_sizes_at_run_time(edits, function, {"x": (None,)}, REACHES[:1], "float32")
