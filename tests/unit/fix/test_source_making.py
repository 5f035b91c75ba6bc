"""Where a function is made a `tf.function`: found for every way of writing it, or declined with a reason."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.unit.fix.source_places import FILE, edits_of, marked_case, result_of, span_of
from tests.unit.handmade import diagnosis
from traceonce.facts import FunctionId
from traceonce.facts.replay import Making
from traceonce.fix.candidate import Declined
from traceonce.fix.source.compile_sites import Creation, find_creation, has_option, set_option
from traceonce.fix.source.edits import Edits

TF = "import tensorflow as tf\n"
DEF = "def step(x, k):\n    return x * k\n"


def created(source: str, function: str, made: str, *, spans: bool = True) -> tuple[Edits, Creation]:
    edits = edits_of(source)
    return edits, find_creation(marked_case(source, function, made=made, spans=spans), edits)


def with_option(source: str, function: str, made: str, *, spans: bool = True, name: str = "reduce_retracing") -> str:
    edits, creation = created(source, function, made, spans=spans)
    set_option(edits, creation, name, "True")
    return result_of(edits)


# The program, the function, the expression that makes it, and what takes its place when an option is set.
WAYS = [
    (TF + "@tf.function\n" + DEF, "step", "tf.function", "@tf.function(reduce_retracing=True)"),
    (TF + "@tf.function()\n" + DEF, "step", "tf.function()", "@tf.function(reduce_retracing=True)"),
    (
        TF + "@tf.function(jit_compile=True,)\n" + DEF,
        "step",
        "tf.function(jit_compile=True,)",
        "@tf.function(jit_compile=True, reduce_retracing=True,)",
    ),
    (
        "import tensorflow\n@tensorflow.function\n" + DEF,
        "step",
        "tensorflow.function",
        "@tensorflow.function(reduce_retracing=True)",
    ),
    ("from tensorflow import function\n@function\n" + DEF, "step", "function", "@function(reduce_retracing=True)"),
    ("from tensorflow import function as fn\n@fn\n" + DEF, "step", "fn", "@fn(reduce_retracing=True)"),
    (TF + "jit = tf.function\n@jit\n" + DEF, "step", "jit", "@jit(reduce_retracing=True)"),
    (TF + DEF + "step = tf.function(step)\n", "step", "tf.function(step)", "tf.function(step, reduce_retracing=True)"),
    (
        TF + DEF + "fast = tf.function(func=step)\n",
        "step",
        "tf.function(func=step)",
        "(func=step, reduce_retracing=True)",
    ),
    (
        TF + DEF + "fast = tf.function(jit_compile=False)(step)\n",
        "step",
        "tf.function(jit_compile=False)(step)",
        "tf.function(jit_compile=False, reduce_retracing=True)(step)",
    ),
    (
        TF + "from functools import partial\n@partial(tf.function, jit_compile=False)\n" + DEF,
        "step",
        "partial(tf.function, jit_compile=False)",
        "@partial(tf.function, jit_compile=False, reduce_retracing=True)",
    ),
    (
        TF + "import functools\njit = functools.partial(tf.function, jit_compile=False)\n@jit\n" + DEF,
        "step",
        "jit",
        "@jit(reduce_retracing=True)",
    ),
    (
        TF + "compiled = tf.function(jit_compile=False)\n@compiled\n" + DEF,
        "step",
        "compiled",
        "compiled = tf.function(jit_compile=False, reduce_retracing=True)",
    ),
    (
        TF + "f = tf.function(lambda x, k: x * k)\n",
        "<lambda>",
        "tf.function(lambda x, k: x * k)",
        "k, reduce_retracing=True)",
    ),
    (
        TF + "g = lambda x: x\nf = tf.function(g)\n",
        "<lambda>",
        "tf.function(g)",
        "tf.function(g, reduce_retracing=True)",
    ),
    (
        TF + "class M:\n    def __init__(self): self.step = tf.function(self._step)\n    def _step(self, x): pass\n",
        "M._step",
        "tf.function(self._step)",
        "self.step = tf.function(self._step, reduce_retracing=True)",
    ),
    (
        TF + "class A:\n    class B:\n        @tf.function\n        def step(self, x): pass\n",
        "A.B.step",
        "tf.function",
        "        @tf.function(reduce_retracing=True)",
    ),
    (
        TF + "import traceonce\n@traceonce.max_traces(1)\n@tf.function\n" + DEF,
        "step",
        "tf.function",
        "@traceonce.max_traces(1)\n@tf.function(reduce_retracing=True)\n",
    ),
    (
        TF + "@tf.function\n@tf.autograph.experimental.do_not_convert\n" + DEF,
        "step",
        "tf.function",
        "@tf.function(reduce_retracing=True)\n@tf.autograph.experimental.do_not_convert\n",
    ),
    (
        TF + "from functools import partial\n" + DEF + "two = tf.function(partial(step, k=2))\n",
        "step",
        "tf.function(partial(step, k=2))",
        "tf.function(partial(step, k=2), reduce_retracing=True)",
    ),
    (
        TF + "def main():\n    def step(x): pass\n    return tf.function(step)\n",
        "main.<locals>.step",
        "tf.function(step)",
        "tf.function(step, reduce_retracing=True)",
    ),
    (
        "def main():\n    import tensorflow as tf\n    @tf.function\n    def step(x): pass\n",
        "main.<locals>.step",
        "tf.function",
        "    @tf.function(reduce_retracing=True)",
    ),
    (
        TF + "class Net:\n    def __call__(self, x): pass\nnet = Net()\nfast = tf.function(net)\n",
        "Net.__call__",
        "tf.function(net)",
        "tf.function(net, reduce_retracing=True)",
    ),
]


@pytest.mark.parametrize("spans", [True, False], ids=["with columns", "by line"])
@pytest.mark.parametrize(("source", "function", "made", "after"), WAYS, ids=[way[2] for way in WAYS])
def test_every_way_of_making_one(source: str, function: str, made: str, after: str, spans: bool) -> None:
    """The option lands where it belongs, once, and the line is the only one that changes."""
    result = with_option(source, function, made, spans=spans)
    assert after in result
    assert result.count("reduce_retracing=True") == 1
    assert result.count("\n") == source.count("\n")
    again = find_creation(marked_case(source, function, made=made, spans=False), edits_of(result))
    assert has_option(again, "reduce_retracing")
    assert not has_option(again, "input_signature")


def test_the_definition_is_found() -> None:
    """Where it stands in the same file."""
    _, decorated = created(TF + "@tf.function\n" + DEF, "step", "tf.function")
    assert isinstance(decorated.node, cst.Decorator)
    assert decorated.call is None
    assert isinstance(decorated.definition, cst.FunctionDef)
    _, called = created(TF + DEF + "fast = tf.function(step)\n", "step", "tf.function(step)")
    assert called.call is called.node
    assert isinstance(called.definition, cst.FunctionDef)
    _, inline = created(TF + "f = tf.function(lambda x: x)\n", "<lambda>", "tf.function(lambda x: x)")
    assert isinstance(inline.definition, cst.Lambda)


def test_an_imported_function() -> None:
    """Its definition stands in another file, the making here."""
    source = TF + "from model import step\nfast = tf.function(step)\n"
    case = marked_case(source, "step", made="tf.function(step)")
    case = case._replace(diagnosis=diagnosis(function=FunctionId("step", "model.py", 7)))
    creation = find_creation(case, edits_of(source))
    assert creation.definition is None
    assert creation.call is not None


LAYOUTS = [
    (
        "@tf.function(\n    jit_compile=True,  # fast\n)\n",
        "@tf.function(\n    jit_compile=True,  # fast\n    reduce_retracing=True,\n)\n",
    ),
    (
        "@tf.function(\n    jit_compile=True  # fast\n)\n",
        "@tf.function(\n    jit_compile=True,  # fast\n    reduce_retracing=True\n)\n",
    ),
    (
        "@tf.function(\n    autograph=False,\n    jit_compile=True,\n    # all\n)\n",
        "@tf.function(\n    autograph=False,\n    jit_compile=True,\n    # all\n    reduce_retracing=True,\n)\n",
    ),
    (
        "@tf.function(autograph=False,  # why\n             jit_compile=True)\n",
        "@tf.function(autograph=False,  # why\n             jit_compile=True,\n             reduce_retracing=True)\n",
    ),
    (
        "@tf.function(\n    autograph=False, jit_compile=True\n)\n",
        "@tf.function(\n    autograph=False, jit_compile=True, reduce_retracing=True\n)\n",
    ),
    (
        "@tf.function(\n    autograph=False, jit_compile=True  # both\n)\n",
        "@tf.function(\n    autograph=False, jit_compile=True,  # both\n    reduce_retracing=True\n)\n",
    ),
    ("@tf.function( jit_compile=True )\n", "@tf.function( jit_compile=True, reduce_retracing=True )\n"),
    ("@tf.function(reduce_retracing = False)\n", "@tf.function(reduce_retracing = True)\n"),
    (
        "@tf.function(\n    reduce_retracing=False,  # no\n    autograph=True)\n",
        "@tf.function(\n    reduce_retracing=True,  # no\n    autograph=True)\n",
    ),
    ("@tf.function(experimental_relax_shapes=False)\n", "@tf.function(experimental_relax_shapes=True)\n"),
    ("@tf.function(None, None, True, None, False)\n", "@tf.function(None, None, True, None, True)\n"),
    ("@tf.function(None, [S])\n", "@tf.function(None, [S], reduce_retracing=True)\n"),
    ("@tf.function  # bare\n", "@tf.function(reduce_retracing=True)  # bare\n"),
]


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_the_layout_stays(before: str, after: str) -> None:
    """Comments, trailing commas, one argument per line; an option that is there is changed in place."""
    made = before.strip()[1:].removesuffix("  # bare")
    assert with_option(TF + before + DEF, "step", made) == TF + after + DEF


def test_several_options_add_up() -> None:
    """Two recipes may each set one, on a bare decorator and on a call."""
    for written in ("tf.function", "tf.function(autograph=True)"):
        edits, creation = created(TF + f"@{written}\n" + DEF, "step", written)
        set_option(edits, creation, "input_signature", "[tf.TensorSpec([None], tf.float32)]")
        set_option(edits, creation, "reduce_retracing", "True")
        expected = "input_signature=[tf.TensorSpec([None], tf.float32)], reduce_retracing=True)\n"
        assert expected in result_of(edits)


def test_the_name_of_tensorflow_is_added_where_it_is_missing() -> None:
    """`from tensorflow import function` alone gives no `tf.TensorSpec`."""
    source = "from tensorflow import function\n\n\n@function\n" + DEF
    edits, creation = created(source, "step", "function")
    set_option(edits, creation, "input_signature", "[tf.TensorSpec([], tf.int32)]")
    head = "import tensorflow as tf\nfrom tensorflow import function\n\n\n"
    assert result_of(edits) == head + "@function(input_signature=[tf.TensorSpec([], tf.int32)])\n" + DEF


def test_options_through_a_partial_are_seen() -> None:
    """Also where the partial stands elsewhere."""
    head = TF + "from functools import partial\njit = partial(tf.function, jit_compile=True)\n"
    _, creation = created(head + "@jit\n" + DEF, "step", "jit")
    assert has_option(creation, "jit_compile")
    assert not has_option(creation, "reduce_retracing")


DECLINED = [
    (TF + "fs = [tf.function(f) for f in gs]\n" + DEF, "step", "tf.function(f)", "wraps f, which may be other"),
    (TF + "for step in steps:\n    tf.function(step)\n" + DEF, "step", "tf.function(step)", "wraps step"),
    (TF + "def make(step):\n    return tf.function(step)\n" + DEF, "step", "tf.function(step)", "wraps step"),
    (TF + "def jit(f):\n    return tf.function(f)\n@jit\n" + DEF, "step", "tf.function(f)", "wraps f"),
    ("from lib import fast\n@fast\n" + DEF, "step", "fast", "applied inside @fast"),
    ("import lib\n" + DEF + "model = lib.build(step)\n", "step", "lib.build(step)", r"inside lib.build\(…\)"),
    (TF + "tf = other\n@tf.sub.function\n" + DEF, "step", "tf.sub.function", "applied inside"),
]


@pytest.mark.parametrize(("source", "function", "made", "why"), DECLINED, ids=[each[2] for each in DECLINED])
def test_what_cannot_be_told_is_declined(source: str, function: str, made: str, why: str) -> None:
    """A place that may make other functions too, or a library, is not edited."""
    with pytest.raises(Declined, match=why):
        created(source, function, made)


NOT_SET = [
    (TF + "O = {}\n@tf.function(**O)\n" + DEF, "tf.function(**O)", r"passed through \*\*O"),
    (
        TF + "jit = tf.function(jit_compile=True)\n@jit\n" + DEF + "@jit\ndef other(x): pass\n",
        "jit",
        "train.py:2, which creates several functions",
    ),
    (
        TF + "jit = tf.function(autograph=False)\nj2 = jit\n@j2\n" + DEF + "@jit\ndef other(x): pass\n",
        "j2",
        "train.py:2, which creates several functions",
    ),
]


@pytest.mark.parametrize(("source", "made", "why"), NOT_SET, ids=[each[1] for each in NOT_SET])
def test_options_that_are_not_this_function_s_alone(source: str, made: str, why: str) -> None:
    """They are found, and not changed."""
    edits, creation = created(source, "step", made)
    with pytest.raises(Declined, match=why):
        set_option(edits, creation, "reduce_retracing", "True")


def test_several_places_or_none_are_declined() -> None:
    """All places are named."""
    source = TF + DEF + "a = tf.function(step)\nb = tf.function(step)\n"
    case = marked_case(source, "step", made="tf.function(step)")
    again = span_of(source, "tf.function(step)", 1)
    both = (*case.makings, Making(case.diagnosis.function, FILE, again.line, "<module>", again))
    with pytest.raises(Declined, match=r"several places.*train.py:4, train.py:5"):
        find_creation(case._replace(makings=both), edits_of(source))
    with pytest.raises(Declined, match=r"no place was seen that applies tf.function to step"):
        find_creation(case._replace(makings=()), edits_of(source))


def test_a_making_in_a_library_is_declined() -> None:
    """Keras makes its own functions."""
    source = TF + DEF
    case = marked_case(source, "step")
    making = Making(case.diagnosis.function, "keras/trainer.py", 5, "make")
    with pytest.raises(Declined, match="outside the project"):
        find_creation(case._replace(makings=(making,)), edits_of(source))
