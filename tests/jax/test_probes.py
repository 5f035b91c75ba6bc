"""The private places of JAX: they are where we expect them here, and where they are not, the public events serve."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.jax.jitted import causes, named
from traceonce.diagnosis import diagnose
from traceonce.errors import BackendUnavailable, TracingLimitReached
from traceonce.frameworks.jax import Jax, probes, public_events
from traceonce.frameworks.jax.jax_config import JaxConfig


def ones(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


def test_every_private_place_is_there(jax: Any) -> None:
    """This is the test that fails loudly when a new JAX moves something."""
    places = probes.probe(jax)
    assert places.tracing == ("_trace_for_jit" if probes.version_of(jax) >= (0, 9) else "_infer_params_impl")
    assert JaxConfig(places.config).are_named == (not jax.__version__.startswith(("0.8.", "0.9.", "0.10.0", "0.10.1")))
    assert "enable_x64" in JaxConfig(places.config).now()


@pytest.mark.parametrize("version", ["0.5.3", "0.99.0", "1.0.0"])
def test_an_unknown_version_is_not_probed(version: str) -> None:
    with pytest.raises(probes.Moved, match=f"JAX {version} is not supported by this traceonce"):
        probes.probe(types.SimpleNamespace(__version__=version))


def test_a_moved_function_is_named(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tracing = probes.probe(jax).tracing
    from jax._src import pjit

    with monkeypatch.context() as patch:
        patch.setattr(pjit, tracing, lambda fun, info: None)
        with pytest.raises(probes.Moved, match=f"{tracing} takes"):
            probes.probe(jax)
        patch.delattr(pjit, tracing)
        with pytest.raises(probes.Moved, match="has neither _trace_for_jit nor _infer_params_impl"):
            probes.probe(jax)
    for name in ("_get_fastpath_data", "_need_to_rebuild_with_fdo", "_pjit_call_impl_python"):
        with monkeypatch.context() as patch:
            patch.delattr(pjit, name)
            with pytest.raises(probes.Moved, match=f"{name} is gone"):
                probes.probe(jax)


def test_a_version_that_does_not_name_its_settings(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    config = probes.probe(jax).config
    monkeypatch.delattr(config, "trace_context_names", raising=False)
    monkeypatch.setattr(config, "trace_context", tuple)  # without Python code, as in 0.8 and 0.9
    settings = JaxConfig(config)
    assert not settings.are_named
    before = settings.now()
    with jax.default_matmul_precision("float32"):
        assert settings.now() == {**before, "default_matmul_precision": "float32"}


@pytest.fixture
def without_private_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "NEWEST", (0, 5))


@pytest.mark.usefixtures("without_private_places")
def test_the_public_events_tell_traces_causes_and_times(jax: Any) -> None:
    step = jax.jit(lambda x, k, n: x * k * n, static_argnames="n")
    with traceonce.watch() as seen:
        for width, k in ((3, 1.0), (3, 2.0), (4, 1.0), (4, np.float32(1))):
            step(ones(2, width), k, n=2)
        step(ones(2, 4), np.float32(1), n=3)
        jax.numpy.where(ones(31) > 0, ones(31), 0)
        for i in range(3):
            jax.jit(lambda y: y + i)(ones(3))  # noqa: B023  # that is the point
    found = {d.function.line: d for d in diagnose(seen.recording)}
    steps, fresh = found[step.__wrapped__.__code__.co_firstlineno], found[max(line or 0 for line in found)]
    assert causes(steps) == [
        ("shape", "x.shape[1]", "3", "4", 1),
        ("weak_type", "k.weak_type", "True", "False", 1),
        ("static_argument", "n", "2", "3", 1),
    ]
    assert {cause.evidence for cause in steps.causes} == {"inferred"}
    assert (steps.traces, steps.calls) == (4, None)
    assert steps.first_run_seconds > 0
    assert causes(fresh) == [("new_function", "<lambda>", "function object 1", "function object 2", 2)]
    assert fresh.causes[0].note == "i"
    (site,) = fresh.call_sites
    assert site.file.endswith("test_probes.py")
    assert any("public events" in notice.text for notice in seen.recording.notices)


@pytest.mark.usefixtures("without_private_places")
def test_the_public_events_do_not_take_a_hit_for_a_trace(jax: Any) -> None:
    def step(x: Any) -> Any:
        return x + 1

    with traceonce.watch() as seen:
        for _ in range(3):
            jax.jit(step)(ones(3))
    assert named(seen, "step").traces == 1


@pytest.mark.usefixtures("without_private_places")
def test_a_limit_holds_through_the_public_events(jax: Any) -> None:
    step = jax.jit(lambda x: x + 1)
    with traceonce.limit(1):
        step(ones(1))
        step(ones(2))
        for _ in range(2):
            with pytest.raises(TracingLimitReached):
                step(ones(3))
        assert step(ones(2)).tolist() == [2, 2]
    assert step(ones(3)).tolist() == [2, 2, 2]


@pytest.mark.usefixtures("without_private_places")
def test_without_listeners_there_is_nothing_to_watch_with(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(jax.monitoring, "register_event_duration_secs_listener")
    with pytest.raises(BackendUnavailable, match=r"no jax\.monitoring either"):
        public_events.MonitoredWatching(jax, _Nobody(), "moved")


def test_a_program_may_clear_all_listeners(jax: Any) -> None:
    with traceonce.watch() as seen:
        jax.monitoring.clear_event_listeners()
        jax.jit(lambda x: x * 2)(ones(3))
    assert len(seen.events) == 1


def test_jax_that_was_not_imported_cannot_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    with pytest.raises(BackendUnavailable, match="has not been imported"):
        Jax().watch(_Nobody())


class _Nobody:
    def write(self, entry: Any) -> None: ...

    def permit(self, event: Any, *, made: bool) -> None:
        return None
