"""A function that is wrapped again and again is wrapped once (`fix.hoisting`)."""

from __future__ import annotations

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Example, Recipe, Settled
from traceonce.fix.hoisting.proposal import propose

_IN_A_LOOP = Example(
    title="A function defined in a loop",
    program="""\
import tensorflow as tf

scale = tf.constant(2.0)

for epoch in range(4):
    # One step of the training.
    @tf.function
    def step(x):
        return tf.reduce_sum(x * scale)

    print(epoch, float(step(tf.ones([3]))))
""",
    function="step",
    traces_before=4,
    repaired="""\
import tensorflow as tf

scale = tf.constant(2.0)


# One step of the training.
@tf.function
def step(x):
    return tf.reduce_sum(x * scale)


for epoch in range(4):
    print(epoch, float(step(tf.ones([3]))))
""",
    traces_after=1,
)

_IN_AN_EXPRESSION = Example(
    title="A function wrapped at every call",
    program="""\
import tensorflow as tf


def normalise(x):
    return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)


def prepare(batch):
    return tf.function(normalise)(batch)


for size in (4.0, 5.0, 6.0):
    print(prepare(tf.constant([1.0, 2.0, size])).numpy().round(3))
""",
    function="normalise",
    traces_before=3,
    repaired="""\
import tensorflow as tf


def normalise(x):
    return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)


traced_normalise = tf.function(normalise)


def prepare(batch):
    return traced_normalise(batch)


for size in (4.0, 5.0, 6.0):
    print(prepare(tf.constant([1.0, 2.0, size])).numpy().round(3))
""",
    traces_after=1,
)

_IN_A_METHOD = Example(
    title="A function of `self`, created by a method",
    program="""\
import tensorflow as tf


class Trainer:
    def __init__(self):
        self.weight = tf.Variable(1.0)

    def fit(self, data):
        @tf.function
        def step(x):
            self.weight.assign_add(tf.reduce_mean(x))
            return self.weight

        for x in data:
            print(float(step(x)))


trainer = Trainer()
for epoch in range(3):
    trainer.fit([tf.ones([2]), tf.zeros([2])])
""",
    function="Trainer.fit.<locals>.step",
    traces_before=3,
    repaired="""\
import tensorflow as tf


class Trainer:
    def __init__(self):
        self.weight = tf.Variable(1.0)

    def fit(self, data):
        if not hasattr(self, "_traced_step"):

            @tf.function
            def step(x):
                self.weight.assign_add(tf.reduce_mean(x))
                return self.weight

            self._traced_step = step
        step = self._traced_step

        for x in data:
            print(float(step(x)))


trainer = Trainer()
for epoch in range(3):
    trainer.fit([tf.ones([2]), tf.zeros([2])])
""",
    traces_after=1,
)

_FACTORY = Example(
    title="A factory that creates a function per number",
    program="""\
import tensorflow as tf


def make_power(exponent):
    @tf.function
    def power(x):
        return x**exponent

    return power


for round in range(3):
    for exponent in (2, 3):
        print(float(make_power(exponent)(tf.constant(2.0))))
""",
    function="make_power.<locals>.power",
    traces_before=6,
    repaired="""\
import functools
import tensorflow as tf


@functools.lru_cache(maxsize=None, typed=True)
def make_power(exponent):
    @tf.function
    def power(x):
        return x**exponent

    return power


for round in range(3):
    for exponent in (2, 3):
        print(float(make_power(exponent)(tf.constant(2.0))))
""",
    traces_after=2,
)

RECIPE = Recipe(
    name="hoist",
    title="Create the function once",
    what="Moves the call to `tf.function` out of a loop, function or method.",
    why="Every `tf.function` has its own traces. A new one starts with none, even if its code is the same.",
    beware="A function created once keeps the outside values it read during its first trace. If it must see a "
    "value change, make that value an argument or a `tf.Variable`.",
    propose=propose,
    settled=Settled(frozenset({CauseCode.NEW_FUNCTION}), one_function=True),
    only_moves=True,
    examples=(_IN_A_LOOP, _IN_AN_EXPRESSION, _IN_A_METHOD, _FACTORY),
)
