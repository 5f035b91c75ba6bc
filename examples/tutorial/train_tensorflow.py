"""Learn to classify sentences of varying length. It retraces at every step: see the tutorial."""

import random

import tensorflow as tf

random.seed(7)
tf.random.set_seed(7)
embedding = tf.Variable(tf.random.normal([50, 16]))
weights = tf.Variable(tf.random.normal([16, 1]))


def batches(count):
    """Sentences of word numbers: every batch has its own length. Is the mean word number above the middle?"""
    for _ in range(count):
        words = tf.random.uniform([16, random.randrange(8, 20)], maxval=50, dtype=tf.int32)
        yield words, tf.cast(tf.reduce_mean(tf.cast(words, tf.float32), axis=1) > 24.5, tf.float32)


@tf.function
def train_step(words, labels, step):
    rate = 0.5 / (1.0 + 0.1 * step)
    with tf.GradientTape() as tape:
        scores = tf.reduce_mean(tf.gather(embedding, words), axis=1) @ weights
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, scores[:, 0]))
    gradients = tape.gradient(loss, [embedding, weights])
    embedding.assign_sub(rate * tf.convert_to_tensor(gradients[0]))
    weights.assign_sub(rate * gradients[1])
    return loss


for step, (words, labels) in enumerate(batches(30)):
    loss = train_step(words, labels, step)
print(f"loss {loss:.3f}")
