"""Average the word vectors of sentences, one sentence at a time."""

import tensorflow as tf

VOCABULARY = 50
table = tf.reshape(tf.range(VOCABULARY * 4, dtype=tf.float32), [VOCABULARY, 4]) / 100.0


@tf.function
def average(tokens):
    print("building the graph for", tokens.shape)  # shows when TensorFlow compiles
    vectors = tf.gather(table, tokens)
    return tf.reduce_mean(vectors, axis=0)


sentences = [
    [3, 14, 15],
    [9, 26, 5, 35],
    [8, 9],
    [7, 9, 3, 23, 8, 46],
    [2, 6, 43, 38, 3],
    [27, 9, 50 - 1, 2, 8, 8, 4],
]
for sentence in sentences:
    print(len(sentence), "words:", average(tf.constant(sentence)).numpy().round(3))
