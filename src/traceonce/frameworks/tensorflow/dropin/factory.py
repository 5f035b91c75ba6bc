"""Make a `Function` as `tf.function` makes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traceonce.facts.dispatch import Stats
from traceonce.frameworks.tensorflow.dropin.function import Function
from traceonce.frameworks.tensorflow.dropin.padding import PaddedFunction, check_parameters
from traceonce.frameworks.tensorflow.dropin.parts import deprecation, polymorphic_function, tf_decorator
from traceonce.frameworks.tensorflow.dropin.policy import Policy

__all__ = ["Policy", "make_function", "stats_of"]


def make_function(func: Any, policy: Policy, arguments: Mapping[str, Any]) -> Any:
    """The function object for `func`; `arguments` are those of `tf.function`."""
    kind = PaddedFunction if policy.pad else Function
    given = dict(arguments)
    if given.pop("experimental_relax_shapes", None):
        given["reduce_retracing"] = True
    if given["jit_compile"] is None and polymorphic_function.JIT_COMPILE_FUNCTIONS:
        given["jit_compile"] = True
    old_name = given.pop("experimental_compile")
    given["jit_compile"] = deprecation.deprecated_argument_lookup(
        "jit_compile", given["jit_compile"], "experimental_compile", old_name
    )
    if policy.pad:
        check_parameters(func, policy)
    made = kind(func, getattr(func, "__name__", "function"), policy=policy, **given)
    return tf_decorator.make_decorator(func, decorator_name="tf.function", decorator_func=made)


def stats_of(function: Any) -> Stats | None:
    """What the function did; None where it is not one of ours."""
    return function.stats() if isinstance(function, Function) else None
