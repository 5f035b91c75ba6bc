"""The plain attributes of an object among the arguments: seen, written down, and no part of what a tracer keys on."""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import Any

import pytest

import traceonce
from traceonce.facts import Leaf
from traceonce.frameworks.base.literals import plain_contents


class Config:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("__weakref__", "depth", "unset")

    def __init__(self) -> None:
        self.depth = 3


@dataclasses.dataclass(frozen=True)
class Frozen:
    rate: float = 0.5
    name: str = "adam"


class Color(enum.Enum):
    RED = 1


def contents_seen(tf: Any, *arguments: Any) -> list[str | None]:
    step = tf.function(lambda config, x: x + 1)
    with traceonce.watch() as seen:
        for argument in arguments:
            step(argument, tf.constant(1.0))
    return [event.signature.leaves[0].contents for event in seen.recording.events]


def test_equal_configurations_are_recognised(tf: Any) -> None:
    kept = [Config(lr=0.1, depth=3), Config(depth=3, lr=0.1), Frozen(), Slotted()]
    assert contents_seen(tf, *kept) == ["depth=3, lr=0.1", "depth=3, lr=0.1", "name='adam', rate=0.5", "depth=3"]


def test_exact_types_are_told_apart() -> None:
    texts = [plain_contents(Config(k=value)) for value in (1, True, 1.0, "1", b"1", None, (1, (True, 1.0)))]
    assert texts == ["k=1", "k=True", "k=1.0", "k='1'", "k=b'1'", "k=None", "k=(1, (True, 1.0))"]


def test_a_long_text_is_bounded_and_still_tells_contents_apart() -> None:
    a, b = (plain_contents(Config(name="x" * 500 + end)) for end in "ab")
    assert a is not None
    assert b is not None
    assert len(a) < 200
    assert a != b


def test_what_has_no_plain_contents(tf: Any) -> None:
    """Tensors, variables and other objects inside; lists, which can change; and functions, methods and partials."""

    class Text(str):
        pass

    for value in (tf.constant(1.0), tf.Variable(1.0), [1], {}, Config(), Text("a"), tf.float32):
        assert plain_contents(Config(k=value)) is None
    config = Config(k=1)
    functions = [lambda x: x, config.__init__, functools.partial(print, 2), print, Config, Color.RED]  # type: ignore[misc]
    assert contents_seen(tf, *functions[:3]) == [None] * 3
    assert contents_seen(tf, config, tf.Module()) == ["k=1", None]


def test_a_class_on_top_of_one_written_in_c_may_hold_more() -> None:
    class Bag(set[int]):
        pass

    class Call(functools.partial):  # type: ignore[type-arg]
        pass

    assert plain_contents(Bag([1])) is None
    assert plain_contents(Call(print, 2)) is None


def test_a_property_is_not_run() -> None:
    class Lazy:
        def __init__(self) -> None:
            self.k = 1

        @property
        def slow(self) -> int:
            raise AssertionError

    assert plain_contents(Lazy()) == "k=1"


@pytest.mark.parametrize("contents", ["k=1", "k=2", None])
def test_contents_take_no_part_in_the_lattice(contents: str | None) -> None:
    one = Leaf("config", "object", type_name="Config", identity=1, contents="k=1")
    same, other = (Leaf("config", "object", type_name="Config", identity=n, contents=contents) for n in (1, 2))
    assert one.admits(same)
    assert one.join(same) == one
    assert not one.admits(other)
    assert one.join(other) is None
    assert [difference.aspect for difference in one.differences(other)] == ["identity"]
