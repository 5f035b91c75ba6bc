"""Sample text from a causal attention model: keys and values are kept and grow, the position is a Python int."""

import tensorflow as tf

FEWEST = 5
WHY = (
    "The first call; the open cache; then, at this length, a second position and the position as a tensor. A "
    "trace with a number that notices shows that nobody looks at it."
)

LETTERS, WIDTH, LONGEST = 12, 6, 16


def made_up(rows, columns, phase):
    """Weights that look random and are the same in every run."""
    return tf.Variable(tf.sin(tf.reshape(tf.range(float(rows * columns)), [rows, columns]) * 12.9898 + phase))


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.places = made_up(LETTERS, WIDTH, 0.1), made_up(LONGEST, WIDTH, 0.2)
        self.query, self.key, self.value = (made_up(WIDTH, WIDTH, phase) for phase in (0.3, 0.4, 0.5))
        self.output = made_up(WIDTH, LETTERS, 0.6)

    def attend(self, letter, cache, position):
        """Logits for the next letter, and the cache with this one."""
        x = tf.gather(self.embedding, letter) + self.places[position]
        keys = tf.concat([cache["keys"], (x @ self.key)[:, tf.newaxis]], axis=1)
        values = tf.concat([cache["values"], (x @ self.value)[:, tf.newaxis]], axis=1)
        weights = tf.nn.softmax(tf.einsum("bd,bld->bl", x @ self.query, keys) / WIDTH**0.5)
        return tf.einsum("bl,bld->bd", weights, values) @ self.output, {"keys": keys, "values": values}


def run(function):
    model = Model()

    @function
    def sample(letter, cache, position, temperature=0.8):
        logits, cache = model.attend(letter, cache, position)
        drawn = tf.random.stateless_categorical(logits / temperature, 1, seed=[7, position], dtype=tf.int32)
        return drawn[:, 0], cache

    letter = tf.constant([1, 4, 9])
    cache = {"keys": tf.zeros([3, 0, WIDTH]), "values": tf.zeros([3, 0, WIDTH])}
    letters = []
    for position in range(10):
        letter, cache = sample(letter, cache, position)
        letters.append(letter)
    return [*letters, cache, *model.variables]
