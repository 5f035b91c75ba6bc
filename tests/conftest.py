"""Shared set-up: each framework is imported once per test process, and no hook may outlive a test."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("without a deadline", deadline=None)  # no timing decides a test
settings.load_profile("without a deadline")

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

pytest_plugins = ["pytester"]
_POLYMORPHIC = "tensorflow.python.eager.polymorphic_function."
# What traceonce may replace: a module, and the place in it. What a version does not have is skipped.
_PLACES = [
    (_POLYMORPHIC + "tracing_compilation", "_create_concrete_function"),
    (_POLYMORPHIC + "tracing_compilation", "call_function"),
    (_POLYMORPHIC + "polymorphic_function", "_FrequentTracingDetector"),
    (_POLYMORPHIC + "polymorphic_function", "Function.__call__"),
    (_POLYMORPHIC + "polymorphic_function", "Function.__init__"),
    (_POLYMORPHIC + "concrete_function", "_TapeGradientFunctions._build_functions_for_outputs"),
    (_POLYMORPHIC + "concrete_function", "_DelayedRewriteGradientFunctions._construct_forward_backward"),
    (_POLYMORPHIC + "transform", "CONCRETE_FUNCTION_CALLBACKS"),
    ("tensorflow.python.framework.func_graph", "func_graph_from_py_func"),
    ("jax._src.pjit", "_trace_for_jit"),
    ("jax._src.pjit", "_infer_params_impl"),
    ("jax._src.pjit", "_cpp_pjit"),
    ("jax._src.pjit", "_pjit_call_impl_python"),
    ("jax._src.pjit", "_run_python_pjit"),
    ("jax._src.pjit", "_python_pjit_helper"),
    ("jax._src.pjit", "_get_fastpath_data"),
    ("jax._src.pjit", "_need_to_rebuild_with_fdo"),
    ("jax._src.interpreters.partial_eval", "test_event"),
    ("jax._src.util", "test_event"),
    ("jax._src.config", "no_tracing"),
    ("jax._src.monitoring", "_event_listeners"),
    ("jax._src.monitoring", "_event_duration_secs_listeners"),
    ("jax._src.monitoring", "_scalar_listeners"),
    ("torch", "compile"),
    ("torch.nn", "Module.__init__"),
    ("torch.nn", "Module.compile"),
    ("torch._dynamo.eval_frame", "OptimizedModule.__call__"),
    ("torch._dynamo.eval_frame", "_TorchDynamoContext.__call__"),
    ("torch._dynamo.convert_frame", "_compile"),
    ("torch._dynamo.convert_frame", "CatchErrorsWrapper.__call__"),
    ("torch._dynamo.output_graph", "OutputGraph.call_user_compiler"),
    ("torch._inductor.cudagraph_trees", "cudagraphify"),
    ("torch._dynamo.utils", "log_compilation_event"),
    ("torch._dynamo.guards", "get_guard_fail_reason_helper"),
    ("torch._dynamo.callback", "CompilationCallbackHandler.clear"),
    ("torch._dynamo.callback", "callback_handler.start_callbacks"),
    ("torch._dynamo.callback", "callback_handler.end_callbacks"),
    ("numpy.random", "default_rng"),
]
# `torch.compile` replaces it by itself when it is first used; there, only what is ours is a leak.
_REPLACED = "torch.nn.Module.__init__"


def _hooked_places() -> dict[str, Any]:
    """What traceonce may replace in a process, as it stands now; of a list of callbacks, those that are ours."""
    places: dict[str, Any] = {"meta_path": [finder for finder in sys.meta_path if type(finder).__name__ == "Arrivals"]}
    tracer = sys.gettrace()
    places["sys.gettrace"] = [tracer] if _is_ours(tracer) or tracer is getattr else []
    for module, name in _PLACES:
        thing: Any = sys.modules.get(module)
        for part in name.split("."):
            thing = getattr(thing, part, None) if thing is not None else None
        if thing is not None:
            places[f"{module}.{name}"] = (
                [item for item in thing if _is_ours(item)] if isinstance(thing, list) else thing
            )
    detecting = sys.modules.get(_POLYMORPHIC + "polymorphic_function")
    if detecting is not None:
        detectors = detecting._frequent_tracing_detector_manager._detectors.values()
        places["detectors"] = [detector for detector in detectors if _is_ours(type(detector))]
    return places


def _is_ours(thing: Any) -> bool:
    """Was this written in traceonce? (A wrapper may have taken on the name and the file of what it stands in for.)"""
    thing = getattr(thing, "__func__", thing)
    module = getattr(thing, "__globals__", {}).get("__name__") or getattr(thing, "__module__", None)
    return str(module).partition(".")[0] == "traceonce"


@pytest.fixture(autouse=True)
def every_hook_is_restored() -> Iterator[None]:
    """Fail a test that leaves a hook behind."""
    before = _hooked_places()
    yield
    for place, thing in _hooked_places().items():
        new = _is_ours(thing) or (isinstance(thing, list) and thing)  # its module was not there before the test
        left = thing != before[place] if place in before and place != _REPLACED else new
        assert not left, f"the hook at {place!r} was not taken out again"


@pytest.fixture(autouse=True, scope="module")
def a_heap_of_its_own() -> Iterator[None]:
    """What one file of tests leaves alive, the collector does not look through in the next.

    Frameworks keep what they traced: after some thousand tests a single collection takes seconds, and tests that
    collect, or count objects, take minutes.
    """
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def tf() -> Any:
    """TensorFlow itself, imported once."""
    tensorflow = importlib.import_module("tensorflow")
    tensorflow.get_logger().setLevel("ERROR")
    return tensorflow


@pytest.fixture(scope="session")
def jax() -> Any:
    """JAX itself, imported once."""
    return importlib.import_module("jax")


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch itself, imported once, with what `torch.compile` brings in when it is first used."""
    torch = importlib.import_module("torch")
    importlib.import_module("torch._dynamo")
    return torch
