"""What a function reads from outside its arguments is read once, while it is traced."""

import tensorflow as tf

from traceonce.knowledge.experiment import Wrong

symptom = Wrong()


class Schedule:
    """Plain Python state, as a training script has it."""

    rate = 0.5


def failure():
    schedule = Schedule()

    @tf.function
    def train_step(gradient):
        return schedule.rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = 0.5 / (epoch + 1)
        updates.append(train_step(tf.constant(6.0)))
    return updates


def right():
    return [0.5 / (epoch + 1) * 6.0 for epoch in range(3)]


def workaround_variable():
    rate = tf.Variable(0.5)

    @tf.function
    def train_step(gradient):
        return rate * gradient

    updates = []
    for epoch in range(3):
        rate.assign(0.5 / (epoch + 1))
        updates.append(train_step(tf.constant(6.0)))
    return updates


def workaround_argument():
    schedule = Schedule()

    @tf.function
    def train_step(gradient, rate):
        return rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = 0.5 / (epoch + 1)
        updates.append(train_step(tf.constant(6.0), tf.constant(schedule.rate)))
    return updates


def workaround_new_function():
    schedule = Schedule()

    def train_step(gradient):
        return schedule.rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = 0.5 / (epoch + 1)
        compiled_step = tf.function(train_step)  # one trace for each epoch
        updates.append(compiled_step(tf.constant(6.0)))
    return updates


def dead_end_tensor_rebound():
    schedule = Schedule()
    schedule.rate = tf.constant(0.5)

    @tf.function
    def train_step(gradient):
        return schedule.rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = tf.constant(0.5 / (epoch + 1))
        updates.append(train_step(tf.constant(6.0)))
    return updates


def dead_end_variable_rebound():
    schedule = Schedule()
    schedule.rate = tf.Variable(0.5)

    @tf.function
    def train_step(gradient):
        return schedule.rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = tf.Variable(0.5 / (epoch + 1))
        updates.append(train_step(tf.constant(6.0)))
    return updates


def dead_end_object_as_argument():
    schedule = Schedule()

    @tf.function
    def train_step(gradient, schedule):
        return schedule.rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = 0.5 / (epoch + 1)
        updates.append(train_step(tf.constant(6.0), schedule))
    return updates


def dead_end_eager():
    tf.config.run_functions_eagerly(True)
    schedule = Schedule()

    @tf.function
    def train_step(gradient):
        return schedule.rate * gradient

    updates = []
    for epoch in range(3):
        schedule.rate = 0.5 / (epoch + 1)
        updates.append(train_step(tf.constant(6.0)))
    return updates


TEMPERATURE = 2.0


def message_global():
    global TEMPERATURE

    @tf.function
    def sample_logits(logits):
        return logits / TEMPERATURE

    for TEMPERATURE in (2.0, 1.5, 0.7):
        sample_logits(tf.constant([1.0, 2.0]))


def message_flag_of_an_object():
    class Model:
        def __init__(self):
            self.dropout = True

        @tf.function
        def forward(self, features):
            return features * 0.5 if self.dropout else features

    model = Model()
    model.forward(tf.ones([2]))
    model.dropout = False
    model.forward(tf.ones([2]))


def message_dictionary():
    config = {"clip": 5.0}

    @tf.function
    def clip_gradient(gradient):
        return tf.clip_by_value(gradient, -config["clip"], config["clip"])

    clip_gradient(tf.constant([9.0]))
    config["clip"] = 3.0
    clip_gradient(tf.constant([9.0]))


def message_closure():
    weight = 0.25

    @tf.function
    def weighted_loss(loss):
        return loss * weight

    for weight in (0.25, 0.75):
        weighted_loss(tf.constant(4.0))


def message_rebound_variable():
    class Agent:
        def __init__(self):
            self.target = tf.Variable([1.0])

        @tf.function
        def bellman(self, reward):
            return reward + 0.9 * self.target

    agent = Agent()
    agent.bellman(tf.constant([1.0]))
    previous = agent.target
    agent.target = tf.Variable(previous + 2.0)
    agent.bellman(tf.constant([1.0]))
