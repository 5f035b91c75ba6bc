"""What watching `jax.jit` and `torch.compile` costs on a hit: nothing; and what one recompile costs on an accelerator.

    python bench/backends.py [--quick]
    python bench/backends.py --accelerator [--quick]

A hit: watched against unwatched calls of one function, which was compiled while watched, and called so often that its
first calls, which are counted, are over; with an unwatched call against itself (A/A) to show the noise. `jax.jit` has
1 and 50 leaves, `torch.compile` 1 argument and 25 linear layers, on the CPU. All interleaved in one run; ratios with
their middle half.

With --accelerator: a small training step of a transformer, on the GPU or TPU that the framework sees (said, and the CPU
where there is none): its steady step, and the call that brings a new sequence length. Reported, not judged. It needs
one of the two frameworks, and nothing of traceonce.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from measuring import interleave, print_ratio, ratios, save, timed

QUICK = "--quick" in sys.argv
SETTLED = 40  # calls after which nothing of a trace is counted any more
LENGTHS = (128, 160, 192, 224)  # of sequences, in the training step
BATCH, LAYERS, WIDTH, HEADS, WORDS = (2, 1, 64, 2, 128) if QUICK else (16, 6, 512, 8, 4096)


def compare_hits(call: Callable[[], Any], calls: int) -> dict[str, Any]:
    import traceonce

    with traceonce.watch() as seen:
        for _ in range(SETTLED):
            call()
    assert len([event for event in seen.events if event.phase == "first"]) == 1, seen.report()

    def plain() -> float:
        timed(call, calls // 10)  # what comes before a batch is not the same: hooks are put in, or are not
        return timed(call, calls)

    def watched() -> float:
        with traceonce.watch():
            return plain()

    times = interleave({"plain": plain, "watched": watched, "again": plain}, 31 if QUICK else 241)
    return {
        "watched": ratios(times, "watched", "plain"),
        "a_a": ratios(times, "again", "plain"),
        "us_per_call": round(statistics.median(times["plain"]) / calls * 1e6, 1),
    }


def jax_hits() -> Iterator[tuple[str, dict[str, Any]]]:
    import jax
    import jax.numpy as jnp

    for leaves in (1, 50):
        first = jax.jit(lambda xs: xs[0] + 1.0)
        arrays = [jnp.full([4], float(n)) for n in range(leaves)]
        yield f"jax.jit, {leaves} leaves", compare_hits(lambda f=first, a=arrays: f(a), 400)  # type: ignore[misc]


def torch_hits(backend: str) -> Iterator[tuple[str, dict[str, Any]]]:
    import torch

    torch.set_num_threads(1)
    x = torch.zeros(4)
    plus = torch.compile(lambda x: x + 1.0, backend=backend)
    layers = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(25)))
    network = torch.compile(layers, backend=backend)
    rows = torch.zeros(2, 8)
    with torch.no_grad():
        yield "torch.compile, 1 argument", compare_hits(lambda: plus(x), 300)
        yield "torch.compile, 25 linear layers", compare_hits(lambda: network(rows), 50)


def measure_hits() -> None:
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    results: dict[str, Any] = {"hits": {}}
    measured: list[Iterator[tuple[str, dict[str, Any]]]] = []
    if importlib.util.find_spec("jax"):
        import jax

        results["jax"] = jax.__version__
        measured.append(jax_hits())
    if importlib.util.find_spec("torch"):
        import torch

        backend = "inductor" if shutil.which("g++") or shutil.which("clang++") else "eager"
        results |= {"torch": torch.__version__, "torch_backend": backend}
        measured.append(torch_hits(backend))
    print(", ".join(f"{name} {results[name]}" for name in ("jax", "torch", "torch_backend") if name in results))
    print("ratios are medians (middle half)")
    for hits in measured:
        for name, hit in hits:
            results["hits"][name] = hit
            note = f"{hit['us_per_call']} µs a call"
            print_ratio(f"{name:32}", "watched / plain", hit["watched"], hit["a_a"], note)
    print(f"written to {save('backends', results)}")


def report_recompiles(name: str, device: str, step: Callable[[int], Any]) -> dict[str, Any]:
    """Seconds of a steady step, and of the first step with each length; `step` waits for its result."""
    first, steady = {}, []
    for length in LENGTHS:
        first[length] = timed(lambda length=length: step(length), 1)  # type: ignore[misc]
        timed(lambda length=length: step(length), 3)  # type: ignore[misc]
        steady += [timed(lambda length=length: step(length), 1) for _ in range(3 if QUICK else 10)]  # type: ignore[misc]
    usual = statistics.median(steady)
    again = [seconds for seconds in list(first.values())[1:] if seconds > 10 * usual]
    steps = statistics.median(again or [0]) / usual
    print(
        f"{name} on {device}: the first length took {first[LENGTHS[0]]:.1f} s; of the {len(LENGTHS) - 1} further ones "
        f"{len(again)} compiled again, in {min(again, default=0):.1f} to {max(again, default=0):.1f} s; a steady step "
        f"takes {usual * 1e3:.1f} ms, so that one recompile costs as much as {steps:,.0f} steps"
    )
    return {
        "device": device,
        "first_seconds": {str(length): round(seconds, 3) for length, seconds in first.items()},
        "steady_ms": round(usual * 1e3, 3),
        "steps_per_recompile": round(steps),
    }


def jax_training() -> dict[str, Any]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    keys = iter(jax.random.split(jax.random.key(1), 4 * LAYERS + 1))

    def weight(*shape: int) -> Any:
        return jax.random.normal(next(keys), shape) / shape[0] ** 0.5

    blocks = [
        {"mix": weight(WIDTH, 3 * WIDTH), "out": weight(WIDTH, WIDTH), "up": weight(WIDTH, 4 * WIDTH),
         "down": weight(4 * WIDTH, WIDTH)} for _ in range(LAYERS)
    ]  # fmt: skip
    weights = {"blocks": blocks, "words": weight(WORDS, WIDTH)}

    def norm(x: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5)

    def loss(weights: Any, ids: Any) -> Any:
        x = weights["words"][ids[:, :-1]]
        length = x.shape[1]
        later = jnp.triu(jnp.full([length, length], -1e9), 1)
        for block in weights["blocks"]:
            split = (norm(x) @ block["mix"]).reshape(BATCH, length, 3, HEADS, WIDTH // HEADS)
            q, k, v = jnp.moveaxis(split, 2, 0)
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (WIDTH // HEADS) ** 0.5 + later
            x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape) @ block["out"]
            x = x + jax.nn.gelu(norm(x) @ block["up"]) @ block["down"]
        guesses = jax.nn.log_softmax(norm(x) @ weights["words"].T)
        return -jnp.take_along_axis(guesses, ids[:, 1:, None], -1).mean()

    @jax.jit
    def train(weights: Any, moments: Any, ids: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(weights, ids)
        moments = jax.tree.map(lambda m, g: (0.9 * m[0] + 0.1 * g, 0.99 * m[1] + 0.01 * g * g), moments, slopes,
                               is_leaf=lambda part: isinstance(part, tuple))  # fmt: skip
        weights = jax.tree.map(lambda w, m: w - 1e-3 * m[0] / (jnp.sqrt(m[1]) + 1e-8), weights, moments)
        return weights, moments, value

    state = [weights, jax.tree.map(lambda w: (jnp.zeros_like(w), jnp.zeros_like(w)), weights)]

    def step(length: int) -> None:
        ids = np.arange(BATCH * (length + 1), dtype=np.int32).reshape(BATCH, length + 1) % WORDS
        *state[:], value = train(*state, ids)
        value.block_until_ready()

    device = jax.devices()[0]
    return {"version": jax.__version__} | report_recompiles(f"JAX {jax.__version__}", device.device_kind, step)


def torch_training() -> dict[str, Any]:
    import torch
    from torch import nn

    device = "cuda" if torch.cuda.is_available() else "cpu"
    words = nn.Embedding(WORDS, WIDTH).to(device)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
    network = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).to(device)
    weights = [*words.parameters(), *network.parameters()]
    optimizer = torch.optim.Adam(weights, lr=1e-3)

    def loss(ids: Any) -> Any:
        later = nn.Transformer.generate_square_subsequent_mask(ids.shape[1] - 1, device=ids.device)
        guesses = network(words(ids[:, :-1]), mask=later, is_causal=True) @ words.weight.T
        return nn.functional.cross_entropy(guesses.flatten(0, 1), ids[:, 1:].flatten())

    results: dict[str, Any] = {"version": torch.__version__}
    for dynamic in (False, None):
        torch._dynamo.reset()
        compiled = torch.compile(loss, dynamic=dynamic)

        def step(length: int, compiled: Any = compiled) -> None:
            ids = torch.arange(BATCH * (length + 1), device=device).reshape(BATCH, length + 1) % WORDS
            value = compiled(ids)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            value.item()  # waits for the device

        name = f"torch {torch.__version__}, {'dynamic=False' if dynamic is False else 'sizes left open by itself'}"
        place = torch.cuda.get_device_name() if device == "cuda" else "the CPU"
        results["static" if dynamic is False else "automatic"] = report_recompiles(name, place, step)
    return results


def measure_recompiles() -> None:
    os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"  # on disk: what an earlier run has compiled costs nothing
    print(
        f"one training step with Adam: {LAYERS} layers of width {WIDTH}, batch {BATCH}, "
        f"sequences of {', '.join(map(str, LENGTHS))}"
    )
    results: dict[str, Any] = {}
    for name, measure in (("jax", jax_training), ("torch", torch_training)):
        if importlib.util.find_spec(name):
            began = time.perf_counter()
            results[name] = measure()
            print(f"  ({time.perf_counter() - began:.0f} s)")
        else:
            print(f"{name} is not installed here: left out")
    print(f"written to {save('backends_accelerator', results)}")


if __name__ == "__main__":
    measure_recompiles() if "--accelerator" in sys.argv else measure_hits()
