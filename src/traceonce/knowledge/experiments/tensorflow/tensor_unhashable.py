"""A tensor has no hash: it can be neither the key of a dictionary nor a member of a set."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"Tensor is unhashable")


def failure():
    counts = {0: 0.5, 3: 2.0, 7: 8.0}

    @tf.function
    def weight_of(label):
        return counts[label]

    return [weight_of(tf.constant(label)) for label in (3, 0, 7)]


def right():
    return [2.0, 0.5, 8.0]


def workaround_gather():
    weights = tf.constant([0.5, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 8.0])  # by label

    @tf.function
    def weight_of(label):
        return tf.gather(weights, label)

    return [weight_of(tf.constant(label)) for label in (3, 0, 7)]


def workaround_hash_table():
    entries = tf.lookup.KeyValueTensorInitializer(tf.constant([0, 3, 7]), tf.constant([0.5, 2.0, 8.0]))
    weights = tf.lookup.StaticHashTable(entries, default_value=0.0)

    @tf.function
    def weight_of(label):
        return weights.lookup(label)

    return [weight_of(tf.constant(label)) for label in (3, 0, 7)]


def dead_end_ref():
    counts = {tf.constant(label).ref(): weight for label, weight in ((0, 0.5), (3, 2.0), (7, 8.0))}

    @tf.function
    def weight_of(label):
        return counts[label.ref()]

    return [weight_of(tf.constant(label)) for label in (3, 0, 7)]


def dead_end_text_as_key():
    counts = {"0": 0.5, "3": 2.0, "7": 8.0}

    @tf.function
    def weight_of(label):
        return counts[str(label)]

    return [weight_of(tf.constant(label)) for label in (3, 0, 7)]


def message_in_a_set():
    @tf.function
    def is_special(token):
        return token in {0, 1, 2}

    return is_special(tf.constant(2))


def message_dictionary_of_functions():
    activations = {"relu": tf.nn.relu, "tanh": tf.nn.tanh}

    class Block(tf.Module):
        @tf.function
        def apply(self, features, name):
            return activations[name](features)

    return Block().apply(tf.ones([2]), tf.constant("relu"))


def message_counting_in_a_loop():
    @tf.function
    def histogram(tokens):
        counts = {}
        for token in tf.unstack(tokens):
            counts[token] = counts.get(token, 0) + 1
        return len(counts)

    return histogram(tf.constant([3, 3, 5]))
