"""TensorFlow, as far as it is known without importing it."""

from __future__ import annotations

from traceonce.facts import CauseCode
from traceonce.frameworks.base.descriptor import SHARED_ADVICE, Framework, Kit, Package, Source, within
from traceonce.frameworks.tensorflow.dialect import DIALECT
from traceonce.frameworks.tensorflow.records import record_of

_RECIPES = "traceonce.frameworks.tensorflow.recipes"
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
_KIT = Kit(
    recipes=within(
        _RECIPES,
        "hoist",
        "input_signature",
        "tensor_argument",
        "cast",
        "reduce_retracing",
        "stable_home",
        "tracing_type",
        "state",
    ),
    advice=(
        *SHARED_ADVICE,
        *within(
            _RECIPES,
            "pad_or_bucket",
            "drop_remainder",
            "uniform_structure",
            "reuse_instance",
            "split_static_argument",
            "remove_function",
        ),
    ),
    of_arguments=within(
        _RECIPES,
        "input_signature",
        "tensor_argument",
        "cast",
        "reduce_retracing",
    ),
    of_objects={
        f"{_RECIPES}.hoist": frozenset({CauseCode.NEW_FUNCTION}),
        f"{_RECIPES}.stable_home": frozenset({CauseCode.IDENTITY, CauseCode.COLLECTED}),
        f"{_RECIPES}.tracing_type": frozenset({CauseCode.IDENTITY, CauseCode.COLLECTED}),
    },
    along=within(_RECIPES, "dynamic_shape"),
)
FRAMEWORK = Framework(
    name="tensorflow",
    title="TensorFlow",
    module="tensorflow",
    distributions=("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tf-nightly"),
    companions={"keras": "Keras"},
    dialect=DIALECT,
    source=_SOURCE,
    kit=_KIT,
    notes=("traceonce.words.notes.tensorflow",),
    record=record_of,
    mentions=r"(?i)\btensorflow\b|\bkeras\b|\btf\.",
)
