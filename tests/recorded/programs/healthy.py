"""Nothing wrong here: two functions, each traced once."""

import tensorflow as tf

weights = tf.Variable(tf.random.normal([8, 1]))


@tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32)])
def predict(x):
    return x @ weights


@tf.function
def train_step(x, y, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((predict(x) - y) ** 2)
    weights.assign_sub(rate * tape.gradient(loss, weights))
    return loss


for _ in range(50):
    train_step(tf.random.normal([32, 8]), tf.zeros([32, 1]), tf.constant(0.01))
for length in (4, 9, 2):
    predict(tf.random.normal([length, 8]))
