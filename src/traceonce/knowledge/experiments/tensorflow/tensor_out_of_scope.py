"""A tensor made while a function is traced belongs to that graph: kept elsewhere, it is only a name."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="Exception", text=r"is out of scope and cannot be used here")


@cases("kept from call to call", "appended in a loop")
def failure(use):
    losses = []

    @tf.function
    def train_step(batch):
        losses.append(tf.reduce_mean(tf.square(batch)))

    @tf.function
    def decode(state, steps):
        states = []
        for _ in tf.range(steps):
            state = state * 2.0
            states.append(state)
        return tf.stack(states)

    if use == "appended in a loop":
        return decode(tf.constant(1.0), tf.constant(3))
    for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        train_step(tf.constant(batch))
    return sum(losses) / 3


@cases("kept from call to call", "appended in a loop")
def right(use):
    return [2.0, 4.0, 8.0] if use == "appended in a loop" else (2.5 + 12.5 + 30.5) / 3


@cases("appended in a loop")
def workaround_tensor_array(use):
    @tf.function
    def decode(state, steps):
        states = tf.TensorArray(tf.float32, size=steps)
        for step in tf.range(steps):
            state = state * 2.0
            states = states.write(step, state)  # keep what write gives back
        return states.stack()

    return decode(tf.constant(1.0), tf.constant(3))


@cases("kept from call to call")
def workaround_return_it(use):
    @tf.function
    def train_step(batch):
        return tf.reduce_mean(tf.square(batch))

    losses = [train_step(tf.constant(batch)) for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])]
    return sum(losses) / 3


@cases("kept from call to call")
def workaround_variable(use):
    total = tf.Variable(0.0)

    @tf.function
    def train_step(batch):
        total.assign_add(tf.reduce_mean(tf.square(batch)))

    for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        train_step(tf.constant(batch))
    return total / 3


@cases("kept from call to call")
def workaround_metric(use):
    mean_loss = tf.keras.metrics.Mean()

    @tf.function
    def train_step(batch):
        mean_loss.update_state(tf.reduce_mean(tf.square(batch)))

    for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        train_step(tf.constant(batch))
    return mean_loss.result()


@cases("kept from call to call")
def dead_end_identity(use):
    losses = []

    @tf.function
    def train_step(batch):
        losses.append(tf.identity(tf.reduce_mean(tf.square(batch))))

    for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        train_step(tf.constant(batch))
    return sum(losses) / 3


@cases("kept from call to call")
def dead_end_keep_on_self(use):
    class Trainer(tf.Module):
        loss = 0.0

        @tf.function
        def train_step(self, batch):
            self.loss = self.loss + tf.reduce_mean(tf.square(batch))

    trainer = Trainer()
    for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        trainer.train_step(tf.constant(batch))
    return trainer.loss / 3


@cases("kept from call to call")
def dead_end_numpy(use):
    losses = []

    @tf.function
    def train_step(batch):
        losses.append(tf.reduce_mean(tf.square(batch)).numpy())

    for batch in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        train_step(tf.constant(batch))
    return sum(losses) / 3


def message_list_in_a_loop():
    @tf.function
    def decode(state, steps):
        tokens = []
        for _ in tf.range(steps):
            state = state * 2
            tokens.append(state)
        return tf.stack(tokens)

    return decode(tf.constant(1), tf.constant(3))


def message_from_a_branch():
    @tf.function
    def regularized(loss, weights, strong):
        terms = []
        if strong:
            terms.append(tf.reduce_sum(tf.square(weights)))
        return loss + tf.add_n(terms)

    return regularized(tf.constant(1.0), tf.ones([3]), tf.constant(True))


def message_between_two_functions():
    cache = {}

    @tf.function
    def encode(tokens):
        cache["keys"] = tf.cast(tokens, tf.float32)
        return cache["keys"]

    @tf.function
    def attend(query):
        return tf.linalg.matvec(cache["keys"], query)

    encode(tf.constant([[1, 2], [3, 4]]))
    return attend(tf.constant([0.5, 0.5]))


def message_attribute_of_a_layer():
    class Probe(tf.keras.layers.Layer):
        def call(self, hidden):
            self.seen = tf.nn.relu(hidden)
            return self.seen

    probe = Probe()
    model = tf.keras.Sequential([probe])
    model.compile("sgd", "mse")
    model.predict(tf.ones([2, 3]), verbose=0)
    return tf.reduce_mean(probe.seen)


def message_in_a_cond():
    @tf.function
    def update(weights, gradient):
        norms = []

        def clip():
            norms.append(tf.norm(gradient))
            return gradient / norms[0]

        clipped = tf.cond(tf.norm(gradient) > 1.0, clip, lambda: gradient)
        return weights - clipped, norms[0] * 2.0

    return update(tf.ones([2]), tf.constant([3.0, 4.0]))
