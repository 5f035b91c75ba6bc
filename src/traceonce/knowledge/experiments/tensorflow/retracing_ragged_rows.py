"""The lengths of a ragged tensor's rows are free, but their number is part of its type: each is a trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="spec", path="tokens.shape[0]", cured=2)

batches = [tf.ragged.constant([[1, 2, 3]] * rows + [[4]]) for rows in (1, 2, 3, 4, 5)]


def failure():
    @tf.function
    def count_tokens(tokens):
        return tf.reduce_sum(tokens.row_lengths()) + tf.cast(tokens.nrows(), tf.int64)

    return [count_tokens(tokens) for tokens in batches]


def workaround_ragged_signature():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def count_tokens(tokens):
        return tf.reduce_sum(tokens.row_lengths()) + tf.cast(tokens.nrows(), tf.int64)

    return [count_tokens(tokens) for tokens in batches]


def workaround_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def count_tokens(tokens):
        return tf.reduce_sum(tokens.row_lengths()) + tf.cast(tokens.nrows(), tf.int64)

    return [count_tokens(tokens) for tokens in batches]


def workaround_pass_the_parts():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int64)])
    def count_tokens(values, row_splits):
        tokens = tf.RaggedTensor.from_row_splits(values, row_splits)
        return tf.reduce_sum(tokens.row_lengths()) + tf.cast(tokens.nrows(), tf.int64)

    return [count_tokens(tokens.values, tokens.row_splits) for tokens in batches]


def dead_end_pad_only():
    @tf.function
    def count_tokens(tokens):
        lengths = tf.reduce_sum(tf.cast(tokens != 0, tf.int64), axis=1)
        return tf.reduce_sum(lengths) + tf.shape(tokens, out_type=tf.int64)[0]

    return [count_tokens(tokens.to_tensor()) for tokens in batches]


def dead_end_dense_signature():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def count_tokens(tokens):
        return tf.reduce_sum(tokens.row_lengths()) + tf.cast(tokens.nrows(), tf.int64)

    return [count_tokens(tokens) for tokens in batches]


@tf.function
def mean_embedding(documents):
    return tf.reduce_mean(documents, axis=1)


def message_documents():
    rows = [tf.ragged.constant([[1.0, 2.0], [3.0]] * count) for count in range(1, 8)]
    return [mean_embedding(documents) for documents in rows]


def message_features_of_a_batch():
    class Ranker:
        @tf.function
        def score(self, batch, scale):
            return tf.reduce_sum(batch["clicks"], axis=1) * scale

    ranker = Ranker()
    return [
        ranker.score({"clicks": tf.ragged.constant([[1.0]] * users + [[1.0, 2.0]])}, tf.constant(2.0))
        for users in range(1, 7)
    ]


def message_last_batch():
    @tf.function
    def lengths(sentences):
        return sentences.row_lengths()

    return [lengths(tf.ragged.constant([["a", "b"], ["c"]] * half)) for half in (4, 1)]


def message_nested_rows():
    @tf.function
    def flatten(paragraphs, keep):
        return paragraphs.merge_dims(1, 2).row_lengths() * keep

    keep = tf.constant(1, tf.int64)
    return [flatten(tf.ragged.constant([[[1, 2], [3]], [[4]]] * count), keep) for count in range(1, 7)]
