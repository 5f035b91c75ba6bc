"""Every cause of a retrace, made to happen in real JAX: the traces, the code, the place, was and now."""

from __future__ import annotations

import dataclasses
import enum
import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import traceonce
from tests.jax.jitted import causes, line_of, named, only, why
from traceonce.diagnosis import diagnose
from traceonce.facts import Verdict
from traceonce.frameworks.jax.memories import DROPPED
from traceonce.frameworks.jax.probes import version_of

PRINTS_THE_SAME = "it prints the same, but is another object"


def ones(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


def calling(function: Any, *calls: tuple[Any, ...]) -> Any:
    def go() -> None:
        for arguments in calls:
            function(*arguments)

    return go


def test_a_dimension_and_the_line_that_called(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch() as seen:
        for width in (3, 4, 4, 3):
            step(ones(2, width))  # called here
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.calls) == (2, 1, 4)
    assert causes(diagnosis) == [("shape", "x.shape[1]", "3", "4", 1)]
    (site,) = diagnosis.call_sites
    assert (Path(site.file).name, site.line, site.via) == (Path(__file__).name, line_of("called here"), None)


def test_a_rank(jax: Any) -> None:
    go = calling(jax.jit(lambda x: x * 2), (ones(3),), (ones(3, 1),))
    assert why(go) == [("rank", "x.shape", "[3]", "[3,1]", 1)]


def test_a_dtype(jax: Any) -> None:
    go = calling(jax.jit(lambda x: x * 2), (ones(3),), (ones(3, dtype=np.int32),))
    assert why(go) == [("dtype", "x.dtype", "float32", "int32", 1)]


def test_a_python_number_has_a_weak_type(jax: Any) -> None:
    """Its value is an argument like any other; that its type gives way to others is part of the key."""
    step = jax.jit(lambda x, rate: x * rate)
    go = calling(step, (ones(3), 0.1), (ones(3), 0.2), (ones(3), np.float32(0.1)), (ones(3), jax.numpy.float32(1)))
    assert why(go) == [("weak_type", "rate.weak_type", "True", "False", 1)]


def test_an_int_and_a_float_are_two_types(jax: Any) -> None:
    go = calling(jax.jit(lambda x, k: x * k), (ones(3), 1), (ones(3), 2), (ones(3), 2.0))
    assert why(go) == [("dtype", "k.dtype", "int32", "float32", 1)]


def test_a_place_deep_in_a_tree(jax: Any) -> None:
    step = jax.jit(lambda params: params["layers"][0]["w"].sum())
    go = calling(step, ({"layers": [{"w": ones(2, 3)}]},), ({"layers": [{"w": ones(2, 5)}]},))
    assert why(go) == [("shape", "params['layers'][0]['w'].shape[1]", "3", "5", 1)]


class Batch(NamedTuple):
    ids: Any
    mask: Any


def test_a_field_of_a_named_tuple(jax: Any) -> None:
    step = jax.jit(lambda batch: batch.ids * batch.mask)
    go = calling(step, (Batch(ones(3), ones(3)),), (Batch(ones(3), ones(3, dtype=np.int32)),))
    assert why(go) == [("dtype", "batch.mask.dtype", "float32", "int32", 1)]


def test_the_keys_of_a_dict(jax: Any) -> None:
    step = jax.jit(lambda d: sum(d.values()))
    go = calling(step, ({"a": ones(3)},), ({"a": ones(3), "b": ones(3)},))
    assert why(go) == [("structure", "d", "keys 'a'", "keys 'a', 'b'", 1)]


def test_a_list_and_a_tuple(jax: Any) -> None:
    go = calling(jax.jit(lambda xs: xs[0]), ([ones(3)],), ((ones(3),),))
    assert why(go) == [("structure", "xs", "list", "tuple", 1)]


def test_the_length_of_a_list(jax: Any) -> None:
    go = calling(jax.jit(lambda xs: sum(xs)), ([ones(3)],), ([ones(3)] * 2,), ([ones(3)] * 3,))
    assert why(go) == [("structure", "len(xs)", "1", "2", 2)]


def test_none_and_an_array(jax: Any) -> None:
    go = calling(jax.jit(lambda x, mask: x if mask is None else x * mask), (ones(3), None), (ones(3), ones(3)))
    with traceonce.watch() as seen:
        go()
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.path, cause.was, cause.now) == ("kind", "mask", "None", "float32[3]")
    assert cause.finite


