"""An input signature fixes every size that is not None: a tensor of the same rank and another size is refused."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="TypeError", text=r"Can not cast TensorSpec\(shape=\(3, 5\).* to .*\(10, 5\), dtype=tf\.float32")


@cases("prediction", "training")
def failure(use):
    @tf.function(input_signature=[tf.TensorSpec([10, 5], tf.float32)])
    def predict(batch):
        return tf.reduce_sum(batch, axis=1)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(10)  # 10 rows, then 3
    if use == "training":
        return sum(tf.reduce_sum(predict(batch)) for _ in range(10) for batch in batches)
    return tf.concat([predict(batch) for batch in batches], axis=0)


@cases("prediction", "training")
def right(use):
    rows = tf.reshape(tf.range(65.0), [13, 5])
    sums = tf.reduce_sum(rows, axis=1)
    return sums if use == "prediction" else 10.0 * tf.reduce_sum(sums)


@cases("prediction")
def workaround_none_in_that_dimension(use):
    @tf.function(input_signature=[tf.TensorSpec([None, 5], tf.float32)])
    def predict(batch):
        return tf.reduce_sum(batch, axis=1)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(10)  # 10 rows, then 3
    return tf.concat([predict(batch) for batch in batches], axis=0)


@cases("prediction")
def workaround_pad_and_cut(use):
    @tf.function(input_signature=[tf.TensorSpec([10, 5], tf.float32)])
    def predict(batch):
        return tf.reduce_sum(batch, axis=1)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    predictions = []
    for batch in tf.data.Dataset.from_tensor_slices(rows).batch(10):
        count = len(batch)
        padded = tf.pad(batch, [[0, 10 - count], [0, 0]])
        predictions.append(predict(padded)[:count])
    return tf.concat(predictions, axis=0)


@cases("training")
def workaround_repeat_before_batch(use):
    @tf.function(input_signature=[tf.TensorSpec([10, 5], tf.float32)])
    def train_step(batch):
        return tf.reduce_sum(batch)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    batches = tf.data.Dataset.from_tensor_slices(rows).repeat(10).batch(10, drop_remainder=True)
    return sum(train_step(batch) for batch in batches)


@cases("prediction")
def dead_end_drop_remainder(use):
    @tf.function(input_signature=[tf.TensorSpec([10, 5], tf.float32)])
    def predict(batch):
        return tf.reduce_sum(batch, axis=1)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(10, drop_remainder=True)
    return tf.concat([predict(batch) for batch in batches], axis=0)


@cases("prediction")
def dead_end_reshape(use):
    @tf.function(input_signature=[tf.TensorSpec([10, 5], tf.float32)])
    def predict(batch):
        return tf.reduce_sum(batch, axis=1)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(10)  # 10 rows, then 3
    return tf.concat([predict(tf.reshape(batch, [10, 5])) for batch in batches], axis=0)


@cases("prediction")
def dead_end_reduce_retracing(use):
    @tf.function(input_signature=[tf.TensorSpec([10, 5], tf.float32)], reduce_retracing=True)
    def predict(batch):
        return tf.reduce_sum(batch, axis=1)

    rows = tf.reshape(tf.range(65.0), [13, 5])
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(10)  # 10 rows, then 3
    return tf.concat([predict(batch) for batch in batches], axis=0)


def message_other_width():
    class Embedding(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 128], tf.float32)])
        def project(self, vectors):
            return vectors[:, :2]

    return Embedding().project(tf.ones([4, 64]))


def message_channels_last():
    @tf.function(input_signature=[tf.TensorSpec([None, 3, 32, 32], tf.float32)])
    def classify(images):
        return tf.reduce_mean(images, axis=[2, 3])

    return classify(tf.ones([2, 32, 32, 3]))


def message_a_shorter_sentence():
    @tf.function(input_signature=[tf.TensorSpec([1, 16], tf.int32)])
    def translate(tokens):
        return tokens + 1

    return translate([[4, 8, 15, 16, 23]])


def message_inside_another_function():
    @tf.function(input_signature=[tf.TensorSpec([8], tf.int64), tf.TensorSpec([8, 4], tf.float32)])
    def loss(labels, logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    @tf.function
    def train_step(labels, logits):
        return tf.reduce_mean(loss(labels, logits))

    return train_step(tf.zeros([5], tf.int64), tf.ones([5, 4]))
