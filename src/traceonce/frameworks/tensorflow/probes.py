"""The private places of TensorFlow that we stand on, in one file, checked before use.

TensorFlow has no public hook that says when, why and for how long it traces. It has one function that is called on a
cache miss and never on a hit, `tracing_compilation._create_concrete_function`; it is the same in 2.14 to 2.21, and a
method of `TracingCompiler` in 2.12 and 2.13. On any other version, or where something here has moved, `probe` says what
is missing, and the watcher falls back to TensorFlow's list of callbacks (`CONCRETE_FUNCTION_CALLBACKS`), which knows
neither the time nor the request.
"""

from __future__ import annotations

import inspect
import threading
import types
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from traceonce.frameworks.tensorflow.tracing_compilers import Compilers, make_contexts

OLDEST = (2, 12)
WITHOUT_COMPILERS = (2, 14)
OLDEST_REPLAYED = (2, 15)  # what is run again, and the drop-in, were tried with no older one
NEWEST = (2, 21)
_IN_C = (
    "TFE_Py_Execute",
    "TFE_Py_TapeSetIsEmpty",
    "TFE_Py_TapeSetPossibleGradientTypes",
    "TFE_Py_TapeSetIsStopped",
    "TFE_Py_TapeSetStopOnThread",
    "TFE_Py_TapeSetRestartOnThread",
    "TFE_Py_TapeSetRecordOperation",
    "TFE_Py_TapeVariableAccessed",
    "TFE_Py_VariableWatcherVariableAccessed",
    "TFE_Py_TapeSetAdd",
    "TFE_Py_TapeSetRemove",
    "TFE_Py_ForwardAccumulatorSetAdd",
    "TFE_Py_ForwardAccumulatorSetRemove",
)

F = TypeVar("F", bound=Callable[..., Any])


class Moved(Exception):  # noqa: N818  # it is a finding, not an error: there is a fallback
    """A private place is not where this version of traceonce expects it; the message says which."""


class Probes(NamedTuple):
    """The modules of TensorFlow that we use, imported and checked; `compilers` are there up to 2.13."""

    tracing_compilation: Any
    polymorphic_function: Any
    concrete_function: Any
    function_context: Any
    tf_stack: Any
    ops: Any
    context: Any
    compilers: Compilers | None = None

    def cache_of(self, owner: Any) -> Any:
        """The traces of a `Function`."""
        return self.compilers.cache_of(owner) if self.compilers is not None else owner._function_cache

    def options_of(self, owner: Any) -> Any:
        """How a `Function` is traced."""
        return self.compilers.options_of(owner) if self.compilers is not None else owner._variable_creation_config


class ReplayPlaces(NamedTuple):
    """More of them, for a run that is to be compared with another: calls, graphs, variables, random numbers.

    `own_random` are the parts that draw random numbers in a way of their own, by owner and name.
    """

    ops: Any
    func_graph: Any
    gen_random_ops: Any
    random_seed: Any
    stateful_random_ops: Any
    resource_variable_ops: Any
    lift_to_graph: Any
    saving: Any
    own_random: list[tuple[Any, str]]


def version_of(tensorflow: Any) -> tuple[int, int]:
    major, minor = str(tensorflow.__version__).split(".")[:2]
    return int(major), int(minor)


def has_created_variables(function: Any) -> bool:
    """Has a `Function` made variables in the trace under way, its first? Then that trace must be kept.

    TensorFlow notes the variables before it has the trace; without it, every later call would return None.
    """
    after = ("_no_variable_creation_config", "_no_variable_creation_fn")  # the second up to 2.13
    first = all(getattr(function, name, None) is None for name in after)
    return first and bool(getattr(function, "_created_variables", None))


def probe(tensorflow: Any) -> Probes:
    """Return the places that we need, or raise `Moved`."""
    version = version_of(tensorflow)
    if not OLDEST <= version <= NEWEST:
        known = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
        raise Moved(f"TensorFlow {tensorflow.__version__} is not supported by this traceonce (supported: {known})")
    if version < WITHOUT_COMPILERS:
        return _probe_compilers()
    try:
        from tensorflow.python.eager import context
        from tensorflow.python.eager.polymorphic_function import (
            concrete_function,
            function_context,
            polymorphic_function,
            tracing_compilation,
        )
        from tensorflow.python.framework import ops
        from tensorflow.python.util import tf_stack
    except ImportError as error:
        raise Moved(f"a TensorFlow module has moved: {error}") from error
    probes = Probes(
        tracing_compilation, polymorphic_function, concrete_function, function_context, tf_stack, ops, context
    )
    _expect(
        tracing_compilation,
        "_create_concrete_function",
        ["function_type", "type_context", "func_graph", "tracing_options"],
    )
    _expect(tracing_compilation, "call_function", ["args", "kwargs", "tracing_options"])
    _expect(tracing_compilation, "_maybe_define_function", ["args", "kwargs", "tracing_options"])
    _expect(function_context, "make_function_context", ["scope_type"])
    _expect(concrete_function.ConcreteFunction, "_call_flat", ["self", "tensor_inputs", "captured_inputs"])
    for name in ("function_cache", "python_function", "polymorphic_type", "scope_type", "attributes", "name"):
        if name not in getattr(tracing_compilation.TracingOptions, "__dataclass_fields__", {}):
            raise Moved(f"TracingOptions has no field {name}")
    return probes


