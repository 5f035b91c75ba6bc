"""A class gets a trace type; where that would not do, it is said why."""

from __future__ import annotations

import textwrap

import pytest

from tests.unit.fix.written_case import all_written, case_for
from traceonce.facts import Leaf
from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.frameworks.tensorflow.recipes.tracing_type import HELPER, RECIPE
from traceonce.words.notes import english_note

STEP = "import tensorflow as tf\nfrom config import Config\n\n\n@tf.function\ndef step(x, config):\n    return x\n"
METHOD = "    def __tf_tracing_type__(self, context):\n        return _ByContents(self)\n"


def case_of(*contents: str | None, type_name: str = "Config") -> Case:
    leaves = [
        (Leaf("x", "tensor"), Leaf("config", "object", type_name=type_name, identity=n, contents=text))
        for n, text in enumerate(contents)
    ]
    return case_for(STEP, "step", ("identity", "config"), leaves=leaves)


def project(config: str) -> dict[str, str]:
    """The program, the file of the class, and another program that knows nothing of either."""
    return {"program.py": STEP, "config.py": config, "alone.py": "class Config: pass\n"}


def test_in_a_file_that_does_not_import_tensorflow() -> None:
    config = '"""Settings."""\n\nimport os\n\nclass Config:\n    def __init__(self):\n        self.k = 1\n'
    after = all_written(RECIPE, case_of("k=1", "k=1", "k=2"), {"program.py": STEP, "config.py": config})
    assert after == {
        "config.py": '"""Settings."""\n\nimport os\nimport tensorflow as tf\n\n\n'
        f"{HELPER}\n\nclass Config:\n    def __init__(self):\n        self.k = 1\n\n{METHOD}"
    }


def test_the_helper_is_written_once() -> None:
    """A class in a function; the file has the helper from an earlier repair, and another name for TensorFlow."""
    source = textwrap.dedent(
        """
        import tensorflow

        class _ByContents(tensorflow.types.experimental.TraceType):
            ...

        def make():
            class Config: k = 1
            return Config()
        """
    )
    after = all_written(RECIPE, case_of("", ""), project(source))["config.py"]
    assert after.count("class _ByContents") == 1
    assert textwrap.indent("class Config:\n    k = 1\n\n" + METHOD, "    ") in after
    assert "import tensorflow as tf" not in after


def test_the_file_has_its_own_name_for_tensorflow() -> None:
    source = "import tensorflow as flow\n\nclass Config:\n    pass\n"
    after = all_written(RECIPE, case_of("", ""), project(source))["config.py"]
    assert "class _ByContents(flow.types.experimental.TraceType):" in after


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("class Other: pass\n", "the class Config is not defined in the project"),
        ("class Config: pass\ndef f():\n    class Config: pass\n", "2 classes of the project are called Config"),
        ("class Config:\n    __slots__ = ('k',)\n", "has __slots__"),
        ("@dataclass(slots=True)\nclass Config:\n    k: int\n", "has __slots__"),
        ("class Config:\n    def __tf_tracing_type__(self, context): ...\n", "already has a trace type"),
        ("_ByContents = 3\nclass Config: pass\n", "_ByContents means something else"),
    ],
)
def test_classes_that_cannot_have_one(source: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        all_written(RECIPE, case_of("k=1", "k=1"), project(source))


def test_what_holds_more_than_plain_values_is_told() -> None:
    (advice,) = RECIPE.propose(case_of(None, None))
    assert advice.change is None
    assert "The Config object passed as config holds more than plain values" in str(english_note(advice.notes))


def test_contents_that_never_repeat_gain_nothing() -> None:
    assert not list(RECIPE.propose(case_of("k=1", "k=2", "k=3")))


def test_the_prediction_compares_contents() -> None:
    (candidate,) = RECIPE.propose(case_of("k=1", "k=2", "k=1", "k=1"))
    assert candidate.predicted_traces == 2


def test_a_function_is_not_for_this_recipe() -> None:
    assert not list(RECIPE.propose(case_of(None, None, type_name="function")))
