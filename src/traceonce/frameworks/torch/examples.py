"""For each cause that this framework can have, a small program that makes it happen."""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.causes.example import Example
from traceonce.facts import CauseCode

EXAMPLES: Mapping[CauseCode, Example] = {
    CauseCode.SHAPE: Example(
        """\
import torch

@torch.compile(backend="eager", dynamic=False)
def total(x):
    return x.sum()

for length in (2, 3, 4):
    total(torch.ones(length))
""",
        "x.shape[0]",
        "recompile-shape",
    ),
    CauseCode.RANK: Example(
        """\
import torch

@torch.compile(backend="eager")
def total(x):
    return x.sum()

total(torch.ones(4))
total(torch.ones(4, 2))
""",
        "x.shape",
        "recompile-rank",
    ),
    CauseCode.DTYPE: Example(
        """\
import torch

@torch.compile(backend="eager")
def double(x):
    return x * 2

double(torch.ones(2))
double(torch.ones(2, dtype=torch.int32))
""",
        "x.dtype",
        "recompile-dtype",
    ),
    CauseCode.VALUE: Example(
        """\
import torch

@torch.compile(backend="eager")
def reduce(x, mode):
    return x.sum() if mode == "sum" else x.mean()

reduce(torch.ones(2), "sum")
reduce(torch.ones(2), "mean")
""",
        "mode",
        "recompile-python-value",
    ),
    CauseCode.KIND: Example(
        """\
import torch

@torch.compile(backend="eager")
def score(x, mask=None):
    return x * 2 if mask is None else x * mask

score(torch.ones(3))
score(torch.ones(3), torch.ones(3))
""",
        "mask",
    ),
    CauseCode.STRUCTURE: Example(
        """\
import torch

@torch.compile(backend="eager")
def add(images):
    return sum(images)

image = torch.ones(8, 8)
add([image, image])
add([image, image, image])
""",
        "len(images)",
        "recompile-list-length",
    ),
    CauseCode.IDENTITY: Example(
        """\
import torch

@torch.compile(backend="eager")
def apply(x, activation):
    return activation(x)

apply(torch.ones(2), torch.relu)
apply(torch.ones(2), torch.tanh)
""",
        "activation",
        "recompile-callable-argument",
    ),
    CauseCode.ALIASING: Example(
        """\
import torch

@torch.compile(backend="eager")
def add(x, y):
    return x.add_(y)

a, b = torch.ones(2), torch.ones(2)
add(a, b)
add(a, a)
""",
        "x",
    ),
    CauseCode.CONTEXT: Example(
        """\
import torch

@torch.compile(backend="eager")
def double(x):
    return x * 2

double(torch.ones(2))
with torch.no_grad():
    double(torch.ones(2))
""",
        "grad_mode",
        "recompile-grad-mode",
    ),
    CauseCode.GUARD: Example(
        """\
import torch

scale = 2

@torch.compile(backend="eager")
def scaled(x):
    return x * scale

for scale in (2, 3, 4):
    scaled(torch.ones(3))
""",
        "scale",
        "recompile-global",
    ),
    CauseCode.STALE: Example(
        """\
import torch

@torch.compile(backend="aot_eager")
def square(x):
    with torch.autocast("cpu"):
        return x @ x

square(torch.ones(2, 2))
torch.set_autocast_dtype("cpu", torch.float16)
square(torch.ones(2, 2))  # bfloat16; without torch.compile, float16
torch.set_autocast_dtype("cpu", torch.bfloat16)
""",
        "autocast(cpu)_dtype",
    ),
    CauseCode.FELL_BACK: Example(
        """\
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x / self.step

model = torch.compile(Model(), backend="eager")
for _ in range(12):
    model(torch.ones(2))
""",
        "forward",
        "recompile-limit",
    ),
}
