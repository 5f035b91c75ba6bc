"""Every trace is kept, with the constants in its graph, as long as its function lives."""

import gc
import resource

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Grows

symptom = Grows(mib=150, cured=100)


def failure():
    positions = np.linspace(0.0, 1.0, 512 * 512, dtype=np.float32).reshape(512, 512)  # 1 MiB

    @tf.function
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    return [encode(tokens, step) for step in range(30)]


def workaround_tensor():
    positions = np.linspace(0.0, 1.0, 512 * 512, dtype=np.float32).reshape(512, 512)

    @tf.function
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    return [encode(tokens, tf.constant(float(step))) for step in range(30)]


def workaround_input_signature():
    positions = np.linspace(0.0, 1.0, 512 * 512, dtype=np.float32).reshape(512, 512)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.float32)])
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    return [encode(tokens, step) for step in range(30)]


def workaround_tensor_outside():
    positions = tf.reshape(tf.linspace(0.0, 1.0, 512 * 512), [512, 512])  # captured by reference, not copied

    @tf.function
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    return [encode(tokens, step) for step in range(30)]


def dead_end_collect_garbage():
    positions = np.linspace(0.0, 1.0, 512 * 512, dtype=np.float32).reshape(512, 512)

    @tf.function
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    sums = []
    for step in range(30):
        sums.append(encode(tokens, step))
        if step % 10 == 9:
            gc.collect()
    return sums


def dead_end_clear_session():
    positions = np.linspace(0.0, 1.0, 512 * 512, dtype=np.float32).reshape(512, 512)

    @tf.function
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    sums = []
    for step in range(30):
        sums.append(encode(tokens, step))
        if step % 10 == 9:
            tf.keras.backend.clear_session()
    return sums


def dead_end_reduce_retracing():
    positions = np.linspace(0.0, 1.0, 512 * 512, dtype=np.float32).reshape(512, 512)

    @tf.function(reduce_retracing=True)
    def encode(tokens, step):
        return tf.reduce_sum(tf.gather(positions, tokens)) * step

    tokens = tf.constant([3, 1, 4])
    return [encode(tokens, step) for step in range(30)]


def allow(mib):
    """Let this process have so much more memory, as a container would."""
    with open("/proc/self/statm") as sizes:
        used = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + mib * 2**20, resource.RLIM_INFINITY))


def message_table_made_while_tracing():
    @tf.function
    def attend(queries, length):
        bias = np.zeros([8192, 1024])[:128].copy()  # 64 MiB, for a moment
        return tf.reduce_sum(tf.gather(bias, queries)) / length

    attend(tf.constant([1, 2]), 1)
    allow(250)
    for length in range(2, 60):
        attend(tf.constant([1, 2]), length)


def message_method_of_a_trainer():
    class Trainer:
        @tf.function
        def train_step(self, index, epoch):
            noise = np.zeros([4096, 2048])[:64].copy()
            return tf.gather(noise, index) * epoch

    trainer = Trainer()
    trainer.train_step(tf.constant(0), 0.0)
    allow(250)
    for epoch in range(1, 60):
        trainer.train_step(tf.constant(0), float(epoch))


def message_nested_function():
    def causal_mask(size):
        return np.tri(size, dtype=np.float64)

    @tf.function
    def decode(logits, position):
        mask = causal_mask(3000)[:400, :400].copy()
        return tf.reduce_sum(logits * mask) + position

    decode(tf.ones([400], tf.float64), 0)
    allow(250)
    for position in range(1, 60):
        decode(tf.ones([400], tf.float64), position)
