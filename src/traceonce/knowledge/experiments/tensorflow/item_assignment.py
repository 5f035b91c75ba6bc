"""A tensor is never changed in place: there is no `tensor[i] = value`."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="TypeError", text=r"'SymbolicTensor' object does not support item assignment")


def failure():
    @tf.function
    def mask_token(scores, index):
        scores[index] = -1.0
        return scores

    return mask_token(tf.constant([1.0, 2.0, 3.0]), tf.constant(1))


def right():
    return [1.0, -1.0, 3.0]


def workaround_scatter():
    @tf.function
    def mask_token(scores, index):
        return tf.tensor_scatter_nd_update(scores, [[index]], [-1.0])

    return mask_token(tf.constant([1.0, 2.0, 3.0]), tf.constant(1))


def workaround_where():
    @tf.function
    def mask_token(scores, index):
        return tf.where(tf.range(tf.size(scores)) == index, -1.0, scores)

    return mask_token(tf.constant([1.0, 2.0, 3.0]), tf.constant(1))


def workaround_variable():
    buffer = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def mask_token(index):
        buffer[index].assign(-1.0)
        return buffer.read_value()

    return mask_token(tf.constant(1))


def dead_end_variable_item():
    buffer = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def mask_token(index):
        buffer[index] = -1.0
        return buffer.read_value()

    return mask_token(tf.constant(1))


def dead_end_numpy():
    @tf.function
    def mask_token(scores, index):
        values = scores.numpy()
        values[index] = -1.0
        return tf.constant(values)

    return mask_token(tf.constant([1.0, 2.0, 3.0]), tf.constant(1))


def dead_end_scatter_without_result():
    @tf.function
    def mask_token(scores, index):
        tf.tensor_scatter_nd_update(scores, [[index]], [-1.0])
        return scores

    return mask_token(tf.constant([1.0, 2.0, 3.0]), tf.constant(1))


def message_slice_of_a_batch():
    @tf.function
    def occlude(images):
        images[:, 2:5, 2:5] = 0.0
        return images

    return occlude(tf.ones([2, 8, 8]))


def message_in_a_loop_of_a_method():
    class Sampler(tf.Module):
        @tf.function
        def cumulate(self, values):
            for i in tf.range(1, tf.size(values)):
                values[i] += values[i - 1]
            return values

    return Sampler().cumulate(tf.constant([1, 2, 3]))


def message_in_a_dataset():
    def shift_labels(example):
        labels = tf.identity(example["tokens"])
        labels[0] = -100
        return example["tokens"], labels

    examples = tf.data.Dataset.from_tensors({"tokens": [5, 6, 7]})
    return list(examples.map(shift_labels))
