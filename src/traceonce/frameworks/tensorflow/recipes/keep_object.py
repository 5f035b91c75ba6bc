"""What is made again for each call, and has traces of its own (a model, a sampler, an agent), is made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import KEPT, Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.hoisting.factory import CACHE, Made, find_made, keep_in_function
from traceonce.fix.hoisting.relocation import Movable, keep_on_instance
from traceonce.fix.recipes.library_report import site_of
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.fix.source.passed_arguments import find_call
from traceonce.frameworks.tensorflow.words import OBJECT_IS_SHARED
from traceonce.words.notes.declined import CALL_NOT_SEEN, MADE_NOWHERE_SEEN

_CAUSES = (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE)


def propose(case: Case) -> Iterator[Candidate]:
    """A library's function is made by an object of the program's; the user's own is a method of one, or is made in its
    constructor, or by a factory."""
    causes = tuple(code for code in _CAUSES if code in case.codes)
    if not causes or case.diagnosis.verdict.is_ignorable or case.diagnosis.function.name.endswith("]"):
        return
    place = f" before {site_of(case.diagnosis)}" if case.diagnosis.call_sites else " at each call"
    kept = f"@{CACHE}\ndef make_object(…):\n    return …  # what is made{place}, and set up there"
    for change in (_on_instance, _in_function):
        yield Candidate(
            "keep_object", "review", causes, _change(case, change), None, kept, (OBJECT_IS_SHARED(),), effects=KEPT
        )


def _change(case: Case, keep: Callable[[Edits, Made, cst.Call], None]) -> Callable[[Edits], None]:
    def change(edits: Edits) -> None:
        done: list[cst.Call] = []
        for module, call in uses_of(case, edits):
            made = find_made(module, receiver(module, call))
            if not any(made.node is other for other in done):
                done.append(made.node)
                keep(edits, made, call)

    return change


def _in_function(edits: Edits, made: Made, call: cst.Call) -> None:
    keep_in_function(edits, made, call)


def _on_instance(edits: Edits, made: Made, call: cst.Call) -> None:
    keep_on_instance(edits, Movable(made.module, made.node, made.name or "object"), "kept")


def uses_of(case: Case, edits: Edits) -> Iterator[tuple[Module, cst.Call]]:
    """The user's calls of methods of the object."""
    name = case.diagnosis.function.short_name
    if case.sites:
        for site in case.sites:
            yield edits.module(site.file), find_call(case, edits, site)
        return
    if not case.diagnosis.call_sites:
        raise Declined(CALL_NOT_SEEN(name=name))
    for seen in case.diagnosis.call_sites:
        module = edits.module(seen.file)
        here = [
            node
            for node in module.nodes(cst.Call)
            if module.line(node) <= seen.line <= module.place(node).end.line and _receiver_of(node) is not None
        ]
        if not here:
            raise Declined(MADE_NOWHERE_SEEN(code=f"{seen.file}:{seen.line}"))
        objects = [(node, made) for node in here if (made := _made(module, node)) is not None]
        # In ``model.predict(x).sum()`` it is not the result that is made and kept.
        found = [
            node
            for node, made in objects
            if not any(module.holds(made.node, other) and other is not made.node for other, _ in objects)
            and not any(made.node is other for other, _ in objects)
        ]
        if len(found) != 1:
            raise Declined(MADE_NOWHERE_SEEN(code=f"{seen.file}:{seen.line}"))
        yield module, found[0]


def _made(module: Module, call: cst.Call) -> Made | None:
    """What made the receiver, where that can be followed to a call."""
    try:
        return find_made(module, receiver(module, call))
    except Declined:
        return None


def _receiver_of(call: cst.Call) -> cst.BaseExpression | None:
    """`model` of ``model.predict(x)`` and of ``model(x)``."""
    return call.func.value if isinstance(call.func, cst.Attribute) else call.func


def receiver(module: Module, call: cst.Call) -> cst.BaseExpression:
    found = _receiver_of(call)
    if found is None:
        raise Declined(MADE_NOWHERE_SEEN(code=module.code(call)))
    return found


_MODEL = Example(
    title="A layer probe built for every picture",
    program="""\
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
inputs = tf.keras.Input((4,))
hidden = tf.keras.layers.Dense(3, name="hidden")(inputs)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))


def activations(model, name, rows):
    probe = tf.keras.Model(model.inputs, model.get_layer(name).output)
    return probe.predict(rows, verbose=0)


for number in range(4):
    print(activations(model, "hidden", np.full((2, 4), number / 10)).sum().round(4))
""",
    function="one_step_on_data_distributed",
    traces_before=4,
    repaired="""\
import functools
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
inputs = tf.keras.Input((4,))
hidden = tf.keras.layers.Dense(3, name="hidden")(inputs)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))


@functools.lru_cache(maxsize=None, typed=True)
def make_probe(model, name):
    return tf.keras.Model(model.inputs, model.get_layer(name).output)


def activations(model, name, rows):
    probe = make_probe(model, name)
    return probe.predict(rows, verbose=0)


for number in range(4):
    print(activations(model, "hidden", np.full((2, 4), number / 10)).sum().round(4))
""",
    traces_after=1,
)

_AGENT = Example(
    title="An agent created for every episode",
    program="""\
import tensorflow as tf


class Agent:
    def __init__(self, scale):
        self.scale = scale

    @tf.function
    def act(self, observation):
        return tf.reduce_sum(observation) * self.scale


for episode in range(4):
    agent = Agent(0.5)
    print(episode, float(agent.act(tf.fill([3], float(episode)))))
""",
    function="Agent.act",
    traces_before=4,
    repaired="""\
import functools
import tensorflow as tf


class Agent:
    def __init__(self, scale):
        self.scale = scale

    @tf.function
    def act(self, observation):
        return tf.reduce_sum(observation) * self.scale


@functools.lru_cache(maxsize=None, typed=True)
def make_agent():
    return Agent(0.5)


for episode in range(4):
    agent = make_agent()
    print(episode, float(agent.act(tf.fill([3], float(episode)))))
""",
    traces_after=1,
)

_SAMPLER = Example(
    title="A sampler that compiles in its constructor",
    program="""\
import tensorflow as tf


class Sampler:
    def __init__(self, rate):
        @tf.function
        def step(x):
            return x - rate * x

        self.step = step


x = tf.constant(8.0)
for chain in range(4):
    sampler = Sampler(0.25 * (1 + chain % 2))
    x = sampler.step(x)
    print(float(x))
""",
    function="Sampler.__init__.<locals>.step",
    traces_before=4,
    repaired="""\
import functools
import tensorflow as tf


class Sampler:
    def __init__(self, rate):
        @tf.function
        def step(x):
            return x - rate * x

        self.step = step


x = tf.constant(8.0)


@functools.lru_cache(maxsize=None, typed=True)
def make_sampler(argument_1):
    return Sampler(argument_1)


for chain in range(4):
    sampler = make_sampler(0.25 * (1 + chain % 2))
    x = sampler.step(x)
    print(float(x))
""",
    traces_after=2,
)

RECIPE = Recipe(
    name="keep_object",
    title="Keep the object",
    what="Creates an object (a model, a layer's probe, a sampler, an agent) once per set of arguments, in a "
    "cached function that also runs the setup that follows, such as `compile`.",
    why="A `tf.function` that belongs to an object has traces per object: a model that is rebuilt or reloaded "
    "retraces its steps.",
    beware="State that the object keeps between calls (weights, an optimizer, counters) is shared by all callers "
    "with equal arguments. The object stays in memory until the program ends.",
    propose=propose,
    examples=(_MODEL, _AGENT, _SAMPLER),
)
