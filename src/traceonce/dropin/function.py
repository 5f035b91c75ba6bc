"""`traceonce.function` and `traceonce.stats`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from traceonce.dropin.options import check_options
from traceonce.dropin.over_limit import refuse
from traceonce.errors import BackendUnavailable
from traceonce.facts import DEFAULT_LIMIT
from traceonce.facts.dispatch import DEFAULT_KEEP, Stats

OnLimit: TypeAlias = Literal["raise", "warn", "eager"]


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    keep: int = DEFAULT_KEEP,
    limit: int | None = DEFAULT_LIMIT,
    on_limit: OnLimit = "raise",
    relax: bool = True,
    lift: bool = True,
    pad: Mapping[str, Mapping[int, Sequence[int]]] | None = None,
    true_length: Mapping[str, Mapping[int, str]] | None = None,
    unpad: Mapping[str, Mapping[int, tuple[str, int]]] | None = None,
) -> Any:
    """A `tf.function` that traces as seldom as the meaning of the program allows, and cannot run away.

    >>> @traceonce.function
    ... def train_step(batch, learning_rate): ...

    It takes all arguments of `tf.function`, and returns a `tf.function` object. A dimension that varies is left open at
    its second value, a Python number that varies is handed over as a tensor where that is shown to keep the meaning,
    and equal objects share a trace. At most `keep` traces are kept; past `limit` retraces a call that needs one more
    raises `TracingLimitReached`, or, by `on_limit`, warns or runs without a graph. ``relax=False`` and ``lift=False``
    leave shapes and numbers as they are.

    ``pad={"tokens": {1: (16, 32, 64)}}`` pads axis 1 of `tokens` with zeros up to the next of these sizes (a longer one
    stays as it is); ``true_length={"tokens": {1: "length"}}`` hands its size before that to the parameter `length`, as
    a scalar int32 tensor; ``unpad={"": {1: ("tokens", 1)}}`` cuts axis 1 of the result back to it (``"[0]"`` or
    ``"['logits']"`` for a part of the result).

    `traceonce.stats` says what it did, and why.
    """
    del experimental_follow_type_hints  # TensorFlow takes it and does nothing with it
    options: dict[str, Any] = {
        "keep": keep,
        "limit": limit,
        "on_limit": on_limit,
        "relax": relax,
        "lift": lift,
        "pad": pad,
        "true_length": true_length,
        "unpad": unpad,
    }
    check_options(options)
    arguments = {
        "input_signature": input_signature,
        "autograph": autograph,
        "jit_compile": jit_compile,
        "reduce_retracing": reduce_retracing,
        "experimental_implements": experimental_implements,
        "experimental_autograph_options": experimental_autograph_options,
        "experimental_attributes": experimental_attributes,
        "experimental_relax_shapes": experimental_relax_shapes,
        "experimental_compile": experimental_compile,
    }
    factory = _factory()
    if isinstance(factory, str):
        decorate = _plain(factory, arguments, options)
    else:
        policy = factory.Policy(refuse=refuse, **options)
        decorate = functools.partial(factory.make_function, policy=policy, arguments=arguments)
    return decorate if func is None else decorate(func)


def stats(function: Any) -> Stats:
    """What a `traceonce.function` did so far; of a method asked for on its class, over all living objects."""
    factory = _factory()
    if isinstance(factory, str):
        return Stats(why=(factory,))
    found = factory.stats_of(function)
    if found is None:
        raise TypeError(f"stats is for what traceonce.function made, not for {function!r}")
    given: Stats = found
    return given


def _factory() -> Any:
    """What makes functions; or, where this TensorFlow is not the one that we know, why it cannot."""
    try:
        import tensorflow as tf
    except ImportError as error:
        raise BackendUnavailable("traceonce.function needs TensorFlow: pip install 'traceonce[tensorflow]'") from error
    from traceonce.frameworks.tensorflow.probes import Moved, probe_for_dispatch

    try:
        probe_for_dispatch(tf)
    except Moved as moved:
        return f"{moved}: traceonce.function is a plain tf.function here, without a dispatch, a limit or keep"

    from traceonce.frameworks.tensorflow.dropin import factory

    return factory


def _plain(why: str, arguments: dict[str, Any], options: dict[str, Any]) -> Callable[[Any], Any]:
    """What is left where we know nothing of this TensorFlow: the program goes on as with `tf.function`."""
    import tensorflow as tf

    if options["pad"] is not None:
        raise BackendUnavailable(f"{why}; pad needs one that is known")
    warnings.warn(why, stacklevel=3)
    given = {name: value for name, value in arguments.items() if value is not None}
    return functools.partial(tf.function, **given)