def test_a_default_that_is_left_out_is_no_argument(jax: Any) -> None:
    def step(x: Any, k: Any = 1.0) -> Any:
        return x * k

    assert why(calling(jax.jit(step), (ones(3),), (ones(3), 1.0))) == [("kind", "k", "its default", "float32[]", 1)]


def test_by_position_and_by_keyword_are_two_calls(jax: Any) -> None:
    step = jax.jit(lambda x, k: x * k)

    def go() -> None:
        step(ones(3), 1.0)
        step(ones(3), k=1.0)

    assert why(go) == [("structure", "passed by keyword", "keys none", "keys k", 1)]


def test_more_arguments(jax: Any) -> None:
    go = calling(jax.jit(lambda *xs: sum(xs)), (ones(3),), (ones(3), ones(3)), (ones(3), ones(4, 3)))
    assert why(go) == [("structure", "len(xs)", "1", "2", 1), ("rank", "xs[1].shape", "[3]", "[4,3]", 1)]


class Mode(enum.Enum):
    TRAIN = 1
    TEST = 2


def test_a_static_value(jax: Any) -> None:
    step = jax.jit(lambda x, n: x * n, static_argnums=1)
    with traceonce.watch() as seen:
        for n in (1, 2, 3, 2):
            step(ones(3), n)
    assert (only(seen).traces, only(seen).calls) == (3, 4)
    assert causes(only(seen)) == [("static_argument", "n", "1", "2", 2)]
    assert only(seen).causes[0].values == ("1", "2", "3")


def test_a_static_enum_by_name(jax: Any) -> None:
    step = jax.jit(lambda x, mode: x, static_argnames="mode")

    def go() -> None:
        step(ones(3), mode=Mode.TRAIN)
        step(ones(3), mode=Mode.TEST)

    assert why(go) == [("static_argument", "mode", "Mode.TRAIN", "Mode.TEST", 1)]


class Config:
    """Equal to itself alone."""

    def __init__(self, depth: int) -> None:
        self.depth = depth


@dataclasses.dataclass(frozen=True)
class Settings:
    depth: int


def test_a_static_object_that_prints_the_same(jax: Any) -> None:
    step = jax.jit(lambda x, config: x * config.depth, static_argnames="config")
    with traceonce.watch() as seen:
        for _ in range(3):
            step(ones(3), config=Config(2))
        step(ones(3), config=Config(3))
    (cause,) = only(seen).causes
    assert (cause.path, cause.was, cause.now, cause.count) == ("config", "Config(depth=2)", "Config(depth=2)", 3)
    assert PRINTS_THE_SAME in (cause.note or "")


def test_a_static_object_with_an_eq_is_one(jax: Any) -> None:
    step = jax.jit(lambda x, settings: x * settings.depth, static_argnames="settings")
    with traceonce.watch() as seen:
        for depth in (2, 2, 3):
            step(ones(3), settings=Settings(depth))
    assert causes(only(seen)) == [("static_argument", "settings", "Settings(depth=2)", "Settings(depth=3)", 1)]
    assert only(seen).causes[0].note is None


