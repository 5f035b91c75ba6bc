"""Every cause in the arguments of a jitted function, made to happen in real JAX: its code, place, was and now."""

from __future__ import annotations

import dataclasses
import enum
import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import traceonce
from tests.jax.calls import calling, ones
from tests.jax.jitted import causes, line_of, only, why
from traceonce.causes.cause_text import say_what
from traceonce.causes.definition import Happened

PRINTS_THE_SAME = "it prints the same but is a different object"


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


class Optimizer(NamedTuple):
    init: Any
    update: Any


@dataclasses.dataclass(frozen=True)
class Layer:
    width: int
    activation: Any


def test_static_functions_inside_of_what_compares_its_contents(jax: Any) -> None:
    """A named tuple of closures has an `__eq__`: what is never equal are the functions in it, and they are named."""

    def make(width: int) -> tuple[Optimizer, Layer]:
        return Optimizer(len, lambda x: 2 * x), Layer(width, lambda x: x * x)

    step = jax.jit(lambda x, o, layer: layer.activation(o.update(x)) * layer.width, static_argnames=("o", "layer"))
    with traceonce.watch() as seen:
        for width in (4, 4, 5):
            optimizer, layer = make(width)
            step(ones(3), o=optimizer, layer=layer)
    found = {cause.path: cause for cause in only(seen).causes}
    assert {path: cause.count for path, cause in found.items()} == {
        "o.update": 2,
        "layer.activation": 2,
        "layer.width": 1,
    }
    (said,) = {say_what(Happened(found[path], "jax"), "en") for path in ("o.update", "layer.activation")}
    assert said == "static, and a new function object, which equals no other"


def test_equal_contents_without_functions_are_one_trace(jax: Any) -> None:
    step = jax.jit(lambda x, o: x * o.init, static_argnames="o")
    with traceonce.watch() as seen:
        for rate in (2, 2, 3):
            step(ones(3), o=Optimizer(rate, None))
    assert causes(only(seen)) == [("static_argument", "o.init", "2", "3", 1)]


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