def _probe_compilers() -> Probes:
    """The places of 2.12 and 2.13."""
    try:
        from tensorflow.python.eager import context
        from tensorflow.python.eager.polymorphic_function import (
            function_context,
            monomorphic_function,
            polymorphic_function,
            tracing_compiler,
        )
        from tensorflow.python.framework import ops
        from tensorflow.python.util import tf_stack
    except ImportError as error:
        raise Moved(f"a TensorFlow module has moved: {error}") from error
    compiler = tracing_compiler.TracingCompiler
    _expect(compiler, "_create_concrete_function", ["self", "args", "kwargs", "func_graph"])
    names = compiler._maybe_define_function.__code__.co_varnames
    for name in ("target_func_type", "lookup_func_type", "lookup_func_context"):
        if name not in names:
            raise Moved(f"TracingCompiler._maybe_define_function has no {name}")
    _expect(function_context, "make_function_context", [])
    _expect(monomorphic_function.ConcreteFunction, "_call_flat", ["self", "args", "captured_inputs"])
    contexts = make_contexts(function_context.make_function_context)
    compilers = Compilers(compiler, polymorphic_function.Function)
    return Probes(None, polymorphic_function, monomorphic_function, contexts, tf_stack, ops, context, compilers)


def probe_for_replay(tensorflow: Any, probes: Probes) -> ReplayPlaces:
    """Return the places that a replay needs, too, or raise `Moved`."""
    _refuse_older(tensorflow)
    try:
        from tensorflow.python.data.ops.structured_function import StructuredFunctionWrapper
        from tensorflow.python.eager import lift_to_graph
        from tensorflow.python.framework import func_graph, random_seed
        from tensorflow.python.ops import gen_random_ops, resource_variable_ops, stateful_random_ops
        from tensorflow.python.ops.parallel_for import control_flow_ops
        from tensorflow.python.saved_model import save
    except ImportError as error:
        raise Moved(f"a TensorFlow module has moved: {error}") from error
    own_random = [(StructuredFunctionWrapper, "__init__"), (control_flow_ops, "_pfor_impl")]
    needed = [
        (probes.polymorphic_function.Function, "__call__"),
        (func_graph, "func_graph_from_py_func"),
        (random_seed, "get_seed"),
        (stateful_random_ops, "non_deterministic_ints"),
        (stateful_random_ops, "config"),
        (resource_variable_ops.BaseResourceVariable, "__init__"),
        (resource_variable_ops, "_UnreadVariable"),
        (lift_to_graph, "lift_to_graph"),
        (save, "save_and_return_nodes"),
        *own_random,
    ]
    for owner, name in needed:
        if not hasattr(owner, name):
            raise Moved(f"{owner.__name__}.{name} is gone")
    return ReplayPlaces(
        probes.ops,
        func_graph,
        gen_random_ops,
        random_seed,
        stateful_random_ops,
        resource_variable_ops,
        lift_to_graph,
        save,
        own_random,
    )


