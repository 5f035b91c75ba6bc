"""Where an array lies is part of what is compiled: another device, or another division, and XLA runs again."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from traceonce.knowledge.experiment import Recompiles, cases

symptom = Recompiles(compilations=4)

jax.config.update("jax_num_cpu_devices", 4)

X = np.arange(16, dtype=np.float32).reshape(4, 4)


@cases("another device", "another division")
def failure(use):
    @jax.jit
    def total(x):
        return jnp.sum(x * 2.0)

    places = jax.devices("cpu")
    if use == "another division":
        mesh = Mesh(np.array(places).reshape(2, 2), ("a", "b"))
        parts = (PartitionSpec(), PartitionSpec("a"), PartitionSpec("b"), PartitionSpec(None, "a"))
        places = [NamedSharding(mesh, part) for part in parts]
    return [total(jax.device_put(X, place)) for place in places * 2]


@cases("another device", "another division")
def workaround_put_it_in_one_place(use):
    @jax.jit
    def total(x):
        return jnp.sum(x * 2.0)

    places = jax.devices("cpu")
    if use == "another division":
        mesh = Mesh(np.array(places).reshape(2, 2), ("a", "b"))
        parts = (PartitionSpec(), PartitionSpec("a"), PartitionSpec("b"), PartitionSpec(None, "a"))
        places = [NamedSharding(mesh, part) for part in parts]
    outputs = []
    for place in places * 2:
        x = jax.device_put(X, place)  # from wherever it comes
        outputs.append(total(jax.device_put(x, places[0])))
    return outputs


@cases("another device")
def workaround_from_the_host(use):
    @jax.jit
    def total(x):
        return jnp.sum(x * 2.0)

    outputs = []
    for place in jax.devices("cpu") * 2:
        x = jax.device_put(X, place)
        outputs.append(total(np.asarray(x)))  # a NumPy array is committed to no device
    return outputs


@cases("another division")
def workaround_constraint_in_one_place(use):
    mesh = Mesh(np.array(jax.devices("cpu")), ("data",))
    divided = NamedSharding(mesh, PartitionSpec("data"))

    @jax.jit
    def total(x):
        return jnp.sum(jax.lax.with_sharding_constraint(x, divided) * 2.0)

    return [total(X) for _ in range(8)]  # what comes in is committed nowhere; inside, it is divided


@cases("another device", "another division")
def dead_end_jit_again(use):
    def double_sum(x):
        return jnp.sum(x * 2.0)

    places = jax.devices("cpu")
    if use == "another division":
        mesh = Mesh(np.array(places).reshape(2, 2), ("a", "b"))
        parts = (PartitionSpec(), PartitionSpec("a"), PartitionSpec("b"), PartitionSpec(None, "a"))
        places = [NamedSharding(mesh, part) for part in parts]
    return [jax.jit(double_sum)(jax.device_put(X, place)) for place in places * 2]


@cases("another device")
def dead_end_default_device(use):
    @jax.jit
    def total(x):
        return jnp.sum(x * 2.0)

    devices = jax.devices("cpu")
    with jax.default_device(devices[0]):  # speaks of arrays without a place, not of these
        return [total(jax.device_put(X, place)) for place in devices * 2]


def message_a_device_each():
    @jax.jit
    def forward(weights, x):
        return jnp.dot(weights, x)

    return [forward(jax.device_put(X, device), jax.device_put(X, device)) for device in jax.devices("cpu") * 2]


def message_one_after_the_other():
    @jax.jit
    def step(x):
        return x + 1.0

    return [step(jax.device_put(X, device)) for device in jax.devices("cpu")]


def message_the_weights_alone():
    mesh = Mesh(np.array(jax.devices("cpu")).reshape(2, 2), ("a", "b"))

    @jax.jit
    def predict(params, x):
        return jnp.dot(x, params["w"])

    outputs = []
    for part in (PartitionSpec(), PartitionSpec("a"), PartitionSpec("b"), PartitionSpec(None, "b")):
        params = {"w": jax.device_put(X, NamedSharding(mesh, part))}
        outputs += [predict(params, X), predict(params, X)]
    return outputs
