"""Train a tagger that marks the vowels in words, with a training loop of its own.

Words are sorted and grouped into batches, each padded to its own longest word, so the length differs from batch to
batch, and the last batch of an epoch is smaller than the others.
"""

import random
import time

import tensorflow as tf

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOWELS = "aeiou"
PADDING = 0
BATCH = 6
EPOCHS = 3
WIDTH = 16


def make_words(count, seed):
    rng = random.Random(seed)
    return ["".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 24))) for _ in range(count)]


def encode(words):
    """Letter numbers and tags, one row per word, padded to the longest of these words."""
    longest = max(len(word) for word in words)
    ids = [[LETTERS.index(c) + 1 for c in word] + [PADDING] * (longest - len(word)) for word in words]
    tags = [[float(c in VOWELS) for c in word] + [0.0] * (longest - len(word)) for word in words]
    return tf.constant(ids, tf.int32), tf.constant(tags, tf.float32)


def batches(words):
    by_length = sorted(words, key=len)  # words of about the same length share a batch, to pad little
    for start in range(0, len(words), BATCH):
        yield encode(by_length[start : start + BATCH])


class Tagger(tf.Module):
    """An embedding, a hidden layer, and one number per letter."""

    def __init__(self):
        super().__init__()
        draw = tf.random.stateless_normal
        self.embedding = tf.Variable(draw([len(LETTERS) + 1, WIDTH], seed=[0, 1]))
        self.hidden = tf.Variable(draw([WIDTH, WIDTH], seed=[0, 2], stddev=0.3))
        self.output = tf.Variable(draw([WIDTH, 1], seed=[0, 3], stddev=0.3))

    def __call__(self, ids):
        vectors = tf.gather(self.embedding, ids)
        hidden = tf.nn.relu(tf.matmul(vectors, self.hidden))
        return tf.squeeze(tf.matmul(hidden, self.output), axis=-1)


class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.rate = rate

    def masked_loss(self, ids, tags):
        mask = tf.cast(ids != PADDING, tf.float32)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=tags, logits=self.model(ids))
        return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)

    @tf.function
    def train_step(self, ids, tags):
        print(f"compiling for {ids.shape[0]} words of up to {ids.shape[1]} letters")
        with tf.GradientTape() as tape:
            loss = self.masked_loss(ids, tags)
        variables = self.model.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(self.rate * tf.convert_to_tensor(gradient))
        return loss

    @tf.function
    def accuracy(self, ids, tags):
        right = tf.equal(self.model(ids) > 0.0, tags > 0.5)
        mask = ids != PADDING
        return tf.reduce_mean(tf.cast(tf.boolean_mask(right, mask), tf.float32))


def main():
    trainer = Trainer(Tagger(), rate=2.0)
    words, held_out = make_words(70, seed=1), make_words(40, seed=2)
    started = time.time()
    for epoch in range(EPOCHS):
        losses = [float(trainer.train_step(ids, tags)) for ids, tags in batches(words)]
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}")
    print(f"trained in {time.time() - started:.1f} s")
    shares = [float(trainer.accuracy(ids, tags)) for ids, tags in batches(held_out)]
    print(f"accuracy on words not seen: {sum(shares) / len(shares):.3f}")


if __name__ == "__main__":
    main()
