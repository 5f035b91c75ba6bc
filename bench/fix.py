"""What a repair is worth: the corpus as it was, as repaired, and with `reduce_retracing=True` on every function.

    python bench/fix.py [--runs N] [--programs NAME ...]

The programs in `examples/fix` that are to be repaired, each run as it is (*before*), as `traceonce fix --write` left it
(*after*), with `reduce_retracing=True` (*relaxed*), and as it is once more (A/A, to show the noise). `reduce_retracing`
is set at run time, by a `tf.function` that adds it to the options given: exactly what it would be if it was written at
each. Every run is a process forked from one that has imported TensorFlow, so the import is left out; interleaved, the
order rotated. The clock runs from the program's first line to its last, unwatched; traces and outputs are taken from
runs of their own before that. Ratios are medians with their middle half. Only a run of the whole corpus is kept.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
sys.path.append(str(Path(__file__).parents[1]))  # the corpus is loaded as its tests load it

import tensorflow as tf
from measuring import interleave, ratios, save

from tests.cli import corpus
from traceonce.prove.printed_output import Printed, printed_difference

VARIANTS = ("before", "after", "relaxed")
SETTLED, FEWER, AS_TRACED, STALE, DIFFERS, RAISES = (
    "settles it",
    "fewer traces, more than the repair",
    "as many traces",
    "stale as before",
    "other outputs",
    "raises",
)


def measure(program: corpus.Program, folder: Path, runs: corpus.Runs, rounds: int) -> dict[str, Any]:
    began = time.perf_counter()
    fixed = corpus.fix(program, folder)
    fixing = time.perf_counter() - began
    folders = {"before": fixed.original, "after": fixed.repaired, "relaxed": fixed.original}

    def run(variant: str, *, watched: bool) -> corpus.Ran:
        return runs.run(folders[variant], program.file, relaxed=variant == "relaxed", watched=watched)

    def seconds_of(variant: str) -> Callable[[], float]:
        return lambda: run(variant, watched=False).seconds

    watched = {variant: run(variant, watched=True) for variant in VARIANTS}
    right = runs.run(fixed.original, program.file, eagerly=True) if program.oracle == "eager" else watched["before"]
    traces = {variant: sum(ran.traces.values()) for variant, ran in watched.items() if ran.status == 0}
    batches = {variant: seconds_of(variant) for variant in VARIANTS if watched[variant].status == 0}
    times = interleave({**batches, "again": seconds_of("before")}, rounds)
    return {
        "program": program.file,
        "not_repaired": why_not_repaired(fixed) or difference(program, right, watched["after"]),
        "traces": traces,
        "seconds": {variant: round(statistics.median(times[variant]), 4) for variant in batches},
        "after_to_before": ratios(times, "after", "before") if "after" in times else None,
        "after_to_relaxed": ratios(times, "after", "relaxed") if {"after", "relaxed"} <= times.keys() else None,
        "relaxed_to_before": ratios(times, "relaxed", "before") if "relaxed" in times else None,
        "a_a": ratios(times, "again", "before"),
        "reduce_retracing": judge_relaxed(program, right, watched["relaxed"], traces),
        "reduce_retracing_says": difference(program, right, watched["relaxed"]),
        "outputs_compared": not program.random,
        "fix_seconds": round(fixing, 1),
    }


def why_not_repaired(fixed: corpus.Fixed) -> str | None:
    if fixed.status == 0 and fixed.document["fix"]["diff"]:
        return None
    return f"traceonce fix ended with {fixed.status}: {(fixed.said.strip().splitlines() or ['it said nothing'])[-1]}"


def difference(program: corpus.Program, right: corpus.Ran, ran: corpus.Ran) -> str | None:
    """How what it did is not what it should do; None where it is, and where random draws cannot be compared."""
    if ran.status:
        return (ran.raised or f"exit status {ran.status}").strip().splitlines()[-1].strip()[:200]
    if program.random:  # random ops restart at each trace: fewer traces are other draws, and no error
        return None
    was, now = ("\n".join(program.lines(each.printed)) for each in (right, ran))
    return printed_difference(Printed(was), Printed(now), set())


def judge_relaxed(program: corpus.Program, right: corpus.Ran, ran: corpus.Ran, traces: dict[str, int]) -> str:
    if ran.status:
        return RAISES
    if difference(program, right, ran) is not None:
        return STALE if program.oracle == "eager" else DIFFERS
    if traces["relaxed"] <= traces.get("after", traces["before"]):
        return SETTLED
    return FEWER if traces["relaxed"] < traces["before"] else AS_TRACED


def sum_up(programs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    judged = Counter(found["reduce_retracing"] for found in programs)
    fixing = [found["fix_seconds"] for found in programs]
    return {
        "programs": len(programs),
        "not_repaired": [found["program"] for found in programs if found["not_repaired"]],
        "traces": {variant: sum(found["traces"].get(variant, 0) for found in programs) for variant in VARIANTS},
        "geometric_means": {
            name: geometric_mean(programs, name)
            for name in ("after_to_before", "after_to_relaxed", "relaxed_to_before", "a_a")
        },
        "reduce_retracing": {
            name: judged[name] for name in (SETTLED, FEWER, AS_TRACED, STALE, DIFFERS, RAISES) if judged[name]
        },
        "fix_seconds": {"median": round(statistics.median(fixing), 1), "worst": max(fixing), "all": round(sum(fixing))},
    }


def geometric_mean(programs: Sequence[dict[str, Any]], name: str) -> float | None:
    medians = [found[name]["median"] for found in programs if found[name] is not None]
    return round(statistics.geometric_mean(medians), 4) if medians else None


def print_header() -> None:
    print(
        "traces: before → after, relaxed; milliseconds: before, after, relaxed; fix: seconds that `traceonce fix` took"
    )
    print(
        f"{'':26}{'traces':>14}  {'milliseconds':>17}  {'after / before':21}{'after / relaxed':21}{'A/A':21}{'fix':>6}"
        "  reduce_retracing=True on every function"
    )


def print_row(found: dict[str, Any]) -> None:
    before, after, relaxed = (found["traces"].get(variant, "-") for variant in VARIANTS)
    traces = f"{before} → {after}, {relaxed:>3}"
    seconds = [f"{found['seconds'][v] * 1e3:.0f}" if v in found["seconds"] else "-" for v in VARIANTS]
    spans = "".join(f"{span(found[name]):21}" for name in ("after_to_before", "after_to_relaxed", "a_a"))
    judged = found["reduce_retracing"]
    if found["reduce_retracing_says"]:
        judged += f": {found['reduce_retracing_says']}"
    elif not found["outputs_compared"]:
        judged += " (random: outputs not compared)"
    print(
        f"{found['program']:26}{traces:>14}  {' '.join(f'{s:>5}' for s in seconds)}"
        f"  {spans}{found['fix_seconds']:>4.0f} s  {judged}",
        flush=True,
    )
    if found["not_repaired"]:
        print(f"  NOT REPAIRED: {found['not_repaired']}")


def span(ratio: dict[str, float] | None) -> str:
    return f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})" if ratio else "-"


def print_sum(found: dict[str, Any]) -> None:
    means, traces, fixing = found["geometric_means"], found["traces"], found["fix_seconds"]
    print(
        f"\n{found['programs']} programs, {len(found['not_repaired'])} not repaired; traces: "
        f"{traces['before']} before, {traces['after']} after, {traces['relaxed']} with reduce_retracing, "
        f"less the {found['reduce_retracing'].get(RAISES, 0)} in which it raises"
    )
    print(
        f"geometric means: after / before {means['after_to_before']}, after / relaxed {means['after_to_relaxed']}, "
        f"relaxed / before {means['relaxed_to_before']}, A/A {means['a_a']}"
    )
    print("reduce_retracing: " + ", ".join(f"{name} {count}" for name, count in found["reduce_retracing"].items()))
    print(f"traceonce fix took {fixing['median']} s (median), {fixing['worst']} s (worst), {fixing['all']} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each variant, at least 2 (default: 5)")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="only these, as `epoch_loop.py` or `epoch_loop`")
    options = parser.parse_args()
    programs = [program for program in corpus.load() if program.settled is True]
    if options.programs:
        wanted = {Path(name).stem for name in options.programs}
        if unknown := wanted - {Path(program.file).stem for program in programs}:
            parser.error(f"not among the programs that are to be repaired: {', '.join(sorted(unknown))}")
        programs = [program for program in programs if Path(program.file).stem in wanted]
    if options.runs < 2:
        parser.error("one run has no spread: --runs must be at least 2")

    results: dict[str, Any] = {"tensorflow": tf.__version__, "runs": options.runs, "programs": []}
    print(f"TensorFlow {results['tensorflow']}; {options.runs} runs each; ratios are medians (middle half)")
    print_header()
    with tempfile.TemporaryDirectory() as folder:
        runs = corpus.Runs(Path(folder) / "runs")
        for number, program in enumerate(programs, 1):
            print(f"{number} of {len(programs)}: {program.file}", file=sys.stderr)
            results["programs"].append(measure(program, Path(folder) / program.file, runs, options.runs))
            print_row(results["programs"][-1])
        runs.close()
    results["in_all"] = sum_up(results["programs"])
    print_sum(results["in_all"])
    if not options.programs:
        print(f"written to {save('fix', results)}")
    if results["in_all"]["not_repaired"]:
        raise SystemExit(f"not repaired: {', '.join(results['in_all']['not_repaired'])}")


if __name__ == "__main__":
    main()
