"""A Python number is part of the signature: every new value is a new trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=5, cause="value", path="n")


@cases("in operations", "the count of tf.split", "a list index")
def failure(use):
    weights = [tf.constant(0.1 * layer) for layer in range(7)]

    @tf.function
    def step(x, n):
        if use == "the count of tf.split":
            return tf.split(x, n)[0]
        if use == "a list index":
            return x * weights[n]
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    return [step(tf.range(1.0, 13.0), n) for n in (1, 2, 3, 4, 6)]


@cases("in operations")
def workaround_tensor(use):
    @tf.function
    def step(x, n):
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    return [step(tf.range(1.0, 13.0), tf.constant(n)) for n in (1, 2, 3, 4, 6)]


@cases("in operations")
def workaround_signature(use):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def step(x, n):
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    return [step(tf.range(1.0, 13.0), n) for n in (1, 2, 3, 4, 6)]


@cases("in operations")
def workaround_variable(use):
    n = tf.Variable(0)

    @tf.function
    def step(x):
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    outputs = []
    for number in (1, 2, 3, 4, 6):
        n.assign(number)
        outputs.append(step(tf.range(1.0, 13.0)))
    return outputs


@cases("a list index")
def workaround_gather(use):
    weights = [tf.constant(0.1 * layer) for layer in range(7)]

    @tf.function
    def step(x, n):
        return x * tf.gather(tf.stack(weights), n)

    return [step(tf.range(1.0, 13.0), tf.constant(n)) for n in (1, 2, 3, 4, 6)]


@cases("the count of tf.split")
def workaround_slice(use):
    @tf.function
    def step(x, n):
        return x[: tf.size(x) // n]  # the first of n parts

    return [step(tf.range(1.0, 13.0), tf.constant(n)) for n in (1, 2, 3, 4, 6)]


@cases("the count of tf.split")
def dead_end_tensor_for_split(use):
    @tf.function
    def step(x, n):
        return tf.split(x, n)[0]

    return [step(tf.range(1.0, 13.0), tf.constant(n)) for n in (1, 2, 3, 4, 6)]


@cases("a list index")
def dead_end_tensor_as_list_index(use):
    weights = [tf.constant(0.1 * layer) for layer in range(7)]

    @tf.function
    def step(x, n):
        return x * weights[n]

    return [step(tf.range(1.0, 13.0), tf.constant(n)) for n in (1, 2, 3, 4, 6)]


@cases("in operations")
def dead_end_relax(use):
    @tf.function(reduce_retracing=True)
    def step(x, n):
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    return [step(tf.range(1.0, 13.0), n) for n in (1, 2, 3, 4, 6)]


@cases("in operations")
def dead_end_constant_inside(use):
    @tf.function
    def step(x, n):
        n = tf.constant(n)
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    return [step(tf.range(1.0, 13.0), n) for n in (1, 2, 3, 4, 6)]


@cases("in operations")
def dead_end_type_hints(use):
    @tf.function(experimental_follow_type_hints=True)
    def step(x: tf.Tensor, n: tf.Tensor):
        rows = tf.reshape(x, [n, -1])
        axes = tf.reshape(x, [1, 1, 3, 1, 2, 1, 2])
        depths = tf.one_hot([0, 2, 5], n)
        return x * tf.cast(n, x.dtype), x[:n], tf.reduce_max(rows, axis=1), tf.reduce_sum(axes, axis=n), depths

    return [step(tf.range(1.0, 13.0), n) for n in (1, 2, 3, 4, 6)]


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
