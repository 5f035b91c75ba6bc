"""Convert measurements between units, with a correction that is different for every instrument."""

import tensorflow as tf

FACTORS = {"km": 1000.0, "cm": 0.01}


@tf.function
def to_metres(values, unit, correction):
    return values * FACTORS[unit] + correction


values = tf.constant([1.0, 2.5, 4.0])
for unit in ("km", "cm"):
    for instrument in range(5):
        correction = 0.125 * (instrument + 1)
        metres = to_metres(values, unit, correction)
        print(unit, f"{correction:.3f}", metres.numpy().round(3))
