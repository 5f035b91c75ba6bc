"""Write text with a small attention model, one character at a time: the input grows with every character.

The weights are made up from sines, so the text means nothing, but it is always the same.
"""

import time

import tensorflow as tf

ALPHABET = "abcdefghijklmnopqrstuvwxyz ."
WIDTH = 12
LENGTH = 14


def made_up(rows, columns, phase):
    """Weights that look random and are not."""
    numbers = tf.range(rows * columns, dtype=tf.float32)
    return tf.reshape(tf.sin(numbers * 12.9898 + phase) * 1.5, [rows, columns])


class Decoder(tf.Module):
    """One head of causal self-attention between an embedding and a projection."""

    def __init__(self):
        super().__init__()
        self.embedding = tf.Variable(made_up(len(ALPHABET), WIDTH, 0.1))
        self.query = tf.Variable(made_up(WIDTH, WIDTH, 0.2))
        self.key = tf.Variable(made_up(WIDTH, WIDTH, 0.3))
        self.value = tf.Variable(made_up(WIDTH, WIDTH, 0.4))
        self.output = tf.Variable(made_up(WIDTH, len(ALPHABET), 0.5))

    def attend(self, x, length):
        scores = tf.matmul(x @ self.query, x @ self.key, transpose_b=True) / WIDTH**0.5
        allowed = tf.linalg.band_part(tf.ones([length, length]), -1, 0)
        return tf.nn.softmax(scores + (1.0 - allowed) * -1e9) @ (x @ self.value)

    @tf.function
    def next_character(self, text):
        """The most likely next character of each row."""
        batch, length = text.shape[0], text.shape[1]
        places = tf.cast(tf.range(length), tf.float32)
        x = tf.gather(self.embedding, text) + 0.3 * tf.sin(places)[tf.newaxis, :, tf.newaxis]
        logits = self.attend(x, length)[:, -1] @ self.output
        repeated = tf.reduce_sum(tf.one_hot(text, len(ALPHABET)), axis=1)
        choice = tf.argmax(logits - 2.0 * repeated, axis=-1, output_type=text.dtype)
        return tf.reshape(choice, [batch, 1])


def encode(words):
    return tf.constant([[ALPHABET.index(c) for c in word] for word in words])


def decode(rows):
    return ["".join(ALPHABET[int(i)] for i in row) for row in rows]


def main():
    decoder = Decoder()
    text = encode(["once", "it w", "the "])
    started = time.perf_counter()
    for _ in range(LENGTH):
        text = tf.concat([text, decoder.next_character(text)], axis=1)
    print(f"{LENGTH} characters in {time.perf_counter() - started:.2f} s")
    for line in decode(text.numpy()):
        print(repr(line))
    count = decoder.next_character.experimental_get_tracing_count()
    print(f"compiled {count} times")


if __name__ == "__main__":
    main()
