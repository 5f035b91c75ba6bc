"""A tf.function may create variables in its first call only."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="ValueError", text=r"tf\.function only supports singleton tf\.Variables")


def failure():
    @tf.function
    def count_up(amount):
        total = tf.Variable(0.0)
        return total.assign_add(amount)

    return [count_up(tf.constant(1.5)) for _ in range(3)]


def right():
    total = 0.0
    totals = []
    for _ in range(3):
        total += 1.5
        totals.append(total)
    return totals


def workaround_create_it_before():
    total = tf.Variable(0.0)

    @tf.function
    def count_up(amount):
        return total.assign_add(amount)

    return [count_up(tf.constant(1.5)) for _ in range(3)]


def workaround_create_it_once():
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.total = None

        @tf.function
        def count_up(self, amount):
            if self.total is None:
                self.total = tf.Variable(0.0)
            return self.total.assign_add(amount)

    counter = Counter()
    return [counter.count_up(tf.constant(1.5)) for _ in range(3)]


def workaround_argument():
    @tf.function
    def count_up(total, amount):
        return total.assign_add(amount)

    total = tf.Variable(0.0)
    return [count_up(total, tf.constant(1.5)).numpy() for _ in range(3)]


def dead_end_keep_a_reference():
    created = {}

    @tf.function
    def count_up(amount):
        created["total"] = tf.Variable(0.0)
        return created["total"].assign_add(amount)

    return [count_up(tf.constant(1.5)) for _ in range(3)]


def dead_end_not_trainable():
    @tf.function
    def count_up(amount):
        total = tf.Variable(0.0, trainable=False)
        return total.assign_add(amount)

    return [count_up(tf.constant(1.5)) for _ in range(3)]


def dead_end_init_scope():
    @tf.function
    def count_up(amount):
        with tf.init_scope():
            total = tf.Variable(0.0)
        return total.assign_add(amount)

    return [count_up(tf.constant(1.5)) for _ in range(3)]


def dead_end_eager():
    tf.config.run_functions_eagerly(True)

    @tf.function
    def count_up(amount):
        total = tf.Variable(0.0)
        return total.assign_add(amount)

    return [count_up(tf.constant(1.5)) for _ in range(3)]


def message_layer_made_in_the_function():
    @tf.function
    def embed(tokens):
        return tf.keras.layers.Embedding(10, 4)(tokens)

    embed(tf.constant([1, 2]))


def message_optimizer_made_in_the_function():
    weights = tf.Variable([1.0, 2.0])

    @tf.function
    def train_step(gradient):
        optimizer = tf.keras.optimizers.Adam()
        optimizer.apply_gradients([(gradient, weights)])
        return weights

    train_step(tf.constant([0.1, 0.2]))


def message_list_that_grows():
    class Memory(tf.Module):
        def __init__(self):
            super().__init__()
            self.slots = []

        @tf.function
        def write(self, value):
            self.slots.append(tf.Variable(value))
            return tf.add_n(self.slots)

    memory = Memory()
    memory.write(tf.constant(1.0))


def message_on_a_retrace():
    class Linear(tf.Module):
        @tf.function
        def __call__(self, features):
            if not hasattr(self, "kernel") or self.kernel.shape[0] != features.shape[1]:
                self.kernel = tf.Variable(tf.ones([features.shape[1], 2]))
            return features @ self.kernel

    linear = Linear()
    linear(tf.ones([1, 3]))
    linear(tf.ones([1, 5]))
