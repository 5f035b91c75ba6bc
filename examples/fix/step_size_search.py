"""Find a step size for Hamiltonian Monte Carlo by trying several (TensorFlow Probability)."""

import tensorflow as tf
import tensorflow_probability as tfp

normal = tfp.distributions.MultivariateNormalDiag(loc=[0.0, 0.0], scale_diag=[1.0, 3.0])


@tf.function
def sample(state, step_size, steps):
    kernel = tfp.mcmc.HamiltonianMonteCarlo(normal.log_prob, step_size=step_size, num_leapfrog_steps=steps)
    _, accepted = tfp.mcmc.sample_chain(
        num_results=20,
        current_state=state,
        kernel=kernel,
        trace_fn=lambda _, results: results.is_accepted,
        seed=[1, 2],
    )
    return tf.reduce_mean(tf.cast(accepted, tf.float32))


for step_size in (0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 2.8):
    rate = sample(tf.zeros(2), step_size, 3)
    print(f"step size {step_size}: accepted {float(rate):.2f}")
