"""The repairs of JAX; their place is the order in which they are tried."""

from __future__ import annotations

from traceonce.fix.kit import Kit
from traceonce.fix.recipes import leave_it, library_report
from traceonce.frameworks.jax.recipes import (
    array_argument,
    captured_argument,
    control_flow,
    device_put,
    fill_missing,
    hashable_argument,
    hoist,
    jit_caller,
    kept_object,
    pad_to_bucket,
    padded_call,
    pytree,
    state,
    state_outside,
    static_argument,
    static_equality,
    typed_argument,
    uniform_structure,
)
from traceonce.frameworks.jax.recipes.library_call import advise_caller, given_static

KIT = Kit(
    recipes=(
        hoist.RECIPE,
        captured_argument.RECIPE,
        control_flow.RECIPE,
        array_argument.RECIPE,
        static_equality.RECIPE,
        kept_object.RECIPE,
        pytree.RECIPE,
        jit_caller.RECIPE,
        typed_argument.RECIPE,
        fill_missing.RECIPE,
        state.RECIPE,
        state_outside.RECIPE,
        static_argument.RECIPE,
        hashable_argument.RECIPE,
        padded_call.RECIPE,
    ),
    callers=(kept_object.RECIPE, jit_caller.RECIPE, padded_call.RECIPE),
    advice=(
        leave_it.RECIPE,
        library_report.RECIPE,
        pad_to_bucket.RECIPE,
        uniform_structure.RECIPE,
        device_put.RECIPE,
    ),
    advise_caller=advise_caller,
    caller_causes=given_static,
)
