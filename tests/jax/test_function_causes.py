"""Functions that are others, and compilations without a trace, made to happen in real JAX."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from typing import Any

import traceonce
from tests.jax.calls import calling, ones
from tests.jax.jitted import causes, only, why
from traceonce.facts import Verdict
from traceonce.frameworks.jax.memories import DROPPED


def test_a_fresh_lambda_in_a_loop(jax: Any) -> None:
    with traceonce.watch() as seen:
        for i in range(4):
            jax.jit(lambda x: x + (i + 2))(ones(3))  # noqa: B023  # that is the point
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.verdict) == (4, Verdict.RETRACING)
    assert causes(diagnosis) == [("new_function", "<lambda>", "function object 1", "function object 2", 3)]
    assert diagnosis.causes[0].note == "i"


def test_jit_again_over_the_same_function_is_no_trace(jax: Any) -> None:
    def step(x: Any) -> Any:
        return x + 1

    with traceonce.watch() as seen:
        for _ in range(4):
            jax.jit(step)(ones(3))
    assert (only(seen).traces, only(seen).calls, only(seen).verdict) == (1, 4, Verdict.OK)


def test_a_factory_names_the_cell_that_differs(jax: Any) -> None:
    def make(rate: float, name: str) -> Any:
        def step(x: Any) -> Any:
            return x * rate if name else x

        return jax.jit(step)

    with traceonce.watch() as seen:
        for rate in (0.1, 0.2, 0.3):
            make(rate, "sgd")(ones(3))
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.count, cause.note) == ("new_function", 2, "rate")


def test_a_partial_names_its_argument(jax: Any) -> None:
    def scale(a: float, x: Any) -> Any:
        return x * a

    with traceonce.watch() as seen:
        for a in (2.0, 3.0):
            jax.jit(functools.partial(scale, a))(ones(3))
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.path, cause.note) == ("new_function", "scale", "a (bound by partial)")


def test_a_function_of_jaxs_own_that_is_handed_the_users(jax: Any) -> None:
    """It is told under the name of the user's; a new function each time is compiled each time."""
    jnp = jax.numpy

    def run(k: float) -> None:
        jax.jit(functools.partial(jax.lax.scan, lambda c, x: (c * k + x, None)))(jnp.ones(3), jnp.ones((4, 3)))

    with traceonce.watch() as seen:
        for k in (1.0, 2.0, 3.0):
            run(k)
    diagnosis = only(seen)
    assert diagnosis.function.name.endswith("run.<locals>.<lambda> [scan]")
    assert (diagnosis.traces, diagnosis.calls) == (3, 3)
    assert causes(diagnosis) == [("new_function", "<lambda>", "function object 1", "function object 2", 2)]
    assert diagnosis.causes[0].note == "k"


def test_a_partial_of_jaxs_function_is_told_as_any_other(jax: Any) -> None:
    jnp = jax.numpy

    def body(carry: Any, y: Any) -> Any:
        return carry + y, None

    scan = jax.jit(functools.partial(jax.lax.scan, body))
    with traceonce.watch() as seen:
        for length in (3, 3, 4, 4):
            scan(jnp.ones(3), jnp.ones((length, 3)))
    assert (only(seen).traces, only(seen).calls) == (2, 4)
    assert causes(only(seen)) == [("shape", "xs.shape[0]", "3", "4", 1)]


def test_static_functions_of_the_users_in_functions_of_jaxs_own(jax: Any) -> None:
    """`jnp.piecewise` compiles for each new function; with the same ones it does not."""
    jnp = jax.numpy
    x = jnp.arange(4.0)

    def negate(y: Any) -> Any:
        return -y

    with traceonce.watch() as seen:
        for _ in range(3):
            jnp.piecewise(x, [x < 2, x >= 2], [lambda y: y * 2, lambda y: y + 1])
    assert (only(seen).function.short_name, only(seen).traces) == ("<lambda>", 3)
    assert only(seen).causes[0].code.value == "static_argument"
    with traceonce.watch() as seen:
        for _ in range(3):
            jnp.piecewise(x, [x < 2, x >= 2], [negate, negate])
            jnp.piecewise(x, [x < 2, x >= 2], [1, 2])
    assert (only(seen).function.short_name, only(seen).traces) == ("negate", 1)


def test_a_default_that_differs_is_named(jax: Any) -> None:
    with traceonce.watch() as seen:
        for rate in (2.0, 3.0):

            def step(x: Any, rate: float = rate) -> Any:
                return x * rate

            jax.jit(step)(ones(3))
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.note) == ("new_function", "rate (a default)")


