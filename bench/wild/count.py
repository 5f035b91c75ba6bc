"""What the frameworks themselves say of a program's traces, without traceonce: what `truth.toml` was measured with.

    python bench/wild/count.py PROGRAM

Prints, for each function and line of the program, how often its body was traced and the seconds of that (those of
inner functions included). TensorFlow: each graph that is made of a Python body, counted where a body is run
(`func_graph_from_py_func`; the hook of traceonce is another one). JAX: `jax_explain_cache_misses` and
`jax_log_compiles`, in JAX's own words. PyTorch: `TORCH_LOGS=recompiles` and dynamo's count of graphs.
"""

from __future__ import annotations

import collections
import logging
import os
import re
import runpy
import sys
import time
from typing import Any

PROGRAM = sys.argv[1]
began = time.perf_counter()
traced: dict[tuple[Any, ...], list[float]] = collections.defaultdict(list)
said: collections.Counter[tuple[int | None, str]] = collections.Counter()


def own_line() -> int | None:
    """The innermost line of the program that is being run."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != PROGRAM:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None


class Listener(logging.Handler):
    """Adds up what JAX logs of its stages; counts what else a framework says, without what differs every time."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if stage := re.match(
            r"Finished (.+?) (?:of |conversion )?(?:jit\()?([^ )]+)\)? (?:for jit )?in (\S+) sec", text
        ):
            traced[own_line(), stage[2], stage[1]].append(float(stage[3]))
        elif not text.startswith("Compiling"):
            said[own_line(), re.sub(r"costing [\d.]+ ms|id=\d+|0x[0-9a-f]+|\[\d+/\d+\]", "", text)[:700]] += 1


def count_tensorflow() -> None:
    from tensorflow.python.framework import func_graph

    original = func_graph.func_graph_from_py_func

    def counted(name: str, python_func: Any, *args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return original(name, python_func, *args, **kwargs)
        finally:
            inner = getattr(python_func, "python_function", python_func)
            code = getattr(inner, "__code__", None)
            file = "/".join(code.co_filename.split("/")[-2:]) if code else "?"
            key = (own_line(), name, getattr(inner, "__qualname__", "?"), file, code and code.co_firstlineno)
            traced[key].append(time.perf_counter() - start)

    func_graph.func_graph_from_py_func = counted


def count_jax() -> None:
    import jax

    jax.config.update("jax_log_compiles", True)
    jax.config.update("jax_explain_cache_misses", True)
    jax_log = logging.getLogger("jax")
    jax_log.handlers, jax_log.propagate = [Listener()], False


def count_torch() -> None:
    import torch

    torch._logging.set_logs(recompiles=True)
    logging.getLogger("torch._dynamo").addHandler(Listener())


if __name__ == "__main__":
    {"tensorflow": count_tensorflow, "jax": count_jax, "torch": count_torch}[os.environ["FRAMEWORK"]]()
    sys.argv = sys.argv[1:]
    runpy.run_path(PROGRAM, run_name="__main__")
    print(f"\n{time.perf_counter() - began:.1f} s, {time.process_time():.1f} s CPU")
    for key, seconds in sorted(traced.items(), key=lambda item: -sum(item[1])):
        print(f"{len(seconds):4} × {sum(seconds):7.2f} s, without the first {sum(seconds[1:]):7.2f} s  {key}")
    for (line, text), count in said.items():
        print(f"{count:4} × line {line}: {text}")
    if os.environ["FRAMEWORK"] == "torch":
        from torch._dynamo.utils import counters

        print({name: dict(values) for name, values in counters.items()})