def test_what_a_node_of_a_tree_holds_beside_its_leaves(jax: Any) -> None:
    @functools.partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["name"])
    @dataclasses.dataclass
    class Layer:
        w: Any
        name: str

    step = jax.jit(lambda layer: layer.w * 2)
    go = calling(step, (Layer(ones(3), "a"),), (Layer(ones(3), "b"),), (Layer(ones(4), "b"),))
    assert why(go) == [
        ("static_argument", "layer.name", "'a'", "'b'", 1),
        ("shape", "layer.w.shape[0]", "3", "4", 1),
    ]


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


def test_a_default_that_differs_is_named(jax: Any) -> None:
    with traceonce.watch() as seen:
        for rate in (2.0, 3.0):

            def step(x: Any, rate: float = rate) -> Any:
                return x * rate

            jax.jit(step)(ones(3))
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.note) == ("new_function", "rate (a default)")


def test_another_model_is_no_retrace(jax: Any) -> None:
    """A step that does something else under the same name, and one over parameters of other sizes."""

    def make(deep: bool) -> Any:
        return jax.jit(lambda x: (x * 2).sum() if deep else x)

    with traceonce.watch() as seen:
        make(True)(ones(3))
        make(False)(ones(3))
    assert (only(seen).traces, only(seen).retraces, only(seen).verdict) == (2, 0, Verdict.OK)
    with traceonce.watch() as seen:
        for width in (4, 8):
            jax.jit(lambda params, x: x @ params["w"])({"w": ones(3, width)}, ones(2, 3))
    assert only(seen).retraces == 0


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
for event, causes, _ in explain_events(seen.recording):
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


@pytest.mark.parametrize(
    ("setting", "value", "was", "now"),
    [
        ("jax_default_matmul_precision", "float32", "none", "float32"),
        ("jax_numpy_rank_promotion", "warn", "allow", "warn"),
    ],
)
def test_a_setting_by_name(jax: Any, setting: str, value: str, was: str, now: str) -> None:
    step = jax.jit(lambda x: x * 2)
    manager = getattr(jax, setting.removeprefix("jax_"))
    with traceonce.watch() as seen:
        step(ones(3))
        with manager(value):
            step(ones(3))
        step(ones(3))
    assert causes(only(seen)) == [("context", setting.removeprefix("jax_"), was, now, 1)]


