"""Harmless text of real programs, for `bench/match.py`: nothing in it may match a record.

    python bench/make_benign.py

Runs programs and writes what they print to `bench/benign.txt`, in sections (`#: name`): start-up logs and progress bars
of TensorFlow, Keras and JAX, test output, package lists, import times, unrelated tracebacks, prose. Folders of this
machine are taken out.
"""

from __future__ import annotations

import os
import pydoc
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
BENIGN = HERE / "benign.txt"
SITE = Path(sysconfig.get_path("purelib"))

TENSORFLOW = {
    "start-up": "import tensorflow as tf; print(tf.__version__, tf.config.list_physical_devices()); tf.zeros([2]) + 1",
    "keras fit": """
import numpy as np, tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Input([8]), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=["mae"])
model.summary()
x, y = np.random.rand(256, 8), np.random.rand(256, 1)
model.fit(x, y, epochs=8, batch_size=32, validation_split=0.25)
model.fit(x, y, epochs=20, batch_size=64, verbose=2)
print(model.evaluate(x, y), model.predict(x[:4]))
model.save("model.keras"); model.export("exported")
""",
    "convolutions": """
import numpy as np, tensorflow as tf
layers = tf.keras.layers
model = tf.keras.Sequential([layers.Input([16, 16, 3]), layers.Conv2D(8, 3), layers.BatchNormalization(),
    layers.MaxPooling2D(), layers.Flatten(), layers.Dropout(0.2), layers.Dense(10, "softmax")], name="digits")
model.summary(expand_nested=True, show_trainable=True)
model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
callbacks = [tf.keras.callbacks.ReduceLROnPlateau(patience=1, verbose=1, monitor="loss"),
    tf.keras.callbacks.EarlyStopping(patience=3, verbose=1, monitor="loss"),
    tf.keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True, monitor="loss", verbose=1)]
model.fit(np.random.rand(96, 16, 16, 3), np.random.randint(0, 10, [96]), epochs=12, callbacks=callbacks)
""",
    "a function traced once": """
import tensorflow as tf
@tf.function
def step(x):
    print("tracing")
    tf.print("running", x)
    return tf.reduce_sum(x * x)
for number in range(5):
    print(step(tf.constant([1.0, number])))
concrete = step.get_concrete_function(tf.TensorSpec([None], tf.float32))
print(concrete, concrete.graph.as_graph_def())
print(step.pretty_printed_concrete_signatures(), step.experimental_get_tracing_count())
""",
    "data and shapes": """
import tensorflow as tf
data = tf.data.Dataset.range(10).map(lambda x: x * 2).batch(4).prefetch(1)
print(data, data.element_spec)
for batch in data: print(batch)
print(tf.ragged.constant([[1, 2], [3]]), tf.sparse.eye(3), tf.Variable([1.0, 2.0]), tf.TensorShape([None, 3]))
print(tf.TensorSpec([None, 3], tf.float32), tf.constant(b"bytes"), tf.random.normal([3, 3], seed=1))
""",
    "an exported model": """
import tensorflow as tf
class Scale(tf.Module):
    def __init__(self): self.factor = tf.Variable(2.0)
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x): return x * self.factor
tf.saved_model.save(Scale(), "scale")
loaded = tf.saved_model.load("scale"); print(loaded, loaded(tf.constant([1.0, 2.0])), loaded.signatures)
""",
}

