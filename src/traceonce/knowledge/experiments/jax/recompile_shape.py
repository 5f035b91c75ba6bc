"""JAX compiles for each shape that it meets, and never opens a dimension."""

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=6, cause="shape", path="batch.shape[1]", function="encode", cured=2)

SENTENCES = [np.full([2, length], 0.5 * length, np.float32) for length in (12, 9, 15, 20, 7, 11)]


def failure():
    @jax.jit
    def encode(batch):
        return jnp.mean(batch, axis=1)

    return [encode(batch) for batch in SENTENCES]


def workaround_pad_to_one_length():
    @jax.jit
    def encode(batch, length):
        mask = jnp.arange(batch.shape[1]) < length
        return jnp.sum(batch, axis=1, where=mask) / length

    means = []
    for batch in SENTENCES:
        length = batch.shape[1]
        means.append(encode(np.pad(batch, [(0, 0), (0, 32 - length)]), length))
    return means


def workaround_pad_to_powers_of_two():
    @jax.jit
    def encode(batch, length):
        mask = jnp.arange(batch.shape[1]) < length
        return jnp.sum(batch, axis=1, where=mask) / length

    means = []
    for batch in SENTENCES:
        length = batch.shape[1]
        bucket = max(16, 1 << (length - 1).bit_length())  # 16 or 32: two compilations
        means.append(encode(np.pad(batch, [(0, 0), (0, bucket - length)]), length))
    return means


def workaround_pieces_of_one_size():
    @jax.jit
    def add(total, piece, count):
        mask = jnp.arange(piece.shape[1]) < count
        return total + jnp.sum(piece, axis=1, where=mask)

    means = []
    for batch in SENTENCES:
        total, length = np.zeros(2, np.float32), batch.shape[1]
        for start in range(0, length, 8):  # pieces of one size
            piece = batch[:, start : start + 8]
            count = piece.shape[1]
            total = add(total, np.pad(piece, [(0, 0), (0, 8 - count)]), count)
        means.append(total / length)
    return means


def dead_end_pad_without_a_mask():
    @jax.jit
    def encode(batch):
        return jnp.mean(batch, axis=1)

    return [encode(np.pad(batch, [(0, 0), (0, 32 - batch.shape[1])])) for batch in SENTENCES]


def dead_end_jax_arrays():
    @jax.jit
    def encode(batch):
        return jnp.mean(batch, axis=1)

    return [encode(jnp.asarray(batch)) for batch in SENTENCES]


def dead_end_reshape_inside():
    @jax.jit
    def encode(batch):
        batch = jnp.reshape(batch, (2, -1))
        return jnp.sum(batch, axis=1) / batch.shape[1]

    return [encode(batch) for batch in SENTENCES]


def dead_end_vmap():
    @jax.jit
    def encode(batch):
        return jax.vmap(jnp.mean)(batch)

    return [encode(batch) for batch in SENTENCES]


def message_images():
    @jax.jit
    def detect(images, threshold):
        return jnp.sum(images > threshold)

    sizes = [(32, 48), (40, 40), (64, 32), (24, 56), (48, 64)]
    return [detect(np.ones([1, *size, 3], np.float32), np.float32(0.5)) for size in sizes]


def message_dictionary():
    @jax.jit
    def train_step(features):
        return jnp.sum(features["ids"]) + jnp.sum(features["mask"])

    lengths = (31, 18, 44, 27, 50)
    return [train_step({name: np.ones([4, n], np.int32) for name in ("ids", "mask")}) for n in lengths]


def message_in_a_gradient():
    @jax.jit
    def loss(params, tokens):
        return jnp.sum(params * jnp.mean(tokens))

    gradient = jax.jit(jax.grad(loss))
    return [gradient(np.ones(3, np.float32), np.ones([n], np.float32)) for n in (6, 3, 8, 5)]


def message_as_jax_explains_it():
    jax.config.update("jax_explain_cache_misses", True)

    @jax.jit
    def encode(batch, mask):
        return batch * mask

    return [encode(batch, batch > 4.0) for batch in SENTENCES]
