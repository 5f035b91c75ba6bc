"""Which arguments are one and the same variable is part of the signature: each such pattern is a trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="aliasing", path="third")


def variables():
    """Three checkpoints of one weight, and every way to pick from them that differs in who is who."""
    a, b, c = (tf.Variable([value, 1.0]) for value in (1.0, 2.0, 4.0))
    return [(a, a, a), (a, a, b), (a, b, a), (a, b, b), (a, b, c)]


def failure():
    @tf.function
    def average(first, second, third):
        return (first + second + third) / 3.0

    return [average(first, second, third) for first, second, third in variables()]


def workaround_pass_the_values():
    @tf.function
    def average(first, second, third):
        return (first + second + third) / 3.0

    return [average(*(variable.read_value() for variable in picked)) for picked in variables()]


def workaround_signature_of_tensors():
    weight = tf.TensorSpec([2], tf.float32)

    @tf.function(input_signature=[weight, weight, weight])
    def average(first, second, third):  # gets the values that the variables have at the call
        return (first + second + third) / 3.0

    return [average(first, second, third) for first, second, third in variables()]


def workaround_pick_by_number():
    checkpoints = [tf.Variable([value, 1.0]) for value in (1.0, 2.0, 4.0)]

    @tf.function
    def average(picked):
        return tf.reduce_mean(tf.gather(tf.stack(checkpoints), picked), axis=0)

    picks = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    return [average(tf.constant(picked)) for picked in picks]


def dead_end_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def average(first, second, third):
        return (first + second + third) / 3.0

    return [average(first, second, third) for first, second, third in variables()]


def dead_end_one_list():
    @tf.function
    def average(weights):
        return tf.add_n([tf.identity(weight) for weight in weights]) / 3.0

    return [average(list(picked)) for picked in variables()]


def dead_end_identity_inside():
    @tf.function
    def average(first, second, third):
        first, second, third = tf.identity(first), tf.identity(second), tf.identity(third)
        return (first + second + third) / 3.0

    return [average(first, second, third) for first, second, third in variables()]


@tf.function
def soft_update(online, target):
    target.assign(0.9 * target + 0.1 * online)
    return target.read_value()


def message_target_network():
    online, target = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    return [soft_update(online, target), soft_update(online, online)]


def message_tied_embeddings():
    class Model:
        @tf.function
        def logits(self, tokens, embedding, output):
            return tf.matmul(tf.gather(embedding, tokens), output, transpose_b=True)

    model = Model()
    tied, own = tf.Variable(tf.ones([4, 2])), tf.Variable(tf.ones([4, 2]))
    return [model.logits(tf.constant([1, 2]), tied, output) for output in (own, tied, own, tied)]


def message_variables_in_a_dictionary():
    @tf.function
    def penalty(params):
        return tf.reduce_sum(params["encoder"] * params["decoder"])

    w, v = tf.Variable([1.0]), tf.Variable([2.0])
    return [penalty({"encoder": w, "decoder": v}), penalty({"encoder": w, "decoder": w})]