RAISING = """
1 / 0
int("twelve")
[][3]
{}["missing"]
None.shape
len(5)
"a" + 1
open("no/such/file")
import no_such_module
from os import no_such_name
undefined_name
(lambda a: a)()
(lambda: 0)(1)
assert 1 == 2, "limits differ"
raise NotImplementedError("trace")
raise TimeoutError("the limit of 30 s was reached")
raise RuntimeError("retrace your steps")
raise RuntimeError("API rate limit has been reached")
raise RuntimeError("function has been called 1000 times; the call limit has been reached")
raise MemoryError()
raise MemoryError("Unable to allocate 8.00 GiB for an array with shape (32768, 32768) and data type float64")
raise KeyboardInterrupt
def f(n): return f(n + 1)\nf(0)
import sys\nclass A:\n    def __repr__(self): return repr(self)\nrepr(A())
{[]: 1}
hash({})
set([[1]])
iter(5)
for x in 5: pass
bool(type("T", (), {"__bool__": lambda self: 3})())
"abc".index("z")
"é".encode("ascii")
bytes([200]).decode()
float("shape")
dict([1])
a, b = 1, 2, 3
a, b = [1]
next(iter([]))
[1, 2].remove(3)
super().x
class A: __slots__ = ()\nA().x = 1
import json; json.loads("{")
import json; json.loads("[1, 2")
import json; json.dumps({1, 2})
import sqlite3; sqlite3.connect(":memory:").execute("select * from traces")
import sqlite3; sqlite3.connect(":memory:").execute("selec 1")
import ast; ast.literal_eval("f(x)")
import ast; ast.parse("def f(:")
import struct; struct.unpack("i", b"12")
import datetime; datetime.date(2026, 13, 1)
import decimal; decimal.Decimal("x")
import re; re.compile("(")
import socket; socket.create_connection(("127.0.0.1", 1), timeout=1)
import subprocess; subprocess.run(["false"], check=True)
import subprocess; subprocess.run(["no-such-program"])
import subprocess; subprocess.run(["sleep", "9"], timeout=0.01)
import pickle; pickle.dumps(lambda: 0)
import pickle; pickle.loads(b"nothing")
import zipfile; zipfile.ZipFile(__import__("io").BytesIO(b"no"))
import configparser; configparser.ConfigParser().get("a", "b")
import argparse; argparse.ArgumentParser(exit_on_error=False).parse_args(["--limit"])
import urllib.request; urllib.request.urlopen("nonsense:")
import xml.etree.ElementTree as e; e.fromstring("<a>")
import csv; csv.reader([], delimiter="ab")
import queue; queue.Queue().get_nowait()
import asyncio; asyncio.run(asyncio.wait_for(asyncio.sleep(9), 0.01))
import concurrent.futures as c; c.Future().result(timeout=0.01)
import enum; enum.Enum("E", "A")("B")
import fractions; fractions.Fraction(1, 0)
import functools; functools.reduce(max, [])
import inspect; inspect.signature(lambda a: a).bind()
import inspect; inspect.signature(lambda a: a).bind(1, 2)
import inspect; inspect.getsource(int)
import ctypes; ctypes.CDLL("libnothing.so")
import weakref; weakref.ref(5)
import copy; copy.deepcopy((i for i in []))
import statistics; statistics.mean([])
import math; math.sqrt(-1)
import math; math.factorial(-1)
10.0 ** 400
import numpy as np; np.zeros([2, 3]) + np.zeros([4, 5])
import numpy as np; np.zeros([2, 3]) @ np.zeros([4, 5])
import numpy as np; np.zeros([2, 3]).reshape(5)
import numpy as np; np.concatenate([np.zeros([2]), np.zeros([2, 2])])
import numpy as np; np.stack([np.zeros(2), np.zeros(3)])
import numpy as np; np.array([[1, 2], [3]])
import numpy as np; bool(np.array([1, 2]))
import numpy as np; np.zeros(3)[5]
import numpy as np; np.zeros([2, 2])[0, 0, 0]
import numpy as np; np.linalg.inv(np.zeros([2, 2]))
import numpy as np; np.array(["a"]).astype(float)
import numpy as np; np.zeros(3, dtype="shape")
import numpy as np; np.array([1, 2]).astype(np.int8, casting="safe")
import numpy as np; np.add(np.array([1]), np.array(["x"]))
import numpy as np; a = np.zeros(3, dtype=int); a += 0.5
import numpy as np; np.einsum("ij,jk", np.zeros([2, 3]), np.zeros([4, 5]))
import numpy as np; np.random.default_rng().choice(3, 5, replace=False)
import numpy as np; np.broadcast_to(np.zeros([3]), [2, 2])
import numpy as np; np.load("no-such.npy")
import numpy as np; float(np.zeros(2))
import numpy as np; np.arange(3).view(np.complex128)
import numpy as np; np.vstack([])
import numpy as np; np.split(np.zeros(5), 2)
import numpy as np; np.zeros([2, 3]).transpose(0, 1, 2)
import numpy as np; np.float32("nan is no number")
import h5py; h5py.File("no-such.h5")
import yaml; yaml.safe_load("a: [")
import requests; requests.get("nonsense")
import msgspec; msgspec.json.decode(b"{}", type=int)
import click; raise click.UsageError("No such option: --trace")
import jinja2; jinja2.Template("{{ x ")
"""

DOCUMENTED = (
    "numpy.vectorize numpy.broadcast_to numpy.trace numpy.reshape numpy.einsum numpy.shape functools.lru_cache "
    "functools.singledispatch inspect.Signature tracemalloc trace traceback resource asyncio.wait_for "
    "concurrent.futures weakref gc dis sys.setrecursionlimit sys.settrace typing json logging subprocess "
    "unittest.mock contextlib itertools statistics signal threading"
)

