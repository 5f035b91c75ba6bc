"""A model that compiles its own step in the constructor, with a temperature that falls over time."""

import tensorflow as tf


class Annealer:
    def __init__(self, energies):
        self.energies = tf.constant(energies)
        self.step = tf.function(self._step)

    def _step(self, temperature):
        return tf.nn.softmax(-self.energies / temperature)


annealer = Annealer([1.0, 2.0, 0.5, 3.0])
temperature = 4.0
for _ in range(7):
    probabilities = annealer.step(temperature)
    print(f"T = {temperature:.3f}", probabilities.numpy().round(4))
    temperature *= 0.7
