"""Fit a normal distribution to the incomes of each district with TensorFlow Probability."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

random = np.random.default_rng(0)
DISTRICTS = {"harbour": 2.1, "old town": 3.4, "hills": 5.2, "station": 1.8, "park": 4.4}


def fit(incomes):
    mean = tf.Variable(0.0)
    scale = tfp.util.TransformedVariable(1.0, tfp.bijectors.Softplus())
    normal = tfp.distributions.Normal(mean, scale)

    def loss():
        return -tf.reduce_mean(normal.log_prob(incomes))

    tfp.math.minimize(loss, num_steps=60, optimizer=tf.keras.optimizers.Adam(0.1))
    return float(mean), float(normal.stddev())


for district, typical in DISTRICTS.items():
    incomes = tf.constant(random.normal(typical, 0.5, size=40), tf.float32)
    mean, deviation = fit(incomes)
    print(f"{district}: {mean:.2f} ± {deviation:.2f}")
