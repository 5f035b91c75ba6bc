"""For each cause that this framework can have, a small program that makes it happen."""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.causes.example import Example
from traceonce.facts import CauseCode

EXAMPLES: Mapping[CauseCode, Example] = {
    CauseCode.SHAPE: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def total(x):
    return x.sum()

for length in (2, 3, 4):
    total(jnp.ones(length))
""",
        "x.shape[0]",
        "recompile-shape",
    ),
    CauseCode.RANK: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def total(x):
    return x.sum()

total(jnp.ones(4))
total(jnp.ones((4, 1)))
""",
        "x.shape",
        "recompile-shape",
    ),
    CauseCode.DTYPE: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def double(x):
    return x * 2

double(jnp.ones(2, jnp.float32))
double(jnp.ones(2, jnp.int32))
""",
        "x.dtype",
        "recompile-dtype-weak-type",
    ),
    CauseCode.WEAK_TYPE: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def add(total, x):
    return total + x.sum()

total = 0.0
for _ in range(4):
    total = add(total, jnp.ones(3))
""",
        "total.weak_type",
        "recompile-dtype-weak-type",
    ),
    CauseCode.STATIC_ARGUMENT: Example(
        """\
import functools

import jax
import jax.numpy as jnp

@functools.partial(jax.jit, static_argnames="depth")
def power(x, depth):
    return x**depth

for depth in range(4):
    power(jnp.ones(3), depth)
""",
        "depth",
        "recompile-static-value",
    ),
    CauseCode.KIND: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def score(x, mask=None):
    return x if mask is None else x * mask

score(jnp.ones(3), None)
score(jnp.ones(3), jnp.ones(3))
""",
        "mask",
        "recompile-structure",
    ),
    CauseCode.STRUCTURE: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def add(images):
    return sum(images)

image = jnp.ones((8, 8))
add([image])
add([image, image])
""",
        "len(images)",
        "recompile-structure",
    ),
    CauseCode.NEW_FUNCTION: Example(
        """\
import jax
import jax.numpy as jnp

for _ in range(3):
    jax.jit(lambda x: x * 2)(jnp.ones(2))
""",
        "<lambda>",
        "recompile-fresh-function",
    ),
    CauseCode.NEW_INSTANCE: Example(
        """\
import jax
import jax.numpy as jnp

class Model:
    def __init__(self):
        self.call = jax.jit(self.double)

    def double(self, x):
        return x * 2

for _ in range(3):
    Model().call(jnp.ones(2))
""",
        "double",
        "recompile-fresh-function",
    ),
    CauseCode.CAPTURED: Example(
        """\
import jax
import jax.numpy as jnp

def make(data):
    return jax.jit(lambda x: data.sum() + x)

for rows in (2, 3, 4):
    make(jnp.ones(rows))(1.0)
""",
        "data",
        "recompile-fresh-function",
    ),
    CauseCode.CONTEXT: Example(
        """\
import jax
import jax.numpy as jnp

@jax.jit
def double(x):
    return x * 2

double(jnp.ones(2))
with jax.default_matmul_precision("float32"):
    double(jnp.ones(2))
""",
        "default_matmul_precision",
        "recompile-config",
    ),
    CauseCode.SHARDING: Example(
        """\
import jax
import jax.numpy as jnp
import numpy as np

@jax.jit
def total(x):
    return x.sum()

total(jnp.ones(4))
total(jax.device_put(np.ones(4, np.float32), jax.devices()[0]))  # now it is bound to a device
""",
        "x.sharding",
        "recompile-sharding",
    ),
    CauseCode.STALE: Example(
        """\
import jax
import jax.numpy as jnp

rate = 2.0

@jax.jit
def scale(x):
    return x * rate

scale(jnp.ones(2))
rate = 5.0
scale(jnp.ones(2))  # still times 2
""",
        "rate",
        "stale-global",
    ),
    CauseCode.SIDE_EFFECT: Example(
        """\
import jax
import jax.numpy as jnp

steps = 0

@jax.jit
def train_step(x):
    global steps
    steps += 1
    return x * 2

for _ in range(3):
    train_step(jnp.ones(2))
print(steps)  # 1
""",
        "steps",
    ),
}
