"""TensorFlow programs that are in order: whatever is said of them is a false alarm.

python bench/wild/silent/with_tensorflow.py PROGRAM
"""

import sys

import gpflow
import keras
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

random = np.random.default_rng(0)


def keras_fit_and_predict():
    """Two calls of `fit`, one of `evaluate` and `predict`, with a last batch that is smaller."""
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    x = random.normal(size=(70, 4))
    for _ in range(2):
        model.fit(x, x[:, 0], batch_size=16, epochs=3, verbose=0)
    model.evaluate(x, x[:, 0], batch_size=16, verbose=0)
    model.predict(x, batch_size=16, verbose=0)


def keras_predict_same_size():
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    for _ in range(12):
        model.predict(random.normal(size=(16, 4)), verbose=0)


def custom_loop_drop_remainder():
    weights = tf.Variable(tf.zeros([4, 1]))

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weights - 1.0) ** 2)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    data = tf.data.Dataset.from_tensor_slices(random.normal(size=(100, 4)).astype("float32"))
    for _ in range(5):
        for x in data.batch(16, drop_remainder=True):
            step(x)


def last_batch_smaller():
    """Two sizes over five epochs: two graphs, both wanted."""
    double = tf.function(lambda x: tf.reduce_sum(2.0 * x))
    data = tf.data.Dataset.range(100).map(lambda n: tf.cast(n, tf.float32)).batch(16)
    for _ in range(5):
        for x in data:
            double(x)


def signature_for_any_length():
    mean = tf.function(tf.reduce_mean, input_signature=[tf.TensorSpec([None], tf.float32)])
    for length in range(1, 30):
        mean(tf.zeros([length]))


def training_flag():
    """A Python bool: training and not, in turn."""

    @tf.function
    def apply(x, training):
        return tf.nn.dropout(x, 0.5) if training else x

    for _ in range(20):
        apply(tf.ones([8]), training=True)
        apply(tf.ones([8]), training=False)


def gpflow_one_model():
    x = random.uniform(size=(12, 1))
    model = gpflow.models.GPR((x, np.sin(x)), kernel=gpflow.kernels.Matern52())
    gpflow.optimizers.Scipy().minimize(model.training_loss, model.trainable_variables, options={"maxiter": 10})
    model.predict_f(x)


def sampler_with_tensors():
    """The step size is a tensor: one trace for all of them."""
    normal = tfp.distributions.MultivariateNormalDiag(tf.zeros(2))

    @tf.function
    def sample(start, step_size):
        kernel = tfp.mcmc.HamiltonianMonteCarlo(normal.log_prob, step_size=step_size, num_leapfrog_steps=2)
        return tfp.mcmc.sample_chain(10, start, kernel=kernel, trace_fn=None, seed=[1, 2])

    for turn in range(6):
        sample(tf.zeros(2), tf.constant(0.1 + 0.05 * turn))


def input_pipeline():
    data = tf.data.Dataset.range(60).map(lambda n: n * 2).filter(lambda n: n > 4).shuffle(8, seed=1).batch(8)
    for _ in range(3):
        for _batch in data:
            pass


def two_models_side_by_side():
    """Two networks, each with a compiled call of its own, used many times."""
    networks = [keras.Sequential([keras.layers.Dense(size)]) for size in (2, 3)]
    compiled = [tf.function(network) for network in networks]
    for _ in range(30):
        for apply in compiled:
            apply(tf.ones([4, 5]))


def saved_and_loaded():
    class Doubler(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x):
            return 2.0 * x

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Doubler(), folder)
        loaded = tf.saved_model.load(folder)
        for length in range(1, 6):
            loaded(tf.ones([length]))


def a_grid_of_few_sizes():
    """Four buckets of lengths, each used many times."""
    lookup = tf.Variable(random.normal(size=(50, 4)).astype("float32"))
    embed = tf.function(lambda tokens: tf.reduce_sum(tf.gather(lookup, tokens)))
    for turn in range(120):
        embed(tf.zeros([8, (16, 32, 64, 128)[turn % 4]], tf.int32))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
