"""How each framework goes from a call to a trace: one picture for each, all of one shape."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from generators.svg import BLUE, FAINT, GREEN, GREY, RED, Drawing

WIDTH, HEIGHT = 860, 300


class Road(NamedTuple):
    """What a call meets, in the words of its framework."""

    title: str
    call: str
    key: tuple[str, ...]  # what is compared, as lines
    question: str
    hit: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]  # of a miss
    beyond: str  # what the framework does that others do not


ROADS = {
    "tensorflow": Road(
        "How tf.function traces",
        "train_step(batch, 3)",
        ("signature", "dtype, shape, structure,", "Python values, objects"),
        "does a kept trace admit it?",
        ("run its graph", "no Python runs"),
        (
            ("run the Python body", "with symbolic tensors"),
            ("graph", "control flow by AutoGraph"),
            ("keep it", "for this signature"),
        ),
        "Every Python number is part of the signature: step 3 and step 4 are two traces.",
    ),
    "jax": Road(
        "How jax.jit traces",
        "step(params, batch)",
        ("signature", "dtype, shape, weak type,", "tree, static arguments"),
        "seen exactly so before?",
        ("run its program", "no Python runs"),
        (
            ("run the Python body", "with tracers"),
            ("jaxpr", "lowered to StableHLO"),
            ("XLA compiles", "and the program is kept"),
        ),
        "JAX never leaves a size open: sixteen lengths are sixteen compilations.",
    ),
    "torch": Road(
        "How torch.compile compiles",
        "model(batch)",
        ("guards", "shapes, strides, values,", "globals, module attributes"),
        "do all guards of a kept graph hold?",
        ("run its code", "no Python body runs"),
        (
            ("dynamo reads the", "bytecode of the body"),
            ("graph + guards", "sizes open at the 2nd"),
            ("backend compiles", "at most 8 per function"),
        ),
        "After 8 compilations PyTorch runs the function as plain Python, and says so once.",
    ),
}  # fmt: skip


def draw(name: str) -> str:
    """The picture of one framework."""
    road = ROADS[name]
    drawing = Drawing(
        WIDTH, HEIGHT, f"{road.title}: a call is compared with what is kept; a hit runs it, a miss traces"
    )
    drawing.text(20, 30, road.title, size=16, bold=True)
    drawing.box(20, 60, 190, 54, (road.call, "a call"), GREY)
    drawing.arrow([(210, 87), (250, 87)])
    drawing.box(252, 52, 200, 70, road.key, BLUE)
    drawing.arrow([(452, 87), (640, 87)], "hit: microseconds")
    drawing.box(642, 60, 198, 54, road.hit, GREEN)
    drawing.text(352, 142, road.question, size=12, ink=FAINT, anchor="middle")
    drawing.arrow([(352, 150), (352, 178)])
    drawing.text(362, 168, "miss: milliseconds to minutes", size=12, ink=RED)
    places = (252, 460, 668)
    for place, step in zip(places, road.steps, strict=True):
        drawing.box(place, 182, 172, 54, step, RED)
    for left, right in itertools.pairwise(places):
        drawing.arrow([(left + 172, 209), (right - 2, 209)])
    drawing.arrow([(754, 182), (754, 118)])
    drawing.text(20, 276, road.beyond, size=13, ink=FAINT)
    return drawing.render()
