"""TensorFlow counts traces and warns; it does not say which argument is new, and its advice fits one cause of three."""

import tensorflow as tf

import traceonce
from traceonce.knowledge.experiment import Logs, cases

symptom = Logs(text=r"\d+ out of the last \d+ calls to .* triggered tf\.function retracing")

BATCHES = {
    "lengths": [tf.ones([length]) for length in (3, 7, 5, 12, 9, 4, 8, 6)],
    "numbers": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0],
    "lists": [[1.0] * length for length in (3, 7, 5, 12, 9, 4, 8, 6)],
    "a function made in the loop": [tf.ones([4])] * 8,
}


def compute_loss(batch):
    return 2.0 * tf.add_n([tf.reduce_sum(part) for part in tf.nest.flatten(batch)])


@cases("lengths", "numbers", "lists", "a function made in the loop")
def failure(situation):
    train_step = tf.function(compute_loss)
    losses = []
    for batch in BATCHES[situation]:
        if situation == "a function made in the loop":
            train_step = tf.function(compute_loss)
        losses.append(train_step(batch))
    return losses


@cases("lengths", "numbers", "lists")
def workaround_signature(varies):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def train_step(batch):
        return 2.0 * tf.reduce_sum(batch)

    return [train_step(batch) for batch in BATCHES[varies]]


@cases("lengths", "numbers", "lists")
def workaround_tensors(varies):
    @tf.function(reduce_retracing=True)
    def train_step(batch):
        return 2.0 * tf.reduce_sum(batch)

    return [train_step(tf.constant(batch)) for batch in BATCHES[varies]]


@cases("a function made in the loop")
def workaround_make_it_once(situation):
    train_step = tf.function(compute_loss)  # above the loop
    losses = []
    for batch in BATCHES[situation]:
        losses.append(train_step(batch))
    return losses


@cases("lengths", "numbers", "lists")
def dead_end_relax(varies):
    @tf.function(reduce_retracing=True)
    def train_step(batch):
        return compute_loss(batch)

    return [train_step(batch) for batch in BATCHES[varies]]


@cases("lengths", "numbers", "lists")
def dead_end_silence(varies):
    tf.get_logger().setLevel("ERROR")

    @traceonce.max_traces(5)  # shows what goes on in silence
    @tf.function
    def train_step(batch):
        return compute_loss(batch)

    return [train_step(batch) for batch in BATCHES[varies]]


@cases("lengths", "numbers", "lists")
def dead_end_eager(varies):
    tf.config.run_functions_eagerly(True)

    @tf.function
    def train_step(batch):
        return compute_loss(batch)

    return [train_step(batch) for batch in BATCHES[varies]]


def message_method():
    class Agent:
        @tf.function
        def act(self, observation, epsilon):
            return tf.reduce_max(observation) - epsilon

    agent = Agent()
    return [agent.act(tf.ones([4]), 1.0 - 0.1 * episode) for episode in range(6)]


def message_lambda_in_a_loop():
    return [tf.function(lambda x: tf.nn.relu(x) + 1.0)(tf.ones([2, 2])) for _ in range(6)]


def message_keras_models():
    totals = []
    for units in (1, 2, 3, 4, 5, 6):
        model = tf.keras.Sequential([tf.keras.layers.Dense(units, kernel_initializer="ones")])
        totals.append(model.predict(tf.ones([2, 3]), verbose=0).sum())
    return totals


def message_after_a_warm_start():
    @tf.function
    def evaluate(images, labels):
        return tf.reduce_mean(images) + tf.cast(tf.reduce_sum(labels), tf.float32)

    sizes = (8, 8, 8, 5, 7, 3, 9)
    return [evaluate(tf.ones([size, 4, 4]), tf.ones([size], tf.int32)) for size in sizes]
