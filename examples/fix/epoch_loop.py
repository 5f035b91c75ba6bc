"""Fit a plane to points; everything that belongs to an epoch is written inside the loop."""

import tensorflow as tf

features = tf.reshape(tf.sin(tf.range(60, dtype=tf.float32)), [20, 3])
targets = tf.linalg.matvec(features, [1.0, -2.0, 0.5])
weights = tf.Variable(tf.zeros([3]))

for epoch in range(8):

    @tf.function
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, weights) - y))
        weights.assign_sub(0.5 * tape.gradient(loss, weights))
        return loss

    loss = train(features, targets)
    print(f"epoch {epoch} loss {float(loss):.5f}")

print("weights", weights.numpy().round(3))
