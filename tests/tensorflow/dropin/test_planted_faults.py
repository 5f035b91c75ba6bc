"""The differential test can fail: a dispatch with a fault planted in it is caught within a few programs.

It is the fault that is caught: without it, the very program that showed it passes; and what showed it is another result
or an error of the graph that ran, never an error of the planted code.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import traceonce
from tests.tensorflow.dropin.differing import Program, differences
from tests.tensorflow.dropin.generated_programs import programs

DISPATCHING = "traceonce.frameworks.tensorflow.dropin"
OF_A_GRAPH = "tensorflow.python.framework.errors_impl."
Plant = Callable[[pytest.MonkeyPatch], None]


def module(name: str) -> Any:
    return importlib.import_module(f"{DISPATCHING}.{name}")


def modules() -> list[Any]:
    return [module(found.name) for found in pkgutil.iter_modules(importlib.import_module(DISPATCHING).__path__)]


def everywhere(plant: pytest.MonkeyPatch, name: str, fault: Any) -> None:
    """A function of the dispatch, wherever it is used."""
    users = [user for user in modules() if hasattr(user, name)]
    assert len(users) > 1, "nobody imports it any more"
    for user in users:
        plant.setattr(user, name, fault)


def ignore_tapes(plant: pytest.MonkeyPatch) -> None:
    everywhere(plant, "no_tape_is_active", lambda: True)


def ignore_shapes(plant: pytest.MonkeyPatch) -> None:
    in_every_key(plant, shape_of=lambda tensor: ())


def ignore_dtypes(plant: pytest.MonkeyPatch) -> None:
    in_every_key(plant, dtype_of=lambda tensor: 1)


def in_every_key(plant: pytest.MonkeyPatch, **names: Any) -> None:
    """What the code that makes keys means by a name."""
    writer = module("forms")._Writer
    original = writer.__init__
    likeness = module("likeness")
    known = writer(likeness.Likeness(likeness.Marks(lambda: None)), {}, tensors_only=False)._names_of
    assert names.keys() <= known.keys(), "the fault has no place any more"

    def faulty(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self._names_of.update(names)

    plant.setattr(writer, "__init__", faulty)


def ignore_literal_types(plant: pytest.MonkeyPatch) -> None:
    def confused(value: Any) -> type:
        return int if isinstance(value, (bool, float)) else type(value)

    for user in modules():
        if user is not module("exact"):  # TensorFlow's cache is asked only where no key is known
            plant.setattr(user, "type", confused, raising=False)


def ignore_aliases(plant: pytest.MonkeyPatch) -> None:
    plant.setattr(module("forms"), "_aliases", lambda *handles: ())


def ignore_what_temporaries_hold(plant: pytest.MonkeyPatch) -> None:
    in_every_key(plant, likeness_of=lambda value: 1)


def believe_that_graphs_are_alike(plant: pytest.MonkeyPatch) -> None:
    everywhere(plant, "folded_operations", lambda *graphs: set())


def believe_every_range(plant: pytest.MonkeyPatch) -> None:
    lift = module("forms").Lift

    def unlimited(numbers: Any, static: Any, concrete: Any, placeholder: Any, folded: Any) -> Any:
        return lift(placeholder.dtype.as_datatype_enum, 2.0**31 - 1)

    everywhere(plant, "safe_lift", unlimited)


def overlook_sizes_that_are_read(plant: pytest.MonkeyPatch) -> None:
    everywhere(plant, "watched", lambda: contextlib.nullcontext(module("reads").Reads()))


FAULTS: dict[str, tuple[Plant, str, int]] = {
    "tapes": (ignore_tapes, "taped", 20),
    "shapes": (ignore_shapes, "tensors", 40),
    "dtypes": (ignore_dtypes, "tensors", 40),
    "literal types": (ignore_literal_types, "numbers", 80),
    "aliases": (ignore_aliases, "variables", 40),
    "temporaries": (ignore_what_temporaries_hold, "temporaries", 20),
    "graphs": (believe_that_graphs_are_alike, "numbers", 80),
    "ranges": (believe_every_range, "ranges", 60),
    "sizes": (overlook_sizes_that_are_read, "tensors", 80),
}


def first_caught(tf: Any, family: str, examples: int) -> Program | None:
    """The first program of so many whose result, or whose graph's error, is another than `tf.function`'s."""
    caught: list[Program] = []

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(programs(family))
    def compare(program: Program) -> None:
        if not caught and any(
            found.ours.error is None or found.ours.error.startswith(OF_A_GRAPH)
            for found in differences(tf, program, traceonce.function)
        ):
            caught.append(program)

    compare()
    return caught[0] if caught else None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(tf: Any, fault: str) -> None:
    """A dispatch that leaves one thing out of its key, or does not prove what it must."""
    plant, family, examples = FAULTS[fault]
    with pytest.MonkeyPatch.context() as planted:
        plant(planted)
        program = first_caught(tf, family, examples)
    assert program is not None
    assert differences(tf, program, traceonce.function) == []
