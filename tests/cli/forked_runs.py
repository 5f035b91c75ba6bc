"""Run programs in processes forked from one that has imported their framework; JSON lines in, JSON lines out.

    python forked_runs.py tensorflow|jax|torch

It shares nothing with the machinery of `traceonce fix`, so that it can check what that claims.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import traceonce


def set_up_tensorflow(*, eagerly: bool, relaxed: bool) -> None:
    """`relaxed`: as if `reduce_retracing=True` was written at every `tf.function` of the program."""
    import tensorflow as tf

    tf.random.set_seed(1)
    tf.config.run_functions_eagerly(eagerly)
    as_it_is = tf.function

    def relaxed_function(*args: Any, **options: Any) -> Any:
        return as_it_is(*args, **{**options, "reduce_retracing": True})

    if relaxed:
        tf.function = relaxed_function


def set_up_jax(*, eagerly: bool, relaxed: bool) -> None:
    import jax

    assert not relaxed, "JAX has no way to relax"
    jax.config.update("jax_disable_jit", eagerly)


def set_up_torch(*, eagerly: bool, relaxed: bool) -> None:
    import torch

    assert not relaxed, "what relaxes PyTorch is not said here"
    torch.manual_seed(1)
    if eagerly:
        torch.compiler.set_stance("force_eager")


SET_UPS = {"tensorflow": set_up_tensorflow, "jax": set_up_jax, "torch": set_up_torch}


def perform(framework: str, order: dict[str, Any], result: Path) -> None:
    os.dup2(os.open(result / "printed", os.O_WRONLY | os.O_CREAT, 0o600), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.chdir(order["folder"])
    sys.path[0] = str((Path(order["folder"]) / order["script"]).parent)
    sys.argv = [order["script"]]
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # for the rest of the process
    SET_UPS[framework](eagerly=order["eagerly"], relaxed=order["relaxed"])
    traces: dict[str, int] = {}
    raised = ""
    status, began = 0, time.perf_counter()
    with traceonce.watch() if order["watched"] else nullcontext() as seen:
        try:
            runpy.run_path(order["script"], run_name="__main__")
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except Exception as failure:
            status, raised = 1, f"{type(failure).__name__}: {failure}"
    seconds = time.perf_counter() - began
    for diagnosis in seen.diagnoses if seen is not None else []:
        name = diagnosis.function.name.rpartition("<locals>.")[2]
        traces[name] = traces.get(name, 0) + diagnosis.traces
    sys.stdout.flush()
    ran = {"status": status, "raised": raised, "traces": traces, "seconds": seconds}
    (result / "result.json").write_text(json.dumps(ran))
    os._exit(0)


def main() -> None:
    framework = sys.argv[1]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    importlib.import_module(framework)
    for line in sys.stdin:
        order = json.loads(line)
        result = Path(order["result"])
        result.mkdir(parents=True)
        child = os.fork()
        if child == 0:
            perform(framework, order, result)
        os.waitpid(child, 0)
        answers.write("done\n")
        answers.flush()


if __name__ == "__main__":
    main()
