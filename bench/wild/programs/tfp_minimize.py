"""Maximum likelihood for several groups, each with a `tfp.math.minimize` and a loss of its own."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

random = np.random.default_rng(0)


def fit(values):
    mean, scale = tf.Variable(0.0), tfp.util.TransformedVariable(1.0, tfp.bijectors.Softplus())
    normal = tfp.distributions.Normal(mean, scale)

    def loss():
        return -tf.reduce_mean(normal.log_prob(values))

    tfp.math.minimize(loss, num_steps=30, optimizer=tf.keras.optimizers.Adam(0.1))
    return float(mean)


for group in range(5):
    values = tf.constant(random.normal(group, 1.0, size=20 + group), tf.float32)
    print(group, round(fit(values), 2))
