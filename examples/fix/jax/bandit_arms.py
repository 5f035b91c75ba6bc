"""A bandit whose update is jitted inside of the method, over the arm that was pulled and what it paid."""

import jax
import jax.numpy as jnp
import numpy as np


class Bandit:
    def __init__(self, arms):
        self.pulls = jnp.zeros(arms)
        self.value = jnp.zeros(arms)

    def update(self, arm, reward):
        @jax.jit
        def learn(pulls, value):
            pulls = pulls.at[arm].add(1.0)
            return pulls, value.at[arm].add((reward - value[arm]) / pulls[arm])

        self.pulls, self.value = learn(self.pulls, self.value)


rng = np.random.default_rng(3)
bandit = Bandit(4)
for turn in range(10):
    arm = int(rng.integers(4))
    bandit.update(arm, float(rng.normal(arm, 1.0)))
    print(turn, arm, bandit.value.round(3))
