"""The name of TensorFlow in a file: the one that is there, if it means TensorFlow and nothing else."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.unit.fix.source_places import FILE, edits_of, result_of
from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits


def use_tensorflow(source: str, at: str | None = None) -> tuple[str, str]:
    """The name taken, and the file with what was added to it; `at` is a name where it is needed."""
    edits = edits_of(source)
    module = edits.module(FILE)
    place: cst.CSTNode | None = None
    if at is not None:
        place = next(node for node in module.nodes(cst.Name) if node.value == at)
    name = edits.package(module, "tf", place)
    return name, edits.results().get(FILE, source.encode()).decode()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import tensorflow as tf\n", "tf"),
        ("import tensorflow\n", "tensorflow"),
        ("import os, tensorflow as T, sys\n", "T"),
        ("import tensorflow.keras\n", "tensorflow"),
        ("import tensorflow.compat.v2 as tf\n", "tf"),
        ("from tensorflow.compat import v2 as tf2\n", "tf2"),
        ("import tensorflow.compat.v1 as tf\nimport tensorflow as tf2\n", "tf2"),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n", "tf"),
        ("import tensorflow as tf\ndef f():\n    import tensorflow as tf\n", "tf"),
        ("import tensorflow as tf\nx = dict(tf=1)\nx.tf = 2\n", "tf"),
    ],
)
def test_the_name_that_is_there_is_used(source: str, name: str) -> None:
    """And nothing is added."""
    assert use_tensorflow(source) == (name, source)


ADDED = [
    (
        '#!/usr/bin/python\n"""Doc."""\n\nfrom __future__ import annotations\n\nx = 1\n',
        '#!/usr/bin/python\n"""Doc."""\n\nfrom __future__ import annotations\n\nimport tensorflow as tf\n\nx = 1\n',
    ),
    (
        "import os\n\nos.environ['A'] = '1'\nfrom tensorflow import function  # later\n\n\n@function\ndef f(): pass\n",
        "import os\n\nos.environ['A'] = '1'\nimport tensorflow as tf\nfrom tensorflow import function  # later\n\n\n"
        "@function\ndef f(): pass\n",
    ),
    (
        "# about\nimport os\n\n# ours\nfrom helpers import compiled\n\n\n@compiled\ndef f(): pass\nimport late\n",
        "# about\nimport os\n\n# ours\nfrom helpers import compiled\nimport tensorflow as tf\n\n\n"
        "@compiled\ndef f(): pass\nimport late\n",
    ),
    (
        "\n# first\nfrom tensorflow import keras\nx = 1\n",
        "\n# first\nimport tensorflow as tf\nfrom tensorflow import keras\nx = 1\n",
    ),
    ("if T:\n    import tensorflow as tf\n", "import tensorflow as tf\n\nif T:\n    import tensorflow as tf\n"),
    (
        "def f():\n    import tensorflow as tf\n    return tf\n",
        "import tensorflow as tf\n\n\ndef f():\n    import tensorflow as tf\n    return tf\n",
    ),
    ("x = 1\n", "import tensorflow as tf\n\nx = 1\n"),
]


@pytest.mark.parametrize(("source", "after"), ADDED)
def test_an_import_is_added_at_its_place(source: str, after: str) -> None:
    """After docstring and `__future__`, beside the imports, and not before what sets TensorFlow up."""
    assert use_tensorflow(source) == ("tf", after)


@pytest.mark.parametrize(
    "taken",
    [
        "import tensorflow.compat.v1 as tf\n",
        "import tensorflow as tf\ndef f(tf): pass\n",
        "import tensorflow as tf\nfor tf in y: pass\n",
        "import tensorflow as tf\nz = [tf for tf in y]\n",
        "import tensorflow as tf\nwith y as tf: pass\n",
        "import tensorflow as tf\nz = (tf := 1)\n",
        "from helpers import tf\n",
        "tf, z = 1, 2\n",
    ],
)
def test_a_name_that_means_something_else_is_not_taken(taken: str) -> None:
    """Even where that is so in another function only."""
    name, after = use_tensorflow(taken)
    assert name == "tensorflow"
    assert "import tensorflow\n" in after


def test_when_all_names_are_taken() -> None:
    """Nothing is broken for want of a name."""
    with pytest.raises(Declined, match="every usual name"):
        use_tensorflow("tf = tensorflow = _tf = _tensorflow = 1\n")


def test_an_import_inside_a_function_serves_that_function() -> None:
    """Where it stands before the place."""
    source = "def f():\n    import tensorflow as tf\n    here = 1\ndef g():\n    there = 1\n"
    assert use_tensorflow(source, "here") == ("tf", source)
    name, after = use_tensorflow(source, "there")
    assert name == "tf"
    assert after == "import tensorflow as tf\n\n\n" + source


def test_an_import_below_serves_what_runs_later() -> None:
    """A function body runs when the file was read; a statement above the import does not."""
    source = "def f():\n    inside = 1\nbefore = 1\nimport tensorflow as tf\n"
    assert use_tensorflow(source, "inside") == ("tf", source)
    assert use_tensorflow(source, "before") == ("tf", "import tensorflow as tf\n\n\n" + source)


def test_an_import_is_added_once() -> None:
    """However often it is asked for."""
    edits = edits_of("x = 1\n")
    module = edits.module(FILE)
    for _ in range(3):
        edits.package(module, "tf")
        edits.add_import(module, "functools")
    assert result_of(edits) == "import functools\nimport tensorflow as tf\n\nx = 1\n"


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("import functools\n", "import functools\n"),
        ("import os\nimport sys\n", "import functools\nimport os\nimport sys\n"),
        (
            '"""D."""\n\nimport ast\nimport os\n\nimport numpy\n',
            '"""D."""\n\nimport ast\nimport functools\nimport os\n\nimport numpy\n',
        ),
        ("import functools as ft\n", "import functools\nimport functools as ft\n"),
        ("from functools import partial\n", "import functools\nfrom functools import partial\n"),
        ("def f():\n    import functools\n", "import functools\n\n\ndef f():\n    import functools\n"),
    ],
)
def test_any_other_import(source: str, after: str) -> None:
    """In the order of the alphabet where there are others."""
    edits = edits_of(source)
    edits.add_import(edits.module(FILE), "functools")
    assert edits.results().get(FILE, source.encode()).decode() == after


def test_an_import_whose_name_is_taken_is_declined() -> None:
    """The message says where."""
    edits = Edits({FILE: b"x = 1\nfunctools = 2\n"})
    with pytest.raises(Declined, match=r"functools means something else in train.py \(line 2\)"):
        edits.add_import(edits.module(FILE), "functools")


def test_code_of_ours_in_the_words_of_the_file() -> None:
    """`tf` becomes the file's own name, and is imported only where it is used."""
    edits = edits_of("import tensorflow as T\n")
    module = edits.module(FILE)
    assert module.code(edits.expression(module, "tf.cast(tf.x.tf, tf=1)")) == "T.cast(T.x.tf, tf=1)"
    other = edits_of("x = 1\n")
    module = other.module(FILE)
    other.insert_after(module, module.tree.body[0], *other.statements(module, "y = 'tf'"))
    assert result_of(other) == "x = 1\ny = 'tf'\n"