PROSE = """
Please retrace your steps from the station to the hotel.
The rate limit has been reached. Try again in 20 seconds.
429 Too Many Requests: the request limit has been reached for this key
The police retraced 3 times the route that he had taken.
The artist traced the outline again and again until the shape was right.
The limit of 1000 requests has been reached
The maximum number of open files has been reached
The function of the heart was checked 3 times.
RecursionError: maximum recursion depth exceeded
RecursionError: maximum recursion depth exceeded while calling a Python object
RecursionError: maximum recursion depth exceeded in comparison
ValueError: operands could not be broadcast together with shapes (2,3) (4,5)
ValueError: The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()
TypeError: unhashable type: 'list'
TypeError: unhashable type: 'dict'
TypeError: iteration over a 0-d array
UnboundLocalError: cannot access local variable 'x' where it is not associated with a value
TypeError: step() missing 1 required positional argument: 'x'
TypeError: step() takes 1 positional argument but 2 were given
TypeError: 'bool' object is not callable
TypeError: 'NoneType' object is not iterable
MemoryError
OSError: [Errno 12] Cannot allocate memory
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB
RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)
An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.
jax._src.xla_bridge:987: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed.
RuntimeWarning: os.fork() was called. os.fork() is incompatible with multithreaded code, and JAX is multithreaded.
jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 68719476736 bytes.
jax.errors.KeyReuseError: Previously-consumed key passed to jit-compiled function at index 0
Persistent compilation cache hit for 'jit_train_step' with key 'jit_train_step-0f3c'
TypeError: Cannot interpret value of type <class 'builtin_function_or_method'> as an abstract array
TypeError: dot_general requires contracting dimensions to have the same shape, got (3,) and (4,).
function: 'step' (train.py:12)
Recompiling function forward in model.py:31
Compiling module jit_step for 2 devices
error: function 'train_step' was not declared in this scope
warning: unused variable 'shape' [-Wunused-variable]
Segmentation fault (core dumped)
Killed
The tracing of contacts has been limited to 1000 people.
INFO: trace id 5f3a retraced to upstream
span limit has been reached, 128 spans were dropped
OpenTelemetry: the tracing exporter has reached its queue limit
Gold retraced 3 % in early trading after the resistance was reached
price retraced, the 2nd time this week
WARNING:root:retraced
The variable is created on the first call of the constructor.
Cannot iterate over a closed iterator
The dtype of the column is object; cast it first.
Shapes of both tables must match.
The signature of the contract does not match.
The structure of both branches of the river differs.
git: 'retrace' is not a git command. See 'git --help'.
函数的返回值不正确
请重新登录后再试
已达到请求次数上限，请稍后再试
内存不足，无法分配数组
递归深度超过最大限制
物流信息正在追踪中
快递单号跟踪了三次仍未更新
追踪上限价格已触发
变量未定义
形状不匹配：请检查输入的图片
""".strip("\n")

JAX = {
    "start-up": "import jax; print(jax.__version__, jax.devices(), jax.numpy.arange(3))",
    "training, each compilation logged": """
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_log_compiles", True)
def loss(params, x, y): return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)
@jax.jit
def train_step(params, x, y):
    value, gradients = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value
params = {"w": jnp.zeros(4), "b": jnp.zeros(())}
for step in range(20):
    x = np.random.rand(16, 4).astype(np.float32)
    params, value = train_step(params, x, x.sum(1))
    print(f"step {step} loss {value:.4f}")
print(params, jax.make_jaxpr(loss)(params, x, x.sum(1)), train_step.lower(params, x, x.sum(1)).as_text()[:3000])
""",
    "cache misses explained, each function compiled once": """
import jax, jax.numpy as jnp
jax.config.update("jax_explain_cache_misses", True)
@jax.jit
def encode(x): return jnp.tanh(x) @ x.T
@jax.jit
def decode(x): return jax.nn.softmax(x)
print(decode(encode(jnp.ones((3, 4)))), jax.vmap(jnp.sin)(jnp.arange(3.0)), jax.grad(jnp.sin)(1.0))
""",
    "warnings": """
import jax, jax.numpy as jnp, numpy as np
print(jnp.asarray(np.arange(3.0)), jnp.zeros(3, dtype="float64"), jnp.array(2**40, dtype=jnp.int64))
print(jax.jit(lambda p: p.sum(), donate_argnums=0)(jnp.ones(3)), jnp.arange(3).at[7].get(), jnp.log(jnp.zeros(2)))
jax.debug.print("in a program: {}", jnp.ones(2)); jax.debug.visualize_array_sharding(jnp.ones((4, 4)))
print(jax.random.key(0), jax.random.normal(jax.random.key(1), (2,)), jax.tree_util.tree_structure({"a": [1, None]}))
""",
    "errors of another kind": """
import traceback, jax, jax.numpy as jnp
def try_it(function):
    try: function()
    except Exception: traceback.print_exc()
try_it(lambda: jnp.ones(3) @ jnp.ones(4))
try_it(lambda: jax.jit(lambda x: x + jnp.ones(5))(jnp.ones(3)))
try_it(lambda: jnp.concatenate([jnp.ones(2), jnp.ones((2, 2))]))
try_it(lambda: jax.grad(lambda x: x * jnp.ones(2))(1.0))
try_it(lambda: jax.lax.cond(True, lambda x: x, lambda x: x.astype(int), 1.0))
try_it(lambda: jax.lax.scan(lambda c, x: ((c, x), x), 0.0, jnp.arange(3.0)))
try_it(lambda: jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3)))
try_it(lambda: jnp.ones(3)[1.5])
try_it(lambda: jax.device_put(1, jax.devices("gpu")[0]))
""",
}


