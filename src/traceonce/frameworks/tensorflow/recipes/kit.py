"""The repairs of TensorFlow; their place is the order in which they are tried."""

from __future__ import annotations

from traceonce.fix.kit import Kit
from traceonce.fix.recipes import library_report
from traceonce.frameworks.tensorflow.dynamic_shapes.follow_up import SizeFollowUps
from traceonce.frameworks.tensorflow.recipes import (
    as_tensor,
    cast,
    compile_caller,
    drop_remainder,
    dynamic_shape,
    failing_trace,
    fill_missing,
    hoist,
    input_signature,
    keep_object,
    leave_it,
    pad_or_bucket,
    padded_call,
    pass_captured,
    reduce_retracing,
    remove_function,
    renew_model,
    reuse_instance,
    split_static_argument,
    stable_home,
    state,
    state_outside,
    tensor_argument,
    tracing_type,
    uniform_structure,
)
from traceonce.frameworks.tensorflow.recipes.library_call import advise_caller

KIT = Kit(
    recipes=(
        hoist.RECIPE,
        input_signature.RECIPE,
        tensor_argument.RECIPE,
        cast.RECIPE,
        as_tensor.RECIPE,
        fill_missing.RECIPE,
        reduce_retracing.RECIPE,
        stable_home.RECIPE,
        pass_captured.RECIPE,
        keep_object.RECIPE,
        tracing_type.RECIPE,
        state.RECIPE,
        state_outside.RECIPE,
        failing_trace.RECIPE,
        padded_call.RECIPE,
    ),
    callers=(compile_caller.RECIPE, keep_object.RECIPE, renew_model.RECIPE, padded_call.RECIPE),
    along=(dynamic_shape.RECIPE,),
    advice=(
        leave_it.RECIPE,
        library_report.RECIPE,
        pad_or_bucket.RECIPE,
        drop_remainder.RECIPE,
        uniform_structure.RECIPE,
        reuse_instance.RECIPE,
        split_static_argument.RECIPE,
        remove_function.RECIPE,
    ),
    of_libraries=True,
    advise_caller=advise_caller,
    follow_ups=SizeFollowUps,
)
