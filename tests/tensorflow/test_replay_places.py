"""Where functions are made and called: the exact expression, as it stands in the file."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tensorflow.replayed import replay
from traceonce.facts.replay import Making, ReplayResult, Site

SPANS = sys.version_info >= (3, 11)


@pytest.fixture
def replay_of(tf: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., tuple[ReplayResult, str]]:
    """Runs a program as a module of its own; gives what was seen, and its text."""

    def run(program: str, *, eager: bool = False) -> tuple[ReplayResult, str]:
        text = "import functools\nimport tensorflow as tf\n" + textwrap.dedent(program)
        path = tmp_path / f"program_{abs(hash(text))}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        with replay(eager=eager) as replaying:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
            return replaying.result(), text

    return run


def written(place: Making | Site, text: str) -> str:
    """The text at a span; the line itself where Python does not tell spans."""
    lines = text.splitlines()
    if not SPANS:
        assert place.span is None
        return lines[place.line - 1]
    assert place.span is not None
    assert place.span.line == place.line
    assert place.span.end_line == place.span.line, "of these, all are on one line"
    return lines[place.line - 1].encode()[place.span.column : place.span.end_column].decode()


MAKINGS = {
    "decorator": ("@tf.function\ndef step(x): return x", "tf.function", "<module>"),
    "options": (
        "@tf.function(reduce_retracing=True)\ndef step(x): return x",
        "tf.function(reduce_retracing=True)",
        "<module>",
    ),
    "stacked below": (
        "def other(f): return f\n@other\n@tf.function(jit_compile=False)\ndef step(x): return x",
        "tf.function(jit_compile=False)",
        "<module>",
    ),
    "stacked above": (
        "def other(f): return f\n@tf.function\n@other\ndef step(x): return x",
        "tf.function",
        "<module>",
    ),
    "call": ("def step(x): return x\nfast = tf.function(step)", "tf.function(step)", "<module>"),
    "call with options": (
        "def step(x): return x\nfast = tf.function(step, reduce_retracing=True)",
        "tf.function(step, reduce_retracing=True)",
        "<module>",
    ),
    "curried": (
        "def step(x): return x\nfast = tf.function(autograph=False)(step)",
        "tf.function(autograph=False)(step)",
        "<module>",
    ),
    "lambda": ("fast = [tf.function(lambda x: x + 1)]", "tf.function(lambda x: x + 1)", "<module>"),
    "not ASCII": ("größe, fast = 'äöü', tf.function(lambda x: x)", "tf.function(lambda x: x)", "<module>"),
    "alias": (
        "from tensorflow import function as compiled\n@compiled\ndef step(x): return x",
        "compiled",
        "<module>",
    ),
    "method": (
        "class Model:\n    @tf.function\n    def step(self, x): return x",
        "tf.function",
        "Model",
    ),
    "in __init__": (
        "class Model:\n    def __init__(self):\n        self.step = tf.function(self._step)\n"
        "    def _step(self, x): return x\nModel()",
        "tf.function(self._step)",
        "Model.__init__",
    ),
    "partial": (
        "fast = functools.partial(tf.function, reduce_retracing=True)\n@fast\ndef step(x): return x",
        "fast",
        "<module>",
    ),
    "partial in place": (
        "@functools.partial(tf.function, autograph=False)\ndef step(x): return x",
        "functools.partial(tf.function, autograph=False)",
        "<module>",
    ),
    "inside a function": (
        "def make(k):\n    @tf.function\n    def step(x): return x * k\n    return step\nmake(2)",
        "tf.function",
        "make",
    ),
}


@pytest.mark.parametrize("name", MAKINGS)
def test_where_it_is_made(replay_of: Any, name: str) -> None:
    program, expression, scope = MAKINGS[name]
    result, text = replay_of(program)
    (making,) = result.makings
    if SPANS:
        assert written(making, text) == expression
        assert making.scope == scope
    else:
        line = written(making, text).lstrip()
        assert expression in line or line.startswith("def step"), "3.10 takes a decorator for a part of the def"
        assert scope.endswith(making.scope)
    assert making.count == 1
    assert making.function.line is not None


def test_a_function_made_again_and_again_is_counted(replay_of: Any) -> None:
    result, _ = replay_of("""
        class Model:
            @tf.function
            def step(self, x): return x

        for k in range(3):
            fast = tf.function(lambda x: x * k)
            Model().step(fast(1.0))
    """)
    assert sorted((making.function.short_name, making.count) for making in result.makings) == [
        ("<lambda>", 3),
        ("step", 1),
    ]


def test_one_made_while_another_is_traced_has_its_line(replay_of: Any) -> None:
    result, text = replay_of("""
        @tf.function
        def outer(x):
            inner = tf.function(lambda y: y + 1)
            return inner(x)

        outer(tf.constant(1.0))
    """)
    (inner,) = [making for making in result.makings if making.function.short_name != "outer"]
    assert text.splitlines()[inner.line - 1].strip() == "inner = tf.function(lambda y: y + 1)"
    assert (inner.span, inner.scope) == (None, "outer")


def test_a_library_that_makes_one_is_no_place_of_the_users(replay_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from traceonce.frameworks.base.places import Places

    is_user = Places.is_user
    monkeypatch.setattr(Places, "is_user", lambda self, file: "elsewhere.py" not in file and is_user(self, file))
    result, text = replay_of("""
        code = compile("def wrap(tf, f): return tf.function(f)\\ndef call(f, x): return f(x)", "/elsewhere.py", "exec")
        library = {}
        exec(code, library)
        step = library["wrap"](tf, lambda x: x + 1)
        library["call"](step, tf.constant(1.0))
    """)
    assert result.makings == ()
    (site,) = result.sites
    assert not site.direct
    assert 'library["call"](step, tf.constant(1.0))' in written(site, text)


def test_where_it_is_called_and_with_what(replay_of: Any) -> None:
    result, text = replay_of("""
        import collections
        import numpy as np

        Batch = collections.namedtuple("Batch", "x weights")

        class Config:
            pass

        class Model:
            def loss(self): pass

            @tf.function
            def step(self, batch, *rest, k=1, **more):
                return batch.x

        model, config, variable = Model(), Config(), tf.Variable(1)
        for k in (1, 2.5, None, "é"):
            model.step(Batch(tf.ones([1]), [np.float64(1), True]), config, abs, model.loss, k=k); model.step(
                Batch(tf.ones([1]), {"a": (variable, functools.partial(abs))}), extra=np.ones([2], "int8"))
    """)
    if not SPANS:  # two calls on one line cannot be told apart
        assert [site.count for site in result.sites] == [8]
        return
    first, second = result.sites
    assert (first.count, second.count) == (4, 4)
    assert first.direct
    assert written(first, text).startswith("model.step(Batch(tf.ones([1]), [np.float64(1), True])")
    assert second.span is not None
    assert second.span.end_line == second.line + 1
    assert first.arguments == {
        "batch.x": ("tensor float32",),
        "batch.weights[0]": ("tensor float64",),
        "batch.weights[1]": ("bool",),
        "rest[0]": ("object Config",),
        "rest[1]": ("function",),
        "rest[2]": ("method",),
        "k": ("NoneType", "float", "int", "str"),
    }
    assert second.arguments == {
        "batch.x": ("tensor float32",),
        "batch.weights['a'][0]": ("variable int32",),
        "batch.weights['a'][1]": ("partial",),
        "more['extra']": ("tensor int8",),
    }


def test_a_call_inside_a_trace_has_its_line(replay_of: Any) -> None:
    program = """
        @tf.function
        def inner(x, k):
            return x * k

        @tf.function
        def outer(x):
            for k in (1, 2):
                x = inner(x, k)
            return x

        for _ in range(3):
            outer(tf.constant(1.0))
    """
    result, text = replay_of(program)
    sites = {site.function.short_name: site for site in result.sites}
    assert text.splitlines()[sites["inner"].line - 1].strip() == "x = inner(x, k)"
    assert (sites["inner"].span, sites["inner"].count) == (None, 2)
    assert sites["inner"].arguments == {"x": ("tensor float32",), "k": ("int",)}
    assert (sites["outer"].count, written(sites["outer"], text).strip()) == (3, "outer(tf.constant(1.0))")
    eagerly, _ = replay_of(program, eager=True)
    assert {site.function.short_name: site.count for site in eagerly.sites} == {"outer": 3, "inner": 6}


def test_a_call_that_does_not_fit_raises_as_ever(replay_of: Any) -> None:
    result, _ = replay_of("""
        step = tf.function(lambda x: x)
        try:
            step(1, 2, 3)
        except TypeError as error:
            print(error)
    """)
    assert [returned.error for returned in result.returned] == ["TypeError"]
    assert result.sites[0].arguments == {}


def test_numpy_is_what_a_tracer_sees_in_it(tf: Any) -> None:
    step = tf.function(lambda x: x)
    with replay() as replaying:
        for value in (np.float32(1), np.str_("a"), np.arange(2)):
            step(value)
        sites = replaying.result().sites
    assert sites[0].arguments == {"x": ("str", "tensor float32", "tensor int64")}
