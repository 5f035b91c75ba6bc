"""The parts of TensorFlow that the dispatch stands on, most of them private, named once.

`probes.probe_for_dispatch` checks them before this module is imported.
"""

from __future__ import annotations

from tensorflow.core.function.polymorphism.function_cache import FunctionCache, FunctionContext
from tensorflow.core.function.polymorphism.function_type import FunctionType, Parameter
from tensorflow.core.function.trace_type import default_types
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop_util, cancellation, context, core, execute
from tensorflow.python.eager import tape as tape_module
from tensorflow.python.eager.forwardprop import ForwardAccumulator
from tensorflow.python.eager.polymorphic_function import (
    atomic_function,
    eager_function_run,
    function_context,
    function_type_utils,
    polymorphic_function,
    tracing_compilation,
)
from tensorflow.python.framework import (
    composite_tensor,
    constant_op,
    dtypes,
    errors,
    indexed_slices,
    ops,
    tensor,
    tensor_shape,
    tensor_util,
    type_spec,
)
from tensorflow.python.framework.sparse_tensor import SparseTensor
from tensorflow.python.ops import array_ops, default_gradient, handle_data_util, resource_variable_ops
from tensorflow.python.ops.ragged.ragged_tensor import RaggedTensor, RaggedTensorSpec
from tensorflow.python.profiler import trace as profiler
from tensorflow.python.saved_model import save_context
from tensorflow.python.util import deprecation, tf_decorator, tf_stack, traceback_utils

EagerTensor = ops.EagerTensor
ResourceVariable = resource_variable_ops.ResourceVariable
TensorSpec = tensor.TensorSpec
Dimension = tensor_shape.Dimension
OPAQUE = frozenset({dtypes.resource.as_datatype_enum, dtypes.variant.as_datatype_enum})

run_graph = pywrap_tfe.TFE_Py_Execute
no_tape_is_active = pywrap_tfe.TFE_Py_TapeSetIsEmpty
possible_gradients = pywrap_tfe.TFE_Py_TapeSetPossibleGradientTypes
tape_is_stopped = pywrap_tfe.TFE_Py_TapeSetIsStopped
stop_tape = pywrap_tfe.TFE_Py_TapeSetStopOnThread
restart_tape = pywrap_tfe.TFE_Py_TapeSetRestartOnThread
tell_tape = pywrap_tfe.TFE_Py_TapeVariableAccessed
record_operation = pywrap_tfe.TFE_Py_TapeSetRecordOperation
add_tape, remove_tape = pywrap_tfe.TFE_Py_TapeSetAdd, pywrap_tfe.TFE_Py_TapeSetRemove
add_accumulator = pywrap_tfe.TFE_Py_ForwardAccumulatorSetAdd
remove_accumulator = pywrap_tfe.TFE_Py_ForwardAccumulatorSetRemove
tell_watcher = pywrap_tfe.TFE_Py_VariableWatcherVariableAccessed


def profiling() -> bool:
    """Is the profiler on? A flag up to 2.20, a function since."""
    return bool(profiler.enabled)


if callable(profiler.enabled):
    profiling = profiler.enabled


__all__ = [
    "OPAQUE",
    "Dimension",
    "EagerTensor",
    "ForwardAccumulator",
    "FunctionCache",
    "FunctionContext",
    "FunctionType",
    "Parameter",
    "RaggedTensor",
    "RaggedTensorSpec",
    "ResourceVariable",
    "SparseTensor",
    "TensorSpec",
    "add_accumulator",
    "add_tape",
    "array_ops",
    "atomic_function",
    "backprop_util",
    "cancellation",
    "composite_tensor",
    "constant_op",
    "context",
    "core",
    "default_gradient",
    "default_types",
    "deprecation",
    "dtypes",
    "eager_function_run",
    "errors",
    "execute",
    "function_context",
    "function_type_utils",
    "handle_data_util",
    "indexed_slices",
    "no_tape_is_active",
    "ops",
    "polymorphic_function",
    "possible_gradients",
    "profiling",
    "record_operation",
    "remove_accumulator",
    "remove_tape",
    "resource_variable_ops",
    "restart_tape",
    "run_graph",
    "save_context",
    "stop_tape",
    "tape_is_stopped",
    "tape_module",
    "tell_tape",
    "tell_watcher",
    "tensor",
    "tensor_shape",
    "tensor_util",
    "tf_decorator",
    "tf_stack",
    "traceback_utils",
    "tracing_compilation",
    "type_spec",
]
