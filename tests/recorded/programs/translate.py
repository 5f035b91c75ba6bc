"""Train a small translator, look at its attention, and sample from it: several functions, several troubles."""

import random

import tensorflow as tf

WIDTH, LETTERS = 64, 40
TEMPERATURE = 1.0
draw = random.Random(3)
tf.random.set_seed(3)


class Translator(tf.Module):
    def __init__(self):
        super().__init__()
        self.letters = tf.Variable(tf.random.normal([LETTERS, WIDTH], stddev=0.1))
        self.inner = [tf.Variable(tf.random.normal([WIDTH, WIDTH], stddev=0.1)) for _ in range(6)]

    def encode(self, ids):
        x = tf.gather(self.letters, ids)
        for weights in self.inner:
            x = x + tf.nn.gelu(x @ weights)
        return x

    @tf.function
    def train_step(self, ids, step):
        rate = 0.05 / (1.0 + step)
        with tf.GradientTape() as tape:
            logits = tf.einsum("blw,vw->blv", self.encode(ids[:, :-1]), self.letters)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(ids[:, 1:], logits))
        for weights, gradient in zip(self.inner, tape.gradient(loss, self.inner), strict=True):
            weights.assign_sub(rate * gradient)
        return loss

    @tf.function
    def evaluate(self, ids, smooth=False):
        hidden = self.encode(ids)
        return tf.reduce_mean(tf.nn.softmax(hidden) if smooth else hidden)


@tf.function(jit_compile=True, reduce_retracing=True)
def attend(queries, keys):
    weights = tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True))
    return tf.matmul(weights, keys)


@tf.function
def soften(logits):
    return tf.nn.softmax(logits / TEMPERATURE)


@tf.function
def normalise(batch):
    return batch % LETTERS


def batches(count):
    for _ in range(count):
        length = draw.choice([12, 15, 19, 24, 30])
        yield tf.constant([[draw.randrange(LETTERS) for _ in range(length)] for _ in range(8)])


model = Translator()
for step, batch in enumerate(batches(41)):
    loss = model.train_step(normalise(tf.pad(batch, [[0, 0], [0, 30 - batch.shape[1]]]))[:, : batch.shape[1]], step)
    if step % 10 == 0:
        print(f"step {step}: loss {loss:.3f}, mean {model.evaluate(batch[:, :12], step > 20):.3f}")
for length in (16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104):
    for _ in range(2):
        attend(tf.random.normal([length, WIDTH]), tf.random.normal([length, WIDTH]))
for _ in range(5):
    print(f"T = {TEMPERATURE:4.1f}:", soften(tf.constant([2.0, 1.0, 0.1])).numpy().round(3))
    TEMPERATURE *= 2.0
