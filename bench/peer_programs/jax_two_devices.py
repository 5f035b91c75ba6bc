"""Batches arrive on two devices in turn: one trace, and yet two compilations."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import numpy as np


@jax.jit
def total(batch):
    return (batch * 2.0).sum()


for number in range(6):
    batch = jax.device_put(np.ones([8, 8], np.float32), jax.devices()[number % 2])
    total(batch)  # the call
print("done")
