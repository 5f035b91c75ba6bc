"""Train a small character-level language model on lines of varying length.

The text is made up on the spot: short English sentences from a toy grammar. Each batch is padded to its own longest
line, and the learning rate is warmed up over the first steps. At the end the model is tried on lines it has not seen.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import tensorflow as tf

EPOCHS = 3
BATCH = 16
WIDTH = 48
PEAK_RATE = 0.03
WARM_UP_STEPS = 6

PEOPLE = ["the farmer", "my sister", "an old sailor", "the young queen", "a fox"]
ACTIONS = ["sees", "paints", "carries", "never forgets", "is looking for"]
THINGS = ["a boat", "the red lantern", "ten apples", "a very long letter", "the moon"]
ENDINGS = ["", "", " at night", " in the garden", " because it is cold", " when the snow melts in spring"]


def write_lines(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [
        f"{draw.choice(PEOPLE)} {draw.choice(ACTIONS)} {draw.choice(THINGS)}{draw.choice(ENDINGS)}."
        for _ in range(count)
    ]


ALPHABET = sorted(set("".join(PEOPLE + ACTIONS + THINGS + ENDINGS + [" ."])))
PADDING = 0  # letters are numbered from 1


def encode(lines: list[str]) -> tf.Tensor:
    """One row of letter numbers per line, padded to the longest of these lines."""
    longest = max(len(line) for line in lines)
    return tf.constant([[ALPHABET.index(c) + 1 for c in line] + [PADDING] * (longest - len(line)) for line in lines])


def batches(lines: list[str], seed: int) -> Iterator[tf.Tensor]:
    """Batches of lines of about the same length, in random order."""
    by_length = sorted(lines, key=len)
    starts = list(range(0, len(lines), BATCH))
    random.Random(seed).shuffle(starts)
    for start in starts:
        yield encode(by_length[start : start + BATCH])


class LanguageModel(tf.Module):
    """Guesses each character of a line from those before it: an embedding, a GRU and a projection."""

    def __init__(self) -> None:
        super().__init__()
        self.network = tf.keras.Sequential(
            [
                tf.keras.layers.Embedding(len(ALPHABET) + 1, WIDTH),
                tf.keras.layers.GRU(WIDTH, return_sequences=True),
                tf.keras.layers.Dense(len(ALPHABET) + 1),
            ]
        )
        self.optimizer = tf.keras.optimizers.Adam()

    def loss(self, ids: tf.Tensor) -> tf.Tensor:
        """Mean cross-entropy per real (not padded) character."""
        logits = self.network(ids[:, :-1])
        targets = ids[:, 1:]
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
        real = tf.cast(targets != PADDING, tf.float32)
        return tf.reduce_sum(losses * real) / tf.reduce_sum(real)

    @tf.function
    def train_step(self, ids: tf.Tensor, step: int) -> tf.Tensor:
        warmth = tf.minimum(1.0, tf.cast(step + 1, tf.float32) / WARM_UP_STEPS)
        self.optimizer.learning_rate.assign(PEAK_RATE * warmth)
        with tf.GradientTape() as tape:
            loss = self.loss(ids)
        weights = self.network.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    @tf.function
    def evaluate(self, ids: tf.Tensor, accuracy: bool = False) -> tf.Tensor:
        """The loss, or with `accuracy` the share of characters guessed right."""
        if not accuracy:
            return self.loss(ids)
        targets = ids[:, 1:]
        guesses = tf.argmax(self.network(ids[:, :-1]), axis=-1, output_type=tf.int32)
        real = targets != PADDING
        return tf.reduce_mean(tf.cast(tf.boolean_mask(guesses == targets, real), tf.float32))


def main() -> None:
    tf.keras.utils.set_random_seed(7)
    model = LanguageModel()
    lines = write_lines(112, seed=1)
    unseen = encode(write_lines(64, seed=2))
    step = 0
    for epoch in range(EPOCHS):
        began, losses = time.perf_counter(), []
        for ids in batches(lines, seed=epoch):
            losses.append(float(model.train_step(ids, step)))
            step += 1
        mean = sum(losses) / len(losses)
        print(
            f"epoch {epoch + 1}: training loss {mean:.3f}, loss on unseen lines {model.evaluate(unseen):.3f}"
            f" ({time.perf_counter() - began:.1f} s)"
        )
    print(f"characters guessed right: {model.evaluate(unseen, accuracy=True):.0%}")


if __name__ == "__main__":
    main()
