"""`jax.no_tracing` under a watch: what ran runs, and what it refused is refused, with the same words."""

from __future__ import annotations

from typing import Any

import pytest

import traceonce


def test_a_call_that_needs_no_trace_runs(jax: Any) -> None:
    step = jax.jit(lambda x: x * 3.0)
    x = jax.numpy.ones(3)
    with traceonce.watch() as seen:
        step(x)
        with jax.no_tracing():
            for _ in range(20):  # some of them are counted, and come through Python
                step(x)
    assert len(seen.events) == 1


def test_a_call_that_needs_one_is_refused(jax: Any) -> None:
    step = jax.jit(lambda x: x * 5.0)
    short, long = jax.numpy.ones(3), jax.numpy.ones(4)
    step(short)
    words = []
    for watch in (False, True):
        with traceonce.watch() if watch else pytest.MonkeyPatch.context(), jax.no_tracing():
            with pytest.raises(RuntimeError, match="'no_tracing' is set") as refused:
                step(long)
            words.append(str(refused.value).partition(" for ")[0])
    assert words[0].startswith("re-tracing function")
    assert words[1].startswith("re-tracing function")
    with traceonce.watch() as seen:
        step(long)  # it was not kept
    assert [event.phase for event in seen.events] == ["retrace"]
