"""Shared set-up: TensorFlow is imported once per test process, and no hook may outlive a test."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

pytest_plugins = ["pytester"]
_POLYMORPHIC = "tensorflow.python.eager.polymorphic_function."
_DECORATED = ("eager call", "making", "building")  # by TensorFlow itself: that they are wrapped says nothing


def _hooked_places() -> dict[str, Any]:
    """What traceonce may replace in a process, as it stands now."""
    places: dict[str, Any] = {"meta_path": [finder for finder in sys.meta_path if type(finder).__name__ == "Arrivals"]}
    if _POLYMORPHIC + "tracing_compilation" in sys.modules:
        compilation = sys.modules[_POLYMORPHIC + "tracing_compilation"]
        function = sys.modules[_POLYMORPHIC + "polymorphic_function"]
        concrete = sys.modules[_POLYMORPHIC + "concrete_function"]
        places |= {
            "miss": compilation._create_concrete_function,
            "call": compilation.call_function,
            "detector": function._FrequentTracingDetector,
            "detectors": {type(d) for d in function._frequent_tracing_detector_manager._detectors.values()}
            - {function._FrequentTracingDetector},
            "tape": concrete._TapeGradientFunctions._build_functions_for_outputs,
            "rewrite": concrete._DelayedRewriteGradientFunctions._construct_forward_backward,
            "eager call": function.Function.__call__,
            "making": function.Function.__init__,
            "building": sys.modules["tensorflow.python.framework.func_graph"].func_graph_from_py_func,
            "callbacks": list(sys.modules[_POLYMORPHIC + "transform"].CONCRETE_FUNCTION_CALLBACKS),
        }
    return places


@pytest.fixture(autouse=True)
def every_hook_is_restored() -> Iterator[None]:
    """Fail a test that leaves a hook behind."""
    before = _hooked_places()
    yield
    after = _hooked_places()
    for place, thing in after.items():
        wrapped = place not in _DECORATED and getattr(thing, "__wrapped__", None) is not None
        left = thing != before[place] if place in before else wrapped
        assert not left, f"the hook at {place!r} was not taken out again"


@pytest.fixture(scope="session")
def tf() -> Any:
    """TensorFlow itself, imported once."""
    tensorflow = importlib.import_module("tensorflow")
    tensorflow.get_logger().setLevel("ERROR")
    return tensorflow