def test_another_model_is_no_alarm(jax: Any) -> None:
    """A step that does something else under the same name is no retrace; one over parameters of other sizes is."""

    def make(deep: bool) -> Any:
        return jax.jit(lambda x: (x * 2).sum() if deep else x)

    with traceonce.watch() as seen:
        make(True)(ones(3))
        make(False)(ones(3))
    assert (only(seen).traces, only(seen).retraces, only(seen).verdict) == (2, 0, Verdict.OK)
    with traceonce.watch() as seen:
        for width in (4, 8):
            jax.jit(lambda params, x: x @ params["w"])({"w": ones(3, width)}, ones(2, 3))
    assert (only(seen).retraces, only(seen).verdict) == (1, Verdict.BOUNDED)
    assert causes(only(seen))[1:] == [("shape", "params['w'].shape[1]", "4", "8", 1)]


class Model:
    def __init__(self, jax: Any, rate: float) -> None:
        self.rate = rate
        self.jitted = jax.jit(self.step)

    def step(self, x: Any) -> Any:
        return x * self.rate


def test_methods_of_several_instances(jax: Any) -> None:
    models = [Model(jax, rate) for rate in (2.0, 3.0, 4.0)]
    with traceonce.watch() as seen:
        for model in models:
            model.jitted(ones(3))
    assert causes(only(seen)) == [("new_instance", "step", "instance 1", "instance 2", 2)]
    assert only(seen).causes[0].note == "self.rate"


def test_self_as_a_static_argument(jax: Any) -> None:
    class Layer:
        def __init__(self, rate: float) -> None:
            self.rate = rate

        @functools.partial(jax.jit, static_argnums=0)
        def step(self, x: Any) -> Any:
            return x * self.rate

    go = calling(Layer.step, (Layer(2.0), ones(3)), (Layer(3.0), ones(3)))
    assert why(go) == [("static_argument", "self", "Layer(rate=2.0)", "Layer(rate=3.0)", 1)]


def test_an_option_of_jit_is_a_compilation_without_a_trace(jax: Any) -> None:
    def step(x: Any) -> Any:
        return x * 7

    with traceonce.watch() as seen:
        jax.jit(step)(jax.numpy.ones(3))
        jax.jit(step, donate_argnums=0)(jax.numpy.ones(3))
    diagnosis = only(seen)
    assert (diagnosis.traces, [e.kind for e in seen.events]) == (1, ["trace", "compile", "compile"])
    assert causes(diagnosis) == [("compile", "donated arguments", "none", "0", 1)]


def test_a_committed_array_is_a_compilation_without_a_trace(jax: Any) -> None:
    step = jax.jit(lambda x: x * 9)
    with traceonce.watch() as seen:
        step(ones(3))
        step(jax.device_put(ones(3)))  # JAX may put it where it likes: no difference
        step(jax.device_put(ones(3), jax.devices()[0]))
        step(jax.device_put(ones(3), jax.devices()[0]))
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.calls) == (1, 4)
    assert causes(diagnosis) == [("sharding", "x.sharding", "uncommitted", "cpu:0", 1)]
    compiled = [event for event in seen.events if event.kind == "compile"]
    assert [event.phase for event in compiled] == ["first", "retrace"]
    assert compiled[-1].parent == seen.events[0].id


TWO_DEVICES = """
import jax, numpy as np, traceonce
from traceonce.diagnosis import explain_events
step = jax.jit(lambda x: x * 9)
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
cut, whole = (jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec)) for spec in (("i",), ()))
x = np.ones(4, np.float32)
with traceonce.watch() as seen:
    for place in (jax.devices()[0], jax.devices()[1], cut, whole, jax.devices()[1]):
        step(jax.device_put(x, place))
for event, causes, *_ in explain_events(seen.recording):
    print(event.kind, event.phase, *((c.code.value, c.path, c.was, c.now) for c in causes))
"""


def test_devices_and_shardings(jax: Any) -> None:
    """Another device, or another cut over the same mesh, is a compilation; a mesh is part of the type, and a trace."""
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", TWO_DEVICES], env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "trace first",
        "compile first",
        "compile retrace ('sharding', 'x.sharding', 'cpu:0', 'cpu:1')",
        "trace retrace ('sharding', 'x.sharding', 'no mesh', 'mesh (i=2)')",
        "compile first",
        """compile retrace ('sharding', 'x.sharding', "P('i') over (i=2)", 'P() over (i=2)')""",
    ], done.stderr


def test_a_trace_that_jax_has_dropped_is_said_to_be_dropped(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch() as seen:
        step(ones(3))
        step(ones(4))
        step.clear_cache()
        step(ones(3))
        step(ones(5))
    *_, again, other = seen.events
    assert [(cause.code.value, cause.evidence, cause.now) for cause in only(seen).causes if not cause.was] == [
        ("unknown", "reported", DROPPED)
    ]
    assert (again.raw_reason, other.raw_reason) == (DROPPED, None)
