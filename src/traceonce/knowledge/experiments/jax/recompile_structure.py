"""The structure of the arguments (keys, lengths, list or tuple, None or not) is part of the signature."""

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=4, cause="structure", function="total")

GROUPS = [[np.float32(number + 1) for number in range(count)] for count in (1, 3, 2, 4)]


@cases("a list of another length", "other keys")
def failure(use):
    @jax.jit
    def total(group):
        values = group.values() if isinstance(group, dict) else group
        return sum(values)

    if use == "other keys":
        return [total({f"item{number}": value for number, value in enumerate(group)}) for group in GROUPS]
    return [total(group) for group in GROUPS]


@cases("a list of another length", "other keys")
def workaround_one_padded_array(use):
    @jax.jit
    def total(values, count):
        return jnp.sum(values, where=jnp.arange(values.shape[0]) < count)

    return [total(np.pad(np.array(group), (0, 8 - len(group))), len(group)) for group in GROUPS]


@cases("other keys")
def workaround_all_keys(use):
    @jax.jit
    def total(group):
        return sum(group.values())

    keys = ("item0", "item1", "item2", "item3")
    complete = []
    for group in GROUPS:
        given = {f"item{number}": value for number, value in enumerate(group)}
        complete.append({key: given.get(key, np.float32(0.0)) for key in keys})
    return [total(group) for group in complete]


@cases("a list of another length")
def dead_end_tuple(use):
    @jax.jit
    def total(group):
        return sum(group)

    return [total(tuple(group)) for group in GROUPS]


@cases("other keys", "a list of another length")
def dead_end_none(use):
    @jax.jit
    def total(group):
        return sum(value for value in group if value is not None)

    return [total([*group, *[None] * (4 - len(group))]) for group in GROUPS]


@cases("a list of another length")
def dead_end_star_arguments(use):
    @jax.jit
    def total(*group):
        return sum(group)

    return [total(*group) for group in GROUPS]


def message_an_optional_mask():
    @jax.jit
    def attend(x, mask=None):
        return jnp.sum(x) if mask is None else jnp.sum(x * mask)

    x = np.ones(3, np.float32)
    return [attend(x), attend(x, x), attend(x)]


def message_list_and_tuple():
    @jax.jit
    def stack(parts):
        return jnp.stack(parts)

    x = np.ones(3, np.float32)
    return [stack([x, x]), stack((x, x)), stack([x, x, x])]


def message_a_key_that_comes_later():
    @jax.jit
    def train_step(state):
        return {**state, "loss": jnp.sum(state["w"])}

    state = {"w": np.ones(2, np.float32)}
    for _ in range(3):
        state = train_step(state)
    return state


def message_as_jax_explains_it():
    jax.config.update("jax_explain_cache_misses", True)

    @jax.jit
    def total(group):
        return jax.tree.reduce(lambda one, other: one + other, group)

    x = np.float32(1.0)
    return [total([x, x]), total([x, x, x]), total((x, x)), total({"a": x}), total({"a": x, "b": x})]