def test_double_precision_is_a_setting_and_a_dtype(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch() as seen:
        step(ones(3, dtype=np.float64))
        with _double_precision(jax):
            step(ones(3, dtype=np.float64))
    assert causes(only(seen)) == [
        ("context", "enable_x64", "False", "True", 1),
        ("dtype", "x.dtype", "float32", "float64", 1),
    ]


def _double_precision(jax: Any) -> Any:
    from jax import experimental

    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else experimental.enable_x64(True)


def test_transformations_of_a_jitted_function_are_no_retrace(jax: Any) -> None:
    loss = jax.jit(lambda x: (x * 3).sum())
    with traceonce.watch() as seen:
        for _ in range(3):
            jax.grad(loss)(ones(3))
        jax.value_and_grad(loss)(ones(3))
        jax.vmap(loss)(ones(2, 3))
        loss(ones(3))
    assert (only(seen).traces, only(seen).retraces) == (1, 0)
    (event,) = seen.events
    assert event.first_run_seconds
    with traceonce.watch() as seen:
        jax.grad(loss)(ones(7))
    assert causes(only(seen)) == [("shape", "x.shape[0]", "3", "7", 1)]


def test_what_is_around_a_function_is_in_its_name(jax: Any) -> None:
    def loss(w: Any) -> Any:
        return (w * w).sum()

    with traceonce.watch() as seen:
        jax.jit(loss)(ones(3))
        jax.jit(jax.grad(loss))(ones(3))
        jax.jit(jax.value_and_grad(loss))(ones(3))
        jax.jit(jax.vmap(loss))(ones(2, 3))
    names = {d.function.name.rpartition(".")[2]: d.traces for d in diagnose(seen.recording)}
    assert names == {"loss": 1, "loss [grad]": 1, "loss [value_and_grad]": 1, "loss [vmap]": 1}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not say what a code is part of")
def test_jacobians_have_their_names(jax: Any) -> None:
    def loss(w: Any) -> Any:
        return (w * w).sum()

    with traceonce.watch() as seen:
        for transform in (jax.jacfwd, jax.jacrev, jax.hessian):
            jax.jit(transform(loss))(ones(3))
    names = [event.function.name.rpartition(".")[2] for event in seen.events]
    assert names == ["loss [jacfwd]", "loss [jacrev]", "loss [jacfwd, jacrev]"]


def test_eager_loops_with_a_fresh_body(jax: Any) -> None:
    """They compile their body, too, and a body that is new each time is compiled each time."""
    from jax import lax

    with traceonce.watch() as seen:
        for k in (2.0, 3.0, 4.0):
            lax.scan(lambda c, y: (c + y * k, y), 0.0, ones(3))  # noqa: B023  # that is the point
            lax.fori_loop(0, 3, lambda i, c: c + i, 0)
            lax.while_loop(lambda c: c < 3, lambda c: c + 1, 0)
            lax.cond(True, lambda c: c + 1, lambda c: c - 1, ones(3))
            lax.map(lambda y: y + 1, ones(3))
    found = {d.function.name.rpartition(".")[2]: d for d in diagnose(seen.recording)}
    names = ["scan", "fori_loop", "while_loop", "cond", "map"]
    assert sorted(found) == sorted(f"<lambda> [{name}]" for name in names)
    for diagnosis in found.values():
        assert (diagnosis.traces, diagnosis.retraces, diagnosis.verdict) == (3, 2, Verdict.RETRACING)
        assert [cause.code.value for cause in diagnosis.causes] == ["new_function"]
    assert found["<lambda> [scan]"].causes[0].note == "k"


def test_an_eager_loop_with_the_same_body(jax: Any) -> None:
    from jax import lax

    def body(carry: Any, y: Any) -> Any:
        return carry + y, y

    with traceonce.watch() as seen:
        for length in (3, 3, 4, 3):
            lax.scan(body, 0.0, ones(length))
    assert causes(only(seen)) == [("shape", "xs.shape[0]", "3", "4", 1)]


def test_what_jax_jits_for_itself_is_not_told(jax: Any) -> None:
    jnp = jax.numpy
    with traceonce.watch() as seen:
        for n in range(11, 14):
            x = jnp.where(ones(n) > 0, ones(n), 0)
            jax.random.normal(jax.random.key(n), (n,))
            jax.random.permutation(jax.random.key(n), n)
            jax.nn.softmax(jax.nn.relu(jnp.sort(jnp.cumsum(x))))
            jnp.linalg.norm(x)
    assert seen.events == ()


def test_a_librarys_function_is_told_with_both_lines(jax: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "jaxlibrary"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import jax\n\ndef apply(x):\n    return jax.jit(lambda v: v * 2)(x)\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    import jaxlibrary

    with traceonce.watch() as seen:
        for _ in range(3):
            jaxlibrary.apply(ones(3))  # my last line
    diagnosis = only(seen)
    assert diagnosis.function.library
    (site,) = diagnosis.call_sites
    assert (Path(site.file).name, site.line) == (Path(__file__).name, line_of("my last line"))
    assert (site.via or "").endswith("jaxlibrary/__init__.py:4")


def test_nested_functions_have_parents_and_times_of_their_own(jax: Any) -> None:
    inner = jax.jit(lambda x: x * 2)

    @jax.jit
    def outer(x: Any) -> Any:
        return inner(x) + inner(x[:2]).sum()

    with traceonce.watch() as seen:
        outer(ones(3))
        outer(ones(5))
    first, *rest = (event for event in seen.events if event.function.short_name == "outer")
    nested = [event for event in seen.events if event.function.short_name == "<lambda>"]
    assert [event.parent for event in nested] == [first.id, first.id, rest[0].id]
    assert first.exclusive_seconds < first.seconds
    assert [event.call for event in nested] == [None] * 3
    assert causes(named(seen, "outer")) == [("shape", "x.shape[0]", "3", "5", 1)]


def test_the_axis_names_around_a_call(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2)
    with traceonce.watch() as seen:
        step(ones(3))
        jax.vmap(step)(ones(2, 3))
        jax.vmap(step, axis_name="batch")(ones(2, 3))
    assert causes(only(seen)) == [("context", "axis names", "none", "(('batch', 2),)", 1)]


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


def test_a_static_tuple_is_compared_item_by_item(jax: Any) -> None:
    """As libraries pass what is no array: functions, numbers and the shape of a tree, in tuples."""
    step = jax.jit(lambda static, x: x * static[1][1], static_argnums=0)
    tree = jax.tree.structure({"a": 1})
    calls = [((np.tanh, (None, rate), tree), ones(3)) for rate in (0.5, 0.5, 0.25)]
    assert why(calling(step, *calls)) == [("static_argument", "static[1]", "(None, 0.5)", "(None, 0.25)", 1)]
    other = ((np.tanh, (None, 0.25), jax.tree.structure({"b": 1})), ones(3))
    (cause,) = why(calling(jax.jit(lambda s, x: x, static_argnums=0), calls[-1], other))
    assert cause[:2] == ("static_argument", "s[2]")
    assert "'a'" in cause[2]
    assert "'b'" in cause[3]


def test_a_static_field_of_a_dataclass_has_its_name(jax: Any) -> None:
    """As in the training state of Flax, which holds the optimizer beside the arrays."""

    @functools.partial(jax.tree_util.register_dataclass, data_fields=["params"], meta_fields=["apply", "optimizer"])
    @dataclasses.dataclass
    class State:
        params: Any
        apply: Any
        optimizer: Any

    step = jax.jit(lambda state: state.params * 2)
    assert why(calling(step, *((State(ones(3), np.tanh, optimizer),) for optimizer in ("adam", "adam", "sgd")))) == [
        ("static_argument", "state.optimizer", "'adam'", "'sgd'", 1)
    ]


def test_what_is_no_field_is_told_as_the_static_part(jax: Any) -> None:
    @jax.tree_util.register_pytree_node_class
    class Tagged:
        def __init__(self, array: Any, tag: str) -> None:
            self.array, self.tag = array, tag

        def tree_flatten(self) -> Any:
            return (self.array,), self.tag

        @classmethod
        def tree_unflatten(cls, tag: str, children: Any) -> Any:
            return cls(*children, tag)

    step = jax.jit(lambda node: node.array * 2)
    assert why(calling(step, *((Tagged(ones(3), tag),) for tag in "aab"))) == [
        ("static_argument", "node (its static part)", "'a'", "'b'", 1)
    ]


def test_a_wrapper_that_filters_tracebacks_is_no_transformation(jax: Any) -> None:
    def apply(x: Any) -> Any:
        return x * 2

    from jax._src import traceback_util  # libraries use it, too

    with traceonce.watch() as seen:
        jax.jit(traceback_util.api_boundary(apply))(ones(3))
    assert only(seen).function.name.endswith("<locals>.apply")


def test_a_function_under_pmap_and_shard_map_has_its_own_name(jax: Any) -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    spec = jax.sharding.PartitionSpec("d")

    def body(x: Any) -> Any:
        return x * 2

    with traceonce.watch() as seen:
        for width in (3, 4):
            jax.pmap(body)(ones(1, width))
        jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec))(ones(1))
    found = {d.function.name.rpartition(".")[2]: causes(d) for d in diagnose(seen.recording)}
    assert found.pop("body [shard_map]") == []
    if version_of(jax) >= (0, 9):  # before, pmap does not go through jit
        assert found == {"body [pmap]": [("shape", "flat_args[0].shape[1]", "3", "4", 1)]}
