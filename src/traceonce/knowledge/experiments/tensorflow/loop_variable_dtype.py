"""A variable of a loop on tensors must keep its dtype from one iteration to the next."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"has dtype \w+ before the loop, but dtype \w+ after one iteration")

STEPS = [0, 3]


def failure():
    @tf.function
    def halved_rate(steps):
        rate = 1
        for _ in tf.range(steps):
            rate = rate / 2
        return rate

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def right():
    return [0.5**steps for steps in STEPS]


def workaround_float_literal():
    @tf.function
    def halved_rate(steps):
        rate = 1.0
        for _ in tf.range(steps):
            rate = rate / 2
        return rate

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def workaround_cast_before():
    @tf.function
    def halved_rate(steps, rate):
        rate = tf.cast(rate, tf.float32)
        for _ in tf.range(steps):
            rate = rate / 2
        return rate

    return [halved_rate(tf.constant(steps), tf.constant(1)) for steps in STEPS]


def workaround_no_loop():
    @tf.function
    def halved_rate(steps):
        return 0.5 ** tf.cast(steps, tf.float32)

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def dead_end_cast_after():
    @tf.function
    def halved_rate(steps):
        rate = 1
        for _ in tf.range(steps):
            rate = rate / 2
        return tf.cast(rate, tf.float32)

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def dead_end_cast_in_the_body():
    @tf.function
    def halved_rate(steps):
        rate = 1
        for _ in tf.range(steps):
            rate = tf.cast(rate, tf.float32) / 2.0
        return rate

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def dead_end_whole_numbers():
    @tf.function
    def halved_rate(steps):
        rate = 1
        for _ in tf.range(steps):
            rate = rate // 2
        return rate

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def dead_end_while_loop():
    @tf.function
    def halved_rate(steps):
        _, rate = tf.while_loop(
            lambda step, rate: step < steps,
            lambda step, rate: (step + 1, rate / 2),
            (0, 1),
        )
        return rate

    return [halved_rate(tf.constant(steps)) for steps in STEPS]


def message_latest_loss():
    @tf.function
    def last_loss(losses):
        latest = 0
        for loss in losses:
            latest = loss
        return latest

    return last_loss(tf.constant([0.3, 0.2]))


def message_counter_of_another_width():
    class Counter(tf.Module):
        @tf.function
        def count(self, limit):
            index = 0
            while tf.cast(index, tf.int64) < limit:
                index = tf.cast(index, tf.int64) + 1
            return index

    return Counter().count(tf.constant(4, tf.int64))


def message_dataset():
    @tf.function
    def evaluate(dataset):
        found = False
        for batch in dataset:
            found = tf.reduce_max(batch)
        return found

    return evaluate(tf.data.Dataset.from_tensor_slices(tf.ones([3, 2])))


def message_while_loop():
    @tf.function
    def accumulate(values):
        return tf.while_loop(
            lambda index, total: index < 3,
            lambda index, total: (index + 1, tf.cast(total, tf.float32) + values[index]),
            (0, 0),
        )

    return accumulate(tf.constant([1.0, 2.0, 3.0]))
