"""Which recipes there are for which framework, in the order in which they are tried.

A recipe is a module below `recipes`, named by its path there (``jax.hoist``); its own name is the last part of it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Recipe


@dataclass(frozen=True)
class Kit:
    """The repairs of one framework; `advice` is never written.

    `of_arguments` treat the arguments themselves; each of `of_objects` treats the function, or the objects given to it,
    for these causes, and goes together with one of the former. `along` are recipes that only come with another one.
    `of_failures` let a program run that fails while it is traced. `of_libraries`: what a library wrote, and the program
    itself wraps (``torch.compile(nn.Sequential(…))``), can be changed where it is wrapped and called.
    `replayed`: its cache is known so well that traces can be counted by replaying signatures; else they are as many as
    were seen.
    """

    recipes: tuple[str, ...]
    advice: tuple[str, ...]
    of_arguments: tuple[str, ...] = ()
    of_objects: Mapping[str, frozenset[CauseCode]] = field(default_factory=dict)
    along: tuple[str, ...] = ()
    of_failures: tuple[str, ...] = ()
    of_libraries: bool = False
    replayed: bool = True


KITS: Mapping[str, Kit] = {
    "tensorflow": Kit(
        recipes=(
            "hoist",
            "input_signature",
            "tensor_argument",
            "cast",
            "reduce_retracing",
            "stable_home",
            "tracing_type",
            "state",
        ),
        advice=(
            "leave_it",
            "library_report",
            "pad_or_bucket",
            "drop_remainder",
            "uniform_structure",
            "reuse_instance",
            "split_static_argument",
            "remove_function",
        ),
        of_arguments=("input_signature", "tensor_argument", "cast", "reduce_retracing"),
        of_objects={
            "hoist": frozenset({CauseCode.NEW_FUNCTION}),
            "stable_home": frozenset({CauseCode.IDENTITY, CauseCode.COLLECTED}),
            "tracing_type": frozenset({CauseCode.IDENTITY, CauseCode.COLLECTED}),
        },
        along=("dynamic_shape",),
    ),
    "jax": Kit(
        recipes=(
            "jax.hoist",
            "jax.array_argument",
            "jax.static_equality",
            "jax.typed_argument",
            "jax.state",
            "jax.static_argument",
        ),
        advice=("leave_it", "library_report", "jax.pad_to_bucket", "jax.device_put"),
        of_arguments=("jax.array_argument", "jax.static_equality", "jax.typed_argument"),
        of_objects={"jax.hoist": frozenset({CauseCode.NEW_FUNCTION})},
        of_failures=("jax.static_argument",),
    ),
    "torch": Kit(
        recipes=(
            "torch.hoist",
            "torch.mark_dynamic",
            "torch.allow_unspec_int",
            "torch.dynamic",
            "torch.dynamic_sources",
            "torch.step_counter_buffer",
            "torch.tensor_argument",
            "torch.contiguous",
        ),
        advice=(
            "leave_it",
            "library_report",
            "torch.list_length",
            "torch.size_one",
            "torch.static_value",
            "torch.graph_breaks",
        ),
        of_libraries=True,
        replayed=False,
    ),
}
# What calls beyond the run can show to be right: another number, another shape. They cannot for the other recipes.
SHOWN_BY_PROBES = frozenset(
    {"input_signature", "reduce_retracing", "dynamic_shape", "tensor_argument", "array_argument"}
)
MOVING = frozenset({"hoist", "stable_home"})  # what is moved does what it did


def load_recipe(path: str) -> Recipe:
    """The recipe at a path below `recipes`."""
    recipe = importlib.import_module(f"traceonce.fix.recipes.{path}").RECIPE
    assert isinstance(recipe, Recipe)
    return recipe


def recipe_name(path: str) -> str:
    return path.rpartition(".")[2]
