"""TensorFlow counts traces and warns; it does not say which argument is new, and its advice fits one cause of three."""

import tensorflow as tf

import traceonce
from traceonce.knowledge.experiment import Logs, cases

symptom = Logs(text=r"\d+ out of the last \d+ calls to .* triggered tf\.function retracing")


def compute_loss(batch, rate):
    return rate * tf.reduce_sum(batch)


@cases("shapes and numbers", "lists", "a function made in the loop")
def failure(varies):
    train_step = tf.function(compute_loss)
    losses = []
    for step, length in enumerate((3, 7, 5, 12, 9, 4, 8, 6)):
        if varies == "shapes and numbers":
            losses.append(train_step(tf.ones([length]), 0.5 * step))
        elif varies == "lists":
            losses.append(train_step([1.0] * length, tf.constant(0.5)))
        else:
            train_step = tf.function(compute_loss)
            losses.append(train_step(tf.ones([4]), tf.constant(0.5)))
    return losses


@cases("shapes and numbers")
def workaround_signature(varies):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    lengths = (3, 7, 5, 12, 9, 4, 8, 6)
    return [train_step(tf.ones([length]), 0.5 * step) for step, length in enumerate(lengths)]


@cases("shapes and numbers")
def workaround_tensors(varies):
    @tf.function(reduce_retracing=True)
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    lengths = (3, 7, 5, 12, 9, 4, 8, 6)
    return [train_step(tf.ones([length]), tf.constant(0.5 * step)) for step, length in enumerate(lengths)]


@cases("lists")
def workaround_list_to_tensor(varies):
    @tf.function(reduce_retracing=True)
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    batches = [[1.0] * length for length in (3, 7, 5, 12, 9, 4, 8, 6)]
    return [train_step(tf.constant(batch), tf.constant(0.5)) for batch in batches]


@cases("a function made in the loop")
def workaround_make_it_once(varies):
    def compute_loss(batch, rate):
        return rate * tf.reduce_sum(batch)

    train_step = tf.function(compute_loss)  # above the loop
    losses = []
    for _ in range(8):
        losses.append(train_step(tf.ones([4]), tf.constant(0.5)))
    return losses


@cases("shapes and numbers")
def dead_end_relax(varies):
    @tf.function(reduce_retracing=True)
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    lengths = (3, 7, 5, 12, 9, 4, 8, 6)
    return [train_step(tf.ones([length]), 0.5 * step) for step, length in enumerate(lengths)]


@cases("lists")
def dead_end_relax_lists(varies):
    @tf.function(reduce_retracing=True)
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    batches = [[1.0] * length for length in (3, 7, 5, 12, 9, 4, 8, 6)]
    return [train_step(batch, tf.constant(0.5)) for batch in batches]


@cases("shapes and numbers")
def dead_end_silence(varies):
    tf.get_logger().setLevel("ERROR")

    @traceonce.max_traces(5)  # shows what goes on in silence
    @tf.function
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    lengths = (3, 7, 5, 12, 9, 4, 8, 6)
    return [train_step(tf.ones([length]), 0.5 * step) for step, length in enumerate(lengths)]


@cases("shapes and numbers")
def dead_end_eager(varies):
    tf.config.run_functions_eagerly(True)

    @tf.function
    def train_step(batch, rate):
        return rate * tf.reduce_sum(batch)

    lengths = (3, 7, 5, 12, 9, 4, 8, 6)
    return [train_step(tf.ones([length]), 0.5 * step) for step, length in enumerate(lengths)]


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
