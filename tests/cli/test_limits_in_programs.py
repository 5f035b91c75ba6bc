"""The error of a limit in whole programs: set before TensorFlow is there, uncaught, and carried to other processes."""

from __future__ import annotations

from pathlib import Path

import traceonce
from tests.cli.shells import Shell

PROGRAM = """\
import pickle, sys
import traceonce

traceonce.limit(2)

import tensorflow as tf

@tf.function
def train_step(x, step):
    return x + tf.cast(step, tf.float32)

for step in range(3):
    train_step(tf.constant(1.0), step)
try:
    train_step(tf.constant(1.0), 3)
except tf.errors.ResourceExhaustedError as error:
    pickle.dump(error, open("error.pickle", "wb"))
train_step(tf.constant(1.0), 4)
"""

READER = """\
import pickle, sys
if "without" in sys.argv:
    sys.modules["tensorflow"] = None  # an import of it fails
error = pickle.load(open("error.pickle", "rb"))
print(str(error).splitlines()[0])
print([base.__name__ for base in type(error).__mro__ if base.__name__ != "ReachedError"][:4], error.breach.retraces)
print(sys.modules.get("tensorflow") is not None)
"""

FIRST_LINE = (
    "The function 'train_step' has been retraced 2 times. The tracing limit has been reached. "
    "This may be caused by passing Python literals or tensors with changing shapes."
)


def test_an_uncaught_error_and_its_way_to_other_processes(shell: Shell) -> None:
    shell.write("train.py", PROGRAM)
    shell.write("read.py", READER)
    ended = shell.python("train.py")
    assert ended.status == 1
    told = ended.errors[ended.errors.index("traceonce.errors.TracingLimitReached: ") :]
    assert told.splitlines() == [
        f"traceonce.errors.TracingLimitReached: {FIRST_LINE}",
        "  limit      2 retraces; this call would exceed it",
        "  function   train_step, train.py:8",
        "  called at  train.py:18",
        "  cause      step: now 4, before 2 (a Python int)",
        "  change     pass a tensor, unless the function needs the Python value",
    ]
    assert str(Path(traceonce.__file__).parent) not in ended.errors  # no frame of ours in the traceback
    with_it, without_it = shell.python("read.py"), shell.python("read.py", "without")
    assert with_it.text.splitlines() == [
        FIRST_LINE,
        "['TracingLimitReached', 'TracingLimitReached', 'TraceonceError', 'ResourceExhaustedError'] 2",
        "True",
    ]
    assert without_it.text.splitlines() == [
        FIRST_LINE,
        "['TracingLimitReached', 'TraceonceError', 'Exception', 'BaseException'] 2",
        "False",
    ]
