"""How the arguments nest is part of the signature: another length, another key, a tuple for a list is a new trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="structure", path="len(views)")

albums = [[tf.constant([float(view), 1.0]) for view in range(count)] for count in (1, 2, 3, 4, 5)]


def failure():
    @tf.function
    def average_views(views):
        return tf.add_n(views) / len(views)

    return [average_views(views) for views in albums]


def workaround_stack_before_the_call():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def average_views(views):
        return tf.reduce_mean(views, axis=0)

    return [average_views(tf.stack(views)) for views in albums]


def workaround_signature_that_stacks():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def average_views(views):  # a list that is passed here is stacked into one tensor
        return tf.reduce_mean(views, axis=0)

    return [average_views(views) for views in albums]


def workaround_fixed_length():
    @tf.function
    def average_views(views, count):
        return tf.add_n(views) / count

    longest = max(len(views) for views in albums)
    filler = tf.zeros([2])  # adds nothing to the sum
    averages = []
    for views in albums:
        padded = views + [filler] * (longest - len(views))
        averages.append(average_views(padded, tf.constant(float(len(views)))))
    return averages


def dead_end_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def average_views(views):
        return tf.add_n(views) / len(views)

    return [average_views(views) for views in albums]


def dead_end_tuple():
    @tf.function
    def average_views(views):
        return tf.add_n(views) / len(views)

    return [average_views(tuple(views)) for views in albums]


def dead_end_star_arguments():
    @tf.function
    def average_views(*views):
        return tf.add_n(views) / len(views)

    return [average_views(*views) for views in albums]


@tf.function
def encode(batch):
    return tf.add_n(list(batch.values()))


def message_optional_features():
    names = ["ids", "positions", "segments", "langs", "speakers", "domains"]
    return [encode({name: tf.ones([4]) for name in names[:count]}) for count in range(1, 7)]


def message_keyword_arguments():
    class Scorer:
        @tf.function
        def score(self, query, **signals):
            return query + tf.add_n(list(signals.values()))

    scorer = Scorer()
    kinds = ["clicks", "dwell", "price", "age", "rank", "stock"]
    return [scorer.score(tf.constant(1.0), **{kind: tf.constant(2.0)}) for kind in kinds]


def message_list_or_tuple():
    @tf.function(jit_compile=False)
    def detect(boxes, threshold):
        return tf.stack(boxes)[0] > threshold

    corners = [tf.constant(0.1), tf.constant(0.9)]
    return [detect(corners, tf.constant(0.5)), detect(tuple(corners), tf.constant(0.5))]


def message_growing_history():
    @tf.function
    def attend(query, cache):
        return query * tf.reduce_sum([tf.reduce_sum(layer["keys"]) for layer in cache])

    layers = [{"keys": tf.ones([2, 3]), "values": tf.ones([2, 3])} for _ in range(7)]
    return [attend(tf.constant(1.0), layers[: depth + 1]) for depth in range(7)]
