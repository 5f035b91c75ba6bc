"""Mean grades of classes of different size, with weights where the school gave some."""

import tensorflow as tf


@tf.function
def mean_grade(grades, weights=None):
    if weights is None:
        return tf.reduce_mean(grades)
    return tf.reduce_sum(grades * weights) / tf.reduce_sum(weights)


for pupils in (12, 18, 9, 25, 21, 15, 30, 11):
    grades = 1.0 + tf.cast(tf.range(pupils) % 6, tf.float32)
    weights = tf.linspace(0.5, 1.5, pupils) if pupils % 2 == 0 else None
    print(f"{pupils} pupils: {mean_grade(grades, weights=weights).numpy():.3f}")
