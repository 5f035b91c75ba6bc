"""Train a tagger with a class of its own: Adam, a warm-up by a Python step, lengths that vary, a partial last batch."""

import tensorflow as tf

FEWEST = 6
WHY = (
    "The first call; the open length; a second step and the step as a tensor; the open batch size. A trace with a "
    "number that notices shows that nobody looks at it."
)

WORDS, TAGS, WIDTH, WARM_UP = 20, 4, 8, 4


class Trainer(tf.Module):
    def __init__(self):
        super().__init__()
        self.embedding = tf.Variable(tf.sin(tf.reshape(tf.range(float(WORDS * WIDTH)), [WORDS, WIDTH])))
        self.projection = tf.Variable(tf.cos(tf.reshape(tf.range(float(WIDTH * TAGS)), [WIDTH, TAGS])))
        self.weights = [self.embedding, self.projection]
        self.optimizer = tf.keras.optimizers.Adam()
        self.optimizer.build(self.weights)
        self.seen = tf.Variable(0)

    def loss(self, words, tags):
        logits = tf.gather(self.embedding, words) @ self.projection
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tags, logits))

    def train_step(self, words, tags, step):
        self.optimizer.learning_rate.assign(0.01 * tf.minimum(1.0, tf.cast(step + 1, tf.float32) / WARM_UP))
        with tf.GradientTape() as tape:
            loss = self.loss(words, tags)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, self.weights), 1.0)
        self.optimizer.apply_gradients(zip(gradients, self.weights, strict=True))
        self.seen.assign_add(tf.size(words))
        return {"loss": loss, "seen": self.seen.read_value()}


def batches():
    """Batches of four sentences, each as long as its longest; one sentence is left over at the end."""
    for rows, length in ((4, 7), (4, 5), (4, 9), (4, 6), (1, 8)):
        words = tf.reshape(tf.range(rows * length), [rows, length]) % WORDS
        yield words, words % TAGS


def run(function):
    class CompiledTrainer(Trainer):
        train_step = function(Trainer.train_step)

    trainer, logs, step = CompiledTrainer(), [], 0
    for _ in range(2):
        for words, tags in batches():
            logs.append(trainer.train_step(words, tags, step))
            step += 1
    return [*logs, *trainer.weights, *trainer.optimizer.variables]
