"""Heat flow in a rod; the time step is halved until the result no longer moves."""

import tensorflow as tf


@tf.function(autograph=False, jit_compile=False)
def diffuse(rod, dt):
    left = tf.roll(rod, 1, axis=0)
    right = tf.roll(rod, -1, axis=0)
    return rod + dt * (left - 2.0 * rod + right)


dt = 0.4
for trial in range(6):
    rod = tf.one_hot(8, 17)
    for _ in range(trial + 1):
        rod = diffuse(rod, dt)
    print(f"dt {dt:.4f} peak {tf.reduce_max(rod).numpy():.5f}")
    dt /= 2.0
