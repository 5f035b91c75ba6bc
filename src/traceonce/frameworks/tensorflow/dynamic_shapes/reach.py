"""How far a change of the sizes that are read goes, and which shapes are open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from traceonce.facts.signature import Shape

# Tensors among the arguments, by path, with a dimension that is open; None where nothing is known of the shape.
OpenShapes: TypeAlias = Mapping[str, Shape | None]


class Reach(NamedTuple):
    """How far the change goes.

    `everywhere`: to every size of what the body computes, not only along the dimensions that the arguments leave open.
    `cast_everywhere`: a cast in every sum and product, not only at a division or with a float literal beside the size.
    `last`: in a function that it calls, whose arguments nobody has seen, also to the last size of a shape. Mostly that
    is a width, which has to stay known.
    """

    everywhere: bool = False
    cast_everywhere: bool = False
    last: bool = False
