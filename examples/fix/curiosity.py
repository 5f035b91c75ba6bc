"""An explorer whose bonus for the unknown fades away from walk to walk."""

import tensorflow as tf


class Explorer(tf.Module):
    def __init__(self):
        super().__init__()
        self.bonus = 1.0
        self.visits = tf.Variable([1.0, 4.0, 9.0, 16.0])

    @tf.function
    def value(self, reward):
        return reward + self.bonus / tf.sqrt(self.visits)

    def rest(self):
        self.bonus *= 0.5


explorer = Explorer()
reward = tf.constant([0.1, 0.2, 0.3, 0.4])
for walk in range(5):
    best = explorer.value(reward)
    print("walk", walk, "values", best.numpy().round(3), "go to", int(tf.argmax(best)))
    explorer.rest()
