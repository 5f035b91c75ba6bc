"""Hamiltonian Monte Carlo in a `tf.function`; the step size is tuned by hand with Python floats."""

import tensorflow as tf
import tensorflow_probability as tfp

normal = tfp.distributions.MultivariateNormalDiag(tf.zeros(3))


@tf.function
def sample(start, step_size):
    kernel = tfp.mcmc.HamiltonianMonteCarlo(normal.log_prob, step_size=step_size, num_leapfrog_steps=3)
    return tfp.mcmc.sample_chain(20, start, kernel=kernel, trace_fn=lambda _, results: results.is_accepted, seed=[1, 2])


start = tf.zeros(3)
for turn in range(6):
    states, accepted = sample(start, 0.1 + 0.05 * turn)
    start = states[-1]
    print(round(0.1 + 0.05 * turn, 2), float(tf.reduce_mean(tf.cast(accepted, tf.float32))))
