"""Inside and outside of a strategy's scope are two surroundings, each with a trace of its own."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=2, cause="context", path="strategy")

batch = tf.constant([1.0, 2.0])


def failure():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function
    def predict(batch):
        return batch * 2.0

    warm_up = predict(batch)
    with strategy.scope():
        served = predict(batch)
    return [warm_up, served]


def workaround_scope_for_variables_only():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        weight = tf.Variable(2.0)

    @tf.function
    def predict(batch):
        return batch * weight

    warm_up = predict(batch)
    served = predict(batch)
    return [warm_up, served]


def workaround_always_in_the_scope():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function
    def predict(batch):
        return batch * 2.0

    with strategy.scope():
        warm_up = predict(batch)
        served = predict(batch)
    return [warm_up, served]


def workaround_always_run():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function
    def predict(batch):
        return batch * 2.0

    warm_up = strategy.run(predict, args=(batch,))
    with strategy.scope():
        served = strategy.run(predict, args=(batch,))
    return [warm_up, served]


def dead_end_signature():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def predict(batch):
        return batch * 2.0

    warm_up = predict(batch)
    with strategy.scope():
        served = predict(batch)
    return [warm_up, served]


def dead_end_define_in_the_scope():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():

        @tf.function
        def predict(batch):
            return batch * 2.0

    warm_up = predict(batch)
    with strategy.scope():
        served = predict(batch)
    return [warm_up, served]


def dead_end_one_device():
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")

    @tf.function
    def predict(batch):
        return batch * 2.0

    warm_up = predict(batch)
    with strategy.scope():
        served = predict(batch)
    return [warm_up, served]


def message_evaluation_in_the_scope():
    class Evaluator:
        def __init__(self):
            self.strategy = tf.distribute.OneDeviceStrategy("CPU:0")

        @tf.function
        def accuracy(self, logits, labels):
            hits = tf.equal(tf.argmax(logits, axis=1), labels)
            return tf.reduce_mean(tf.cast(hits, tf.float32))

    evaluator = Evaluator()
    logits, labels = tf.ones([3, 2]), tf.zeros([3], tf.int64)
    with evaluator.strategy.scope():
        inside = evaluator.accuracy(logits, labels)
    return [inside, evaluator.accuracy(logits, labels)]


@tf.function
def normalize(images):
    return images / 255.0


def message_new_graph_each_time():
    for _ in range(6):
        with tf.Graph().as_default():
            normalize(tf.ones([2, 2]))


def message_alternating():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        weight = tf.Variable([1.0, 2.0])

    @tf.function
    def loss(features, labels):
        return tf.reduce_mean((features * weight - labels) ** 2)

    losses = []
    for _ in range(3):
        losses.append(loss(tf.ones([4, 2]), tf.zeros([4, 2])))
        with strategy.scope():
            losses.append(loss(tf.ones([4, 2]), tf.zeros([4, 2])))
    return losses
