"""The repairs of PyTorch; their place is the order in which they are tried."""

from __future__ import annotations

from traceonce.fix.kit import Kit
from traceonce.fix.recipes import leave_it, library_report
from traceonce.frameworks.torch.recipes import (
    allow_unspec_int,
    cast,
    contiguous,
    derived_argument,
    dynamic,
    dynamic_sources,
    failing_trace,
    fill_missing,
    graph_breaks,
    hoist,
    list_length,
    loop_body,
    mark_dynamic,
    outside_value,
    size_one,
    static_value,
    step_counter_buffer,
    tensor_argument,
    tensor_attribute,
    tensor_learning_rate,
    uniform_argument,
)
from traceonce.frameworks.torch.recipes.combined import combining

_RECIPES = (
    hoist.RECIPE,
    mark_dynamic.RECIPE,
    allow_unspec_int.RECIPE,
    dynamic.RECIPE,
    dynamic_sources.RECIPE,
    step_counter_buffer.RECIPE,
    outside_value.RECIPE,
    tensor_argument.RECIPE,
    tensor_attribute.RECIPE,
    tensor_learning_rate.RECIPE,
    contiguous.RECIPE,
    derived_argument.RECIPE,
    cast.RECIPE,
    fill_missing.RECIPE,
    failing_trace.RECIPE,
)

KIT = Kit(
    recipes=(*_RECIPES, combining(_RECIPES)),
    advice=(
        leave_it.RECIPE,
        library_report.RECIPE,
        list_length.RECIPE,
        loop_body.RECIPE,
        size_one.RECIPE,
        static_value.RECIPE,
        uniform_argument.RECIPE,
        graph_breaks.RECIPE,
    ),
    callers=(tensor_learning_rate.RECIPE,),
    of_libraries=True,
    replayed=False,
)