def probe_for_dispatch(tensorflow: Any) -> None:
    """Check what the drop-in stands on; raises `Moved`."""
    probes = probe(tensorflow)
    _refuse_older(tensorflow)
    try:
        from tensorflow.core.function.polymorphism.function_cache import FunctionCache
        from tensorflow.core.function.polymorphism.type_dispatch import TypeDispatchTable
        from tensorflow.python import pywrap_tfe
        from tensorflow.python.eager import cancellation, execute, forwardprop
        from tensorflow.python.eager import tape as tape_module
        from tensorflow.python.eager.polymorphic_function import eager_function_run
        from tensorflow.python.framework import tensor as tensor_module
        from tensorflow.python.ops import handle_data_util
        from tensorflow.python.saved_model import save_context
        from tensorflow.python.util import traceback_utils
    except ImportError as error:
        raise Moved(f"a TensorFlow module has moved: {error}") from error
    function, concrete = probes.polymorphic_function.Function, probes.concrete_function.ConcreteFunction
    needed = [
        *((pywrap_tfe, name) for name in _IN_C),
        *((probes.ops.EagerTensor, name) for name in ("_shape_tuple", "_datatype_enum")),
        *((function, name) for name in ("_get_concrete_function_garbage_collected", "_generate_tracing_options")),
        (concrete, "_select_forward_and_backward_functions"),
        (probes.ops, "_default_graph_stack"),
        (probes.ops.Graph, "_distribution_strategy_stack"),
        (cancellation, "_active_context"),
        (execute, "quick_execute"),
        (eager_function_run, "RUN_FUNCTIONS_EAGERLY"),
        (save_context, "_save_context"),
        *((traceback_utils, name) for name in ("_process_traceback_frames", "_EXCLUDED_PATHS")),
        (tensorflow.TensorShape, "_dims"),
        *((tensor_module.Tensor, name) for name in ("shape", "set_shape")),
        (function, "_initialize"),
        (probes.ops.Graph, "_create_op_internal"),
        (probes.ops.Graph, "_get_function"),
        (handle_data_util, "copy_handle_data"),
        (handle_data_util, "set_handle_data"),
        *((forwardprop.ForwardAccumulator, name) for name in ("_push_accumulator", "_pop_accumulator")),
    ]
    for owner, name in needed:
        if not hasattr(owner, name):
            raise Moved(f"{owner.__name__}.{name} is gone")
    for made, name in ((FunctionCache(), "_dispatch_dict"), (TypeDispatchTable(), "_dispatch_cache")):
        if not isinstance(getattr(made, name, None), dict):
            raise Moved(f"{type(made).__name__}.{name} is gone")
    _expect(FunctionCache, "lookup", ["self", "function_type", "context"])
    _expect(FunctionCache, "generalize", ["self", "context", "function_type"])
    _expect(FunctionCache, "add", ["self", "fn", "context"])
    _expect(tape_module, "push_new_tape", ["persistent", "watch_accessed_variables"])
    _expect(tape_module, "push_tape", ["tape"])
    _expect(tape_module, "pop_tape", ["tape"])
    _expect(FunctionCache, "delete", ["self", "function_type", "context"])


def _refuse_older(tensorflow: Any) -> None:
    if version_of(tensorflow) < OLDEST_REPLAYED:
        known = f"{OLDEST_REPLAYED[0]}.{OLDEST_REPLAYED[1]} to {NEWEST[0]}.{NEWEST[1]}"
        raise Moved(f"TensorFlow {tensorflow.__version__} can only be watched (fixing needs {known})")


def _expect(owner: Any, name: str, parameters: list[str]) -> None:
    function = getattr(owner, name, None)
    if function is None:
        raise Moved(f"{owner.__name__}.{name} is gone")
    found = list(inspect.signature(function).parameters)
    if found != parameters:
        raise Moved(f"{owner.__name__}.{name} takes {found}, not {parameters}")


def counts_calls(probes: Probes) -> bool:
    """Does this version count calls in the detector that we read?"""
    detector = getattr(probes.polymorphic_function, "_FrequentTracingDetector", None)
    manager = getattr(probes.polymorphic_function, "_frequent_tracing_detector_manager", None)
    return (
        detector is not None
        and hasattr(manager, "_detectors")
        and hasattr(manager, "_lock")
        and {"_calls_per_tracings", "_call_count", "_total_warning_count"} <= set(getattr(detector, "__slots__", ()))
        and hasattr(detector, "called_with_tracing")
    )


def backward_builders(probes: Probes) -> list[tuple[Any, str]]:
    """The methods that build a backward graph, where they are still there."""
    module = probes.concrete_function
    wanted = [
        ("_TapeGradientFunctions", "_build_functions_for_outputs"),
        ("_DelayedRewriteGradientFunctions", "_construct_forward_backward"),
    ]
    return [
        (getattr(module, owner), method)
        for owner, method in wanted
        if hasattr(module, owner) and hasattr(getattr(module, owner), method)
    ]


def written_at(code: types.CodeType) -> tuple[str, int] | None:
    """Where the author wrote code that AutoGraph generated; known only while the function around it is traced."""
    try:
        from tensorflow.python.util import tf_stack

        mappers = tf_stack._source_mapper_stacks[threading.get_ident()]
        lines = mappers[-1].get_effective_source_map()
    except (ImportError, AttributeError, LookupError):
        return None
    for line in range(code.co_firstlineno, code.co_firstlineno + 5):  # the first lines may be AutoGraph's own
        origin = lines.get((code.co_filename, line))
        if origin is not None:
            return str(origin[0]), int(origin[1])
    return None
