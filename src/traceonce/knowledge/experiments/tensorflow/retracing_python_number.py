"""A Python number is part of the signature: every new value is a new trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=5, cause="value", path="n")

NUMBERS = (1, 2, 3, 4, 6)
X = tf.range(1.0, 13.0)
WEIGHTS = [tf.constant(0.1 * layer) for layer in range(7)]
USES = {
    "a factor": lambda x, n: x * tf.cast(n, x.dtype),
    "a slice": lambda x, n: tf.reduce_sum(x[:n]),
    "a depth of tf.one_hot": lambda x, n: tf.reduce_sum(tf.one_hot([0, 2, 5], n)),
    "a new shape": lambda x, n: tf.reduce_max(tf.reshape(x, [n, -1]), axis=1),
    "an axis": lambda x, n: tf.reduce_sum(tf.reshape(x, [1, 1, 3, 1, 2, 1, 2]), axis=n),
    "the count of tf.split": lambda x, n: tf.split(x, n)[0],
    "a list index": lambda x, n: x * WEIGHTS[n],
}


@cases(
    "a factor",
    "a slice",
    "a depth of tf.one_hot",
    "a new shape",
    "an axis",
    "the count of tf.split",
    "a list index",
)
def failure(use):
    @tf.function
    def step(x, n):
        return USES[use](x, n)  # x * tf.cast(n, x.dtype), x[:n], tf.one_hot(ids, n), …

    return [step(X, n) for n in NUMBERS]


@cases(
    "a factor",
    "a slice",
    "a depth of tf.one_hot",
    "a new shape",
    "an axis",
    "the count of tf.split",
    "a list index",
)
def workaround_tensor(use):
    @tf.function
    def step(x, n):
        return USES[use](x, n)  # x * tf.cast(n, x.dtype), x[:n], tf.one_hot(ids, n), …

    return [step(X, tf.constant(n)) for n in NUMBERS]


@cases(
    "a factor",
    "a slice",
    "a depth of tf.one_hot",
    "a new shape",
    "an axis",
    "the count of tf.split",
    "a list index",
)
def workaround_signature(use):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def step(x, n):
        return USES[use](x, n)  # x * tf.cast(n, x.dtype), x[:n], tf.one_hot(ids, n), …

    return [step(X, n) for n in NUMBERS]


@cases(
    "a factor",
    "a slice",
    "a depth of tf.one_hot",
    "a new shape",
    "an axis",
    "the count of tf.split",
    "a list index",
)
def workaround_variable(use):
    n = tf.Variable(0)

    @tf.function
    def step(x):
        return USES[use](x, n)  # x * tf.cast(n, x.dtype), x[:n], tf.one_hot(ids, n), …

    outputs = []
    for number in NUMBERS:
        n.assign(number)
        outputs.append(step(X))
    return outputs


@cases("a list index")
def workaround_gather(use):
    @tf.function
    def step(x, n):
        return x * tf.gather(tf.stack(WEIGHTS), n)

    return [step(X, tf.constant(n)) for n in NUMBERS]


@cases("the count of tf.split")
def workaround_slice(use):
    @tf.function
    def step(x, n):
        return x[: tf.size(x) // n]  # the first of n parts

    return [step(X, tf.constant(n)) for n in NUMBERS]


@cases(
    "a factor",
    "a slice",
    "a depth of tf.one_hot",
    "a new shape",
    "an axis",
    "the count of tf.split",
    "a list index",
)
def dead_end_relax(use):
    @tf.function(reduce_retracing=True)
    def step(x, n):
        return USES[use](x, n)  # x * tf.cast(n, x.dtype), x[:n], tf.one_hot(ids, n), …

    return [step(X, n) for n in NUMBERS]


@cases("a factor", "a slice", "a depth of tf.one_hot", "a new shape", "an axis")
def dead_end_constant_inside(use):
    @tf.function
    def step(x, n):
        return USES[use](x, tf.constant(n))  # x * tf.cast(n, x.dtype), x[:n], …

    return [step(X, n) for n in NUMBERS]


@cases("a factor", "a slice", "a depth of tf.one_hot", "a new shape", "an axis")
def dead_end_type_hints(use):
    @tf.function(experimental_follow_type_hints=True)
    def step(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
        return USES[use](x, n)  # x * tf.cast(n, x.dtype), x[:n], tf.one_hot(ids, n), …

    return [step(X, n) for n in NUMBERS]


def message_learning_rate():
    @tf.function
    def train_step(gradient, learning_rate):
        return -learning_rate * gradient

    return [train_step(tf.ones([3]), 0.1 * 0.5**epoch) for epoch in range(6)]


def message_keyword_of_a_method():
    class Trainer:
        @tf.function
        def update(self, batch, *, step=0):
            return tf.reduce_mean(batch) * float(step)

    trainer = Trainer()
    return [trainer.update(tf.ones([2, 2]), step=step) for step in range(5)]


def message_in_a_tuple():
    @tf.function
    def crop(image, size):
        return image[: size[0], : size[1]]

    return [crop(tf.ones([9, 9]), (height, 5)) for height in (3, 8, 4, 6, 7)]
