"""1, True and 1.0 are equal in Python, and so they share a trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Wrong

symptom = Wrong()


def failure():
    @tf.function
    def best_scores(scores, keep):
        count = keep if isinstance(keep, int) else round(keep * len(scores))  # a number, or a share of all
        return tf.math.top_k(scores, count).values

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    return [best_scores(scores, 1), best_scores(scores, 1.0)]


def right():
    scores = sorted([0.1, 0.7, 0.2, 0.4], reverse=True)
    return [scores[:1], scores[: round(1.0 * len(scores))]]


def workaround_share_as_flag():
    @tf.function
    def best_scores(scores, keep, share):
        count = round(keep * len(scores)) if share else keep
        return tf.math.top_k(scores, count).values

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    return [best_scores(scores, 1, share=False), best_scores(scores, 1.0, share=True)]


def workaround_decide_before_the_call():
    @tf.function
    def best_scores(scores, count):
        return tf.math.top_k(scores, count).values

    def best(scores, keep):
        count = keep if isinstance(keep, int) else round(keep * len(scores))
        return best_scores(scores, count)

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    return [best(scores, 1), best(scores, 1.0)]


def workaround_tensors():
    @tf.function
    def best_scores(scores, keep):
        if keep.dtype.is_floating:
            keep = tf.cast(tf.round(keep * len(scores)), tf.int32)
        return tf.math.top_k(scores, keep).values

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    return [best_scores(scores, tf.constant(1)), best_scores(scores, tf.constant(1.0))]


def dead_end_type_hints():
    @tf.function
    def best_scores(scores: tf.Tensor, keep: int | float):
        count = keep if isinstance(keep, int) else round(keep * len(scores))
        return tf.math.top_k(scores, count).values

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    return [best_scores(scores, 1), best_scores(scores, 1.0)]


def dead_end_concrete_functions():
    @tf.function
    def best_scores(scores, keep):
        count = keep if isinstance(keep, int) else round(keep * len(scores))
        return tf.math.top_k(scores, count).values

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    by_number = best_scores.get_concrete_function(scores, 1)
    by_share = best_scores.get_concrete_function(scores, 1.0)
    return [by_number(scores), by_share(scores)]


def dead_end_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
    def best_scores(scores, keep):
        count = keep if isinstance(keep, int) else tf.cast(keep * tf.cast(tf.size(scores), tf.float32), tf.int32)
        return tf.math.top_k(scores, count).values

    scores = tf.constant([0.1, 0.7, 0.2, 0.4])
    return [best_scores(scores, 1), best_scores(scores, 1.0)]


def message_division():
    @tf.function
    def halve(total, parts):
        return total // parts if isinstance(parts, int) else total / parts

    halve(tf.constant(7.0), 2)
    halve(tf.constant(7.0), 2.0)


def message_padding_value():
    @tf.function
    def pad(tokens, value=0):
        return tf.fill([tokens, 2], value)

    pad(3, 0)
    pad(3, 0.0)


def message_nested_in_a_dictionary():
    @tf.function
    def augment(image, options):
        return tf.constant(options["strength"]), image

    augment(tf.ones([2, 2]), {"strength": 1})
    augment(tf.ones([2, 2]), {"strength": True})
    augment(tf.ones([2, 2]), {"strength": 1.0})


def message_method():
    class Sampler:
        @tf.function
        def draw(self, logits, top):
            return tf.zeros([2], tf.int32) if isinstance(top, int) else logits * top

    sampler = Sampler()
    sampler.draw(tf.ones([2]), 1.0)
    sampler.draw(tf.ones([2]), 1)
