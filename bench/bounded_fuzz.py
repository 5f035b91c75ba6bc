"""Is `traceonce.function` ever wrong? Random programs, against a `tf.function` that is made anew for each call.

    python bench/bounded_fuzz.py [--programs N] [--seed N] [--mode default|taped|strict]... [--jobs N]

Programs are drawn as in `tests/tensorflow/dropin/fuzzed_programs.py`: results, dtypes, errors letter by letter,
variables, gradients and watched variables are compared after each call. What differs is made small, printed, and kept
in the results. Modes: as it is; all calls under tapes of several kinds; with `relax=False, lift=False`.

Ten thousand programs take some hours on two cores, so each share of them is kept in the results as soon as it is done:
a run that was interrupted goes on where it stopped, as long as the drop-in and the fuzzer are the same code. What
earlier code was run with is kept beside that, and counted apart. Exit status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

from measuring import RESULTS, save

ROOT = Path(__file__).parents[1]
MODES: dict[str, dict[str, bool]] = {"default": {}, "taped": {"taped": True}, "strict": {"strict": True}}
SHARE = 100  # programs that one process runs, before a new one takes over: graphs are never given back whole


def run_share(task: tuple[str, int, int]) -> dict[str, Any]:
    """Some programs of one mode, in a process of their own."""
    mode, first, count = task
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    sys.path.insert(0, str(ROOT))
    import tensorflow as tf

    import traceonce
    from tests.tensorflow.dropin.fuzzed_programs import compare, draw, smaller

    tf.get_logger().setLevel("ERROR")
    calls, failing, found = 0, 0, []
    for number in range(first, first + count):
        program = draw(Random(number), **MODES[mode])
        differing = compare(tf, program, traceonce.function)
        calls += len(program.calls)
        if differing:
            small = smaller(program, lambda other: bool(compare(tf, other, traceonce.function)))
            told = [f"{call}: {one} | {two}"[:2000] for call, one, two in compare(tf, small, traceonce.function)]
            found.append({"mode": mode, "seed": number, "program": str(small), "differs": told})
        failing += bool(differing)
        if number % 50 == 0:
            gc.collect()
    return {"mode": mode, "first": first, "programs": count, "calls": calls, "differ": failing, "found": found}


def tensorflow_version() -> str:
    """Without an import: it would take memory from the processes that run programs."""
    return next(
        found.version
        for found in metadata.distributions()
        if found.name.replace("_", "-") in ("tensorflow", "tensorflow-cpu")
    )


def code_digest() -> str:
    """Of the code whose results these are: what was found with other code says nothing about this one."""
    digest = hashlib.sha256()
    for folder in ("src/traceonce/dropin", "src/traceonce/frameworks/tensorflow/dropin", "tests/tensorflow/dropin"):
        for file in sorted((ROOT / folder).glob("*.py")):
            if folder.startswith("src") or not file.name.startswith("test_"):
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def summed(shares: dict[str, list[int]]) -> dict[str, int]:
    """What all shares together came to, and by mode."""
    totals = Counter[str]()
    for share, counts in shares.items():
        for name, count in zip(("programs", "calls", "differ"), counts, strict=True):
            totals[name] += count
            totals[f"{name}, {share.split()[0]}"] += count
    return dict(totals)


def taken_up(kept: dict[str, Any], code: str) -> dict[str, Any]:
    """The results of a version to go on with; those of other code are only summed up."""
    if kept.get("code") == code:
        return kept
    past = [{"code": kept["code"], **summed(kept["shares"]), "found": kept["found"]}] if kept else []
    return {"code": code, "found": [], "shares": {}, "earlier code": [*kept.get("earlier code", ()), *past]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=10_000, help="of all modes together")
    parser.add_argument("--seed", type=int, default=1_000_000, help="of the first program")
    parser.add_argument("--mode", action="append", choices=MODES, help="all where none is named")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    modes = options.mode or list(MODES)
    each = -(-options.programs // len(modes))

    version, code = tensorflow_version(), code_digest()
    kept = RESULTS / "bounded_fuzz.json"
    by_version = json.loads(kept.read_text())["by version"] if kept.exists() else {}
    here = taken_up(by_version.get(version, {}), code)
    shares: dict[str, list[int]] = here["shares"]
    tasks = [
        (mode, first, min(SHARE, options.seed + each - first))
        for first in range(options.seed, options.seed + each, SHARE)
        for mode in modes
    ]
    open_tasks = [task for task in tasks if "{} {}+{}".format(*task) not in shares]
    print(
        f"tensorflow {version}, code {code}: {len(tasks) - len(open_tasks)} of {len(tasks)} shares are done", flush=True
    )
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=1) as pool:
        for share in pool.imap_unordered(run_share, open_tasks):
            shares["{mode} {first}+{programs}".format(**share)] = [share[n] for n in ("programs", "calls", "differ")]
            here["found"] += share["found"]
            totals = summed(shares)
            save("bounded_fuzz", {"by version": {**by_version, version: {**here, **totals}}})
            told = ", ".join(f"{totals[name]:,} {name}" for name in ("programs", "calls", "differ"))
            print(f"{told} after {(time.perf_counter() - began) / 60:.0f} min", flush=True)
            for one in share["found"]:
                print(one["program"], *one["differs"], sep="\n", flush=True)
    totals = summed(shares)
    print(json.dumps(totals, indent=1))
    sys.exit(1 if totals["differ"] else 0)


if __name__ == "__main__":
    main()
