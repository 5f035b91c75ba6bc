"""The dtype belongs to the signature: the same data as int32, float32 and float64 are three traces."""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=3, cause="dtype", path="x.dtype")


@cases("NumPy arrays", "NumPy scalars", "tensors")
def failure(given):
    @tf.function
    def train_step(x):
        return 0.5 * tf.cast(x, tf.float32)

    kinds = (np.int32, np.float32, np.float64)
    if given == "NumPy arrays":
        inputs = [np.array([1, 2, 3], kind) for kind in kinds]
    elif given == "NumPy scalars":
        inputs = [kind(3) for kind in kinds]
    else:
        inputs = [tf.constant([1, 2, 3], kind) for kind in kinds]
    return [train_step(x) for x in inputs]


@cases("tensors")
def workaround_cast(given):
    @tf.function
    def train_step(x):
        return 0.5 * x

    inputs = [tf.constant([1, 2, 3], dtype) for dtype in (tf.int32, tf.float32, tf.float64)]
    return [train_step(tf.cast(x, tf.float32)) for x in inputs]


@cases("NumPy arrays")
def workaround_asarray(given):
    @tf.function
    def train_step(x):
        return 0.5 * x

    inputs = [np.array([1, 2, 3], dtype) for dtype in (np.int32, np.float32, np.float64)]
    return [train_step(np.asarray(x, np.float32)) for x in inputs]


@cases("NumPy arrays")
def workaround_signature(given):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def train_step(x):
        return 0.5 * x

    inputs = [np.array([1, 2, 3], dtype) for dtype in (np.int32, np.float32, np.float64)]
    return [train_step(x) for x in inputs]


@cases("tensors")
def dead_end_signature_for_tensors(given):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def train_step(x):
        return 0.5 * x

    inputs = [tf.constant([1, 2, 3], dtype) for dtype in (tf.int32, tf.float32, tf.float64)]
    return [train_step(x) for x in inputs]


@cases("tensors")
def dead_end_type_hints(given):
    @tf.function
    def train_step(x: tf.Tensor) -> tf.Tensor:
        return 0.5 * tf.cast(x, tf.float32)

    inputs = [tf.constant([1, 2, 3], dtype) for dtype in (tf.int32, tf.float32, tf.float64)]
    return [train_step(x) for x in inputs]


@cases("tensors")
def dead_end_relax(given):
    @tf.function(reduce_retracing=True)
    def train_step(x):
        return 0.5 * tf.cast(x, tf.float32)

    inputs = [tf.constant([1, 2, 3], dtype) for dtype in (tf.int32, tf.float32, tf.float64)]
    return [train_step(x) for x in inputs]


def message_labels():
    @tf.function
    def compute_loss(logits, labels):
        return tf.reduce_mean(tf.square(logits - tf.cast(labels, logits.dtype)))

    kinds = (tf.int32, tf.int64, tf.uint8, tf.float32, tf.bool)
    return [compute_loss(tf.ones([4]), tf.cast([1, 0, 1, 0], kind)) for kind in kinds]


def message_method_and_dictionary():
    class Normalizer(tf.Module):
        @tf.function
        def normalize(self, features):
            return tf.cast(features["pixels"], tf.float32) / 255.0

    normalizer = Normalizer()
    kinds = (np.uint8, np.int16, np.int32, np.float64)
    return [normalizer.normalize({"pixels": np.ones([2, 2], kind)}) for kind in kinds]
