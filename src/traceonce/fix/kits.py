"""Recipes by the names of their modules, and what is known of them whatever their framework."""

from __future__ import annotations

import importlib

from traceonce.fix.candidate import Recipe
from traceonce.frameworks.base.descriptor import Kit
from traceonce.frameworks.base.registry import framework_of

# What calls beyond the run can show to be right: another number, another shape. They cannot for the other recipes.
SHOWN_BY_PROBES = frozenset(
    {"input_signature", "reduce_retracing", "dynamic_shape", "tensor_argument", "array_argument"}
)
MOVING = frozenset({"hoist", "stable_home"})  # what is moved does what it did


def kit_of(backend: str) -> Kit | None:
    """The recipes of a framework; None where it has none."""
    return framework_of(backend).kit


def load_recipe(module: str) -> Recipe:
    """The recipe that is defined in a module."""
    recipe = importlib.import_module(module).RECIPE
    assert isinstance(recipe, Recipe)
    return recipe


def recipe_name(module: str) -> str:
    return module.rpartition(".")[2]
