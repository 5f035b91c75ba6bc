"""Score reviews of different length, kept in ragged tensors."""

import tensorflow as tf

weights = tf.sin(tf.range(40, dtype=tf.float32))


@tf.function
def score(reviews):
    return tf.reduce_mean(tf.gather(weights, reviews), axis=1)


days = [
    [[1, 2, 3], [4, 5]],
    [[6], [7, 8, 9], [10, 11]],
    [[12, 13, 14, 15]],
    [[16, 17], [18], [19, 20, 21], [22]],
    [[23], [24], [25], [26], [27, 28]],
]
for day, reviews in enumerate(days):
    ragged = tf.ragged.constant(reviews, dtype=tf.int32)
    print("day", day, score(ragged).numpy().round(4))