def scrub(text: str) -> str:
    """Without colours of the terminal's own, places of this machine, and addresses that change."""
    for place, name in (
        (str(SITE), "site-packages"),
        (sysconfig.get_path("stdlib"), "python"),
        (sys.prefix, "venv"),
        (sys.base_prefix, "python"),
        (str(HERE.parent), "project"),
        (str(Path.home()), "home"),
        (tempfile.gettempdir(), "tmp"),
    ):
        text = text.replace(place, name)
    text = re.sub(r"https?://(?!www\.apache\.org|numpy\.org|docs\.python\.org)\S+", "https://example.org", text)
    text = re.sub(r"\b(?:[\w-]+\.)+(?:internal|local|lan)\b", "host", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x7f0000000000", text)


def run(*command: str, cwd: str, **environment: str) -> str:
    settings = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", "COLUMNS": "100", **environment}
    done = subprocess.run(
        command, cwd=cwd, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=300
    )
    return done.stdout.decode(errors="replace")


def sections(folder: str) -> Iterator[tuple[str, str]]:
    python = sys.executable
    for name, program in TENSORFLOW.items():
        yield f"TensorFlow: {name}", run(python, "-c", program, cwd=folder)
    for name, program in JAX.items():
        yield f"JAX: {name}", run(python, "-c", program, cwd=folder)
    for snippet in RAISING.strip("\n").splitlines():
        program = snippet.replace("\\n", "\n")
        Path(folder, "program.py").write_text(program + "\n")
        yield f"traceback: {snippet[:60]}", run(python, "program.py", cwd=folder)
    root = str(HERE.parent)
    tests = ["tests/unit/facts", "tests/unit/diagnosis", "tests/unit/limits", "tests/unit/report"]
    yield "pytest", run(python, "-m", "pytest", "-v", "-p", "no:cacheprovider", *tests, cwd=root)
    yield "pip list", run(python, "-m", "pip", "list", "--disable-pip-version-check", cwd=folder)
    yield "pip help", run(python, "-m", "pip", "install", "--help", cwd=folder)
    yield (
        "import times",
        run(
            python,
            "-X",
            "importtime",
            "-c",
            "import json, asyncio, http.client, unittest.mock, sqlite3, numpy",
            cwd=folder,
        ),
    )
    yield "make", run("make", "-n", "-B", "test", "lint", "bench", cwd=root)
    for name in DOCUMENTED.split():
        yield f"manual: {name}", pydoc.plain(pydoc.render_doc(name))[:12_000]
    for licence in sorted(SITE.glob("*.dist-info/**/LICENSE*"))[:12]:
        yield (
            f"licence: {licence.relative_to(SITE).parts[0].split('-')[0]}",
            licence.read_text(errors="replace")[:8_000],
        )
    yield "prose and lines from elsewhere", PROSE.replace("\n", "\n\n")


def main() -> None:
    lines: list[str] = []
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sections(folder):
            lines.append(f"#: {name}")
            for line in re.split(r"\n|\r+\n?", scrub(text.replace(folder, "."))):
                line = line.rstrip()[:400]
                if line not in seen or name.startswith("traceback") or (not line and lines[-1]):
                    lines.append(line)
                    seen.add(line)
    BENIGN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{sum(map(bool, lines))} lines in {BENIGN}")


if __name__ == "__main__":
    main()
