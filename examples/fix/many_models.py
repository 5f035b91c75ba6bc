"""Tune a regulariser: train a small model from scratch for each of three candidates."""

import tensorflow as tf

x = tf.reshape(tf.sin(tf.range(32, dtype=tf.float32)), [16, 2])
y = tf.linalg.matvec(x, [2.0, -1.0])


class Ridge(tf.Module):
    def __init__(self, penalty):
        super().__init__()
        self.penalty = penalty
        self.weights = tf.Variable([0.0, 0.0])

    @tf.function
    def train_step(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, self.weights) - y))
            loss += self.penalty * tf.reduce_sum(tf.square(self.weights))
        self.weights.assign_sub(0.3 * tape.gradient(loss, self.weights))
        return loss


for penalty in (0.0, 0.01, 0.1):
    model = Ridge(penalty)
    for _ in range(40):
        loss = model.train_step()
    print(f"penalty {penalty}: loss {loss.numpy():.4f}, weights {model.weights.numpy().round(3)}")
