"""TensorFlow, as far as it is known without importing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceonce.frameworks.base.descriptor import Framework, Package, Source
from traceonce.frameworks.tensorflow.dialect import DIALECT
from traceonce.frameworks.tensorflow.examples import EXAMPLES
from traceonce.frameworks.tensorflow.records import KERAS, record_of

if TYPE_CHECKING:
    from traceonce.fix.kit import Kit

_SOURCE = Source(
    wrapper="tf.function",
    wraps=frozenset(
        {
            "tensorflow.function",
            "tensorflow.compat.v2.function",
            "tensorflow.compat.v1.function",
            "tensorflow.python.eager.def_function.function",
            "tensorflow.python.eager.polymorphic_function.function",
        }
    ),
    given_as="func",
    per_argument=("input_signature",),
    options=("func", "input_signature", "autograph", "jit_compile", "reduce_retracing"),
    old_options={"experimental_relax_shapes": "reduce_retracing", "experimental_compile": "jit_compile"},
    pure=("tensorflow.",),
    packages={
        # `compat.v2` is TensorFlow itself under another name; `compat.v1` is not: it lacks half of it.
        "tf": Package(
            frozenset({"tensorflow", "tensorflow.compat.v2", "tensorflow._api.v2.compat.v2"}),
            ("tf", "tensorflow", "_tf", "_tensorflow"),
        ),
    },
)

_EXAMPLE = """\
WARNING:tensorflow:5 out of the last 5 calls to <function train_step at 0x7f2c1c0d5e50> triggered tf.function retracing.
Traceback (most recent call last):
  File "train.py", line 31, in <module>
    train_step(batch)
ValueError: tf.function only supports singleton tf.Variables created on the first call.
"""


def _kit() -> Kit:
    from traceonce.frameworks.tensorflow.recipes.kit import KIT

    return KIT


FRAMEWORK = Framework(
    name="tensorflow",
    title="TensorFlow",
    module="tensorflow",
    distributions=("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tf-nightly"),
    says_of_traces=r"\d+ out of the last \d+ calls to .* triggered tf\.function retracing",
    companions={"keras": "Keras"},
    per_model=KERAS,
    configured_by=("TF_", "KERAS_", "XLA_"),
    logged_by=("TF_CPP_",),
    default_of={"keras": "KERAS_BACKEND"},
    inside=("python_function",),
    dialect=DIALECT,
    source=_SOURCE,
    kit=_kit,
    notes=("traceonce.frameworks.tensorflow.words", "traceonce.frameworks.tensorflow.notices"),
    record=record_of,
    examples=EXAMPLES,
    mentions=r"(?i)\btensorflow\b|\bkeras\b|\btf\.",
    example=_EXAMPLE,
)
