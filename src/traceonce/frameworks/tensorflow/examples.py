"""For each cause that this framework can have, a small program that makes it happen."""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.causes.example import Example
from traceonce.facts import CauseCode

EXAMPLES: Mapping[CauseCode, Example] = {
    CauseCode.SHAPE: Example(
        """\
import tensorflow as tf

@tf.function
def total(x):
    return tf.reduce_sum(x)

for length in (2, 3, 4):
    total(tf.ones([length]))
""",
        "x.shape[0]",
        "retracing-shape",
    ),
    CauseCode.RANK: Example(
        """\
import tensorflow as tf

@tf.function
def total(x):
    return tf.reduce_sum(x)

total(tf.ones([4]))
total(tf.ones([4, 1]))
""",
        "x.shape",
        "retracing-rank",
    ),
    CauseCode.DTYPE: Example(
        """\
import tensorflow as tf

@tf.function
def double(x):
    return x + x

double(tf.constant([1.0, 2.0]))
double(tf.constant([1, 2]))
""",
        "x.dtype",
        "retracing-dtype",
    ),
    CauseCode.VALUE: Example(
        """\
import tensorflow as tf

@tf.function
def train_step(x, step):
    return x / (step + 1)

for step in range(4):
    train_step(tf.ones([2]), step)
""",
        "step",
        "retracing-python-number",
    ),
    CauseCode.KIND: Example(
        """\
import tensorflow as tf

@tf.function
def score(x, mask=None):
    return x if mask is None else x * mask

score(tf.ones([3]))
score(tf.ones([3]), tf.constant([1.0, 0.0, 1.0]))
""",
        "mask",
        "retracing-none",
    ),
    CauseCode.STRUCTURE: Example(
        """\
import tensorflow as tf

@tf.function
def add(images):
    return tf.add_n(images)

image = tf.ones([8, 8])
add([image])
add([image, image])
""",
        "len(images)",
        "retracing-structure",
    ),
    CauseCode.SPEC: Example(
        """\
import tensorflow as tf

@tf.function
def count(rows):
    return tf.size(rows.flat_values)

count(tf.ragged.constant([[1, 2], [3]]))
count(tf.ragged.constant([[1, 2], [3], [4]]))
""",
        "rows.shape[0]",
        "retracing-ragged-rows",
    ),
    CauseCode.IDENTITY: Example(
        """\
import tensorflow as tf

class Settings:
    rate = 0.1

@tf.function
def scale(x, settings):
    return x * settings.rate

first, second = Settings(), Settings()
scale(tf.ones([2]), first)
scale(tf.ones([2]), second)
""",
        "settings",
        "retracing-object-identity",
    ),
    CauseCode.COLLECTED: Example(
        """\
import tensorflow as tf

@tf.function
def apply(x, activation):
    return activation(x)

for _ in range(3):
    apply(tf.ones([2]), lambda x: x * 2)
""",
        "activation",
        "retracing-callable-argument",
    ),
    CauseCode.UNEQUAL: Example(
        """\
import tensorflow as tf

class Size:
    def __init__(self, size):
        self.size = size

    def __tf_tracing_type__(self, context):
        return SizeType(self.size)

class SizeType(tf.types.experimental.TraceType):  # its __eq__ compares identity
    def __init__(self, size):
        self.size = size

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context):
        return Size(self.size)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

@tf.function
def zeros(size):
    return tf.zeros([size.size])

size = Size(4)
zeros(size)
zeros(size)
""",
        "size",
        "retracing-unequal-type",
    ),
    CauseCode.ALIASING: Example(
        """\
import tensorflow as tf

@tf.function
def swap(a, b):
    a.assign(b)

v, w = tf.Variable(1.0), tf.Variable(2.0)
swap(v, w)
swap(v, v)
""",
        "b",
        "retracing-aliasing",
    ),
    CauseCode.NEW_FUNCTION: Example(
        """\
import tensorflow as tf

def double(x):
    return x * 2

for _ in range(3):
    tf.function(double)(tf.ones([2]))
""",
        "double",
        "retracing-new-function",
    ),
    CauseCode.NEW_INSTANCE: Example(
        """\
import tensorflow as tf

class Model:
    @tf.function
    def call(self, x):
        return x * 2

for _ in range(3):
    model = Model()
    model.call(tf.ones([2]))
""",
        "call",
        "retracing-new-instance",
    ),
    CauseCode.CAPTURED: Example(
        """\
import tensorflow as tf

for rows in (2, 3, 4):
    data = tf.ones([rows])

    @tf.function
    def total(x):
        return tf.reduce_sum(data) + x

    total(tf.constant(1.0))
""",
        "data",
        "retracing-new-function",
    ),
    CauseCode.VARIABLE_CREATION: Example(
        """\
import tensorflow as tf

class Counter:
    count = None

    @tf.function
    def add(self, x):
        if self.count is None:
            self.count = tf.Variable(0.0)
        return self.count.assign_add(x)

counter = Counter()
counter.add(tf.constant(1.0))
""",
        "scope",
    ),
    CauseCode.CONTEXT: Example(
        """\
import tensorflow as tf

@tf.function
def double(x):
    return x * 2

double(tf.ones([2]))
with tf.distribute.OneDeviceStrategy("cpu:0").scope():
    double(tf.ones([2]))
""",
        "strategy",
        "retracing-strategy",
    ),
    CauseCode.COMPILE: Example(
        """\
import tensorflow as tf

@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
def double(x):
    return x * 2

for length in (2, 3, 4):
    double(tf.ones([length]))
""",
        "x.shape[0]",
        "xla-recompiles-by-shape",
    ),
    CauseCode.BACKWARD: Example(
        """\
import tensorflow as tf

@tf.function
def square(x):
    return x * x

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = square(x)
tape.gradient(y, x)
""",
        "square",
    ),
    CauseCode.STALE: Example(
        """\
import tensorflow as tf

rate = 2.0

@tf.function
def scale(x):
    return x * rate

scale(tf.ones([2]))
rate = 5.0
scale(tf.ones([2]))  # still times 2
""",
        "rate",
        "stale-capture",
    ),
    CauseCode.SIDE_EFFECT: Example(
        """\
import tensorflow as tf

steps = 0

@tf.function
def train_step(x):
    global steps
    steps += 1
    return x * 2

for _ in range(3):
    train_step(tf.ones([2]))
print(steps)  # 1
""",
        "steps",
        "side-effects-run-once",
    ),
    CauseCode.CONFUSED: Example(
        """\
import tensorflow as tf

@tf.function
def half(x, by):
    return x // by if isinstance(by, int) else x / by

half(tf.constant(7.0), 2)
half(tf.constant(7.0), 2.0)  # 3.0, as for the int
""",
        "by",
        "confused-literals",
    ),
}
