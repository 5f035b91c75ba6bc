"""Bayesian optimisation with Trieste's own loop: some steps of expected improvement on a small function."""

import numpy as np
import tensorflow as tf
import trieste

np.random.seed(0)
tf.random.set_seed(0)
space = trieste.space.Box([-1.0, -1.0], [1.0, 1.0])


def target(x):
    return tf.reduce_sum((x - 0.3) ** 2, axis=-1, keepdims=True)


observer = trieste.objectives.utils.mk_observer(target)
data = observer(space.sample_sobol(6))
model = trieste.models.gpflow.GaussianProcessRegression(
    trieste.models.gpflow.build_gpr(data, space, likelihood_variance=1e-4), num_kernel_samples=0
)
optimiser = trieste.bayesian_optimizer.BayesianOptimizer(observer, space)
result = optimiser.optimize(5, data, model)
print(result.try_get_final_dataset().query_points.shape)
