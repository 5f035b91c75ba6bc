"""What a repair is worth: the corpus as it was, and as repaired; TensorFlow's also with `reduce_retracing=True`.

    python bench/fix.py [--runs N] [--framework NAME ...] [--programs NAME ...]

The programs in `examples/fix` that are to be repaired, each run as it is (*before*), as `traceonce fix --write` left
it (*after*), and as it is once more (A/A, to show the noise). Those of TensorFlow are also run with
`reduce_retracing=True` on every function (*relaxed*), set at run time, by a `tf.function` that adds it to the options
given: exactly what it would be if it was written at each. Every run is a process forked from one that has imported the
framework, so the import is left out; interleaved, the order rotated. The clock runs from the program's first line to
its last, unwatched; traces and outputs are taken from runs of their own before that. Ratios are medians with their
middle half. Of the other programs it is told whether `traceonce fix` says what `corpus.json` expects: a repair in part,
advice, or nothing; a report for the maintainers of a library is nothing. A program around a library that is not
installed is skipped, which is said and counted. Only a run of the whole corpus is kept.
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

from measuring import interleave, ratios, save

from tests.cli import corpus
from traceonce.frameworks.base.registry import find_backend, installed_version
from traceonce.prove.printed_output import Printed, printed_difference

VARIANTS = ("before", "after", "relaxed")
FRAMEWORKS = ("tensorflow", "jax", "torch")
RELAXED = ("tensorflow",)  # the frameworks that have something of the kind
SETTLED, FEWER, AS_TRACED, STALE, DIFFERS, RAISES = (
    "settles it",
    "fewer traces, more than the repair",
    "as many traces",
    "stale as before",
    "other outputs",
    "raises",
)
REPAIRED, PARTLY, ADVISED, NOTHING, LEFT, FAILED, SKIPPED = (
    "repaired",
    "repaired in part",
    "advised",
    "nothing",
    "left alone",
    "failed",
    "skipped",
)
OUTCOMES = (REPAIRED, PARTLY, ADVISED, NOTHING, LEFT, FAILED, SKIPPED)
EXPECTED = {True: REPAIRED, "partly": PARTLY, "advice": ADVISED, "nothing": NOTHING, "leave": LEFT}


def measure(program: corpus.Program, folder: Path, runs: corpus.Runs, rounds: int) -> dict[str, Any]:
    if program.missing:
        return {
            "program": program.file,
            "framework": program.framework,
            "came_to": SKIPPED,
            "missing": program.missing,
            "expected": EXPECTED[program.settled],
        }
    began = time.perf_counter()
    fixed = corpus.fix(program, folder)
    found = {
        "program": program.file,
        "framework": program.framework,
        "came_to": what_it_came_to(fixed),
        "expected": EXPECTED[program.settled],
        "fix_seconds": round(time.perf_counter() - began, 1),
    }
    return found | measure_repair(program, fixed, runs, rounds) if program.settled is True else found


def what_it_came_to(fixed: corpus.Fixed) -> str:
    if "fix" not in fixed.document:
        return FAILED
    if fixed.document["fix"]["diff"]:
        return REPAIRED if fixed.status == 0 else PARTLY
    advised = any(_is_for_the_user(fix) for f in fixed.functions.values() for fix in f["fixes"])
    return LEFT if fixed.status == 0 else ADVISED if advised else NOTHING


def _is_for_the_user(fix: dict[str, Any]) -> bool:
    """Is it advice, and not a report that somebody else would have to act on?"""
    return fix["safety"] == "advice" and fix["recipe"] != "leave_it" and not (fix["snippet"] or "").startswith("## ")


def measure_repair(program: corpus.Program, fixed: corpus.Fixed, runs: corpus.Runs, rounds: int) -> dict[str, Any]:
    folders = {"before": fixed.original, "after": fixed.repaired, "relaxed": fixed.original}
    variants = VARIANTS if program.framework in RELAXED else VARIANTS[:2]

    def run(variant: str, *, watched: bool) -> corpus.Ran:
        return runs.run(folders[variant], program, relaxed=variant == "relaxed", watched=watched)

    def seconds_of(variant: str) -> Callable[[], float]:
        return lambda: run(variant, watched=False).seconds

    watched = {variant: run(variant, watched=True) for variant in variants}
    right = runs.run(fixed.original, program, eagerly=True) if program.oracle == "eager" else watched["before"]
    traces = {variant: sum(ran.traces.values()) for variant, ran in watched.items() if ran.status == 0}
    batches = {variant: seconds_of(variant) for variant in variants if watched[variant].status == 0}
    again = {"again": seconds_of("before")} if "before" in batches else {}
    times = interleave({**batches, **again}, rounds)

    def ratio(name: str, base: str) -> dict[str, float] | None:
        return ratios(times, name, base) if {name, base} <= times.keys() else None

    relaxed = watched.get("relaxed")
    return {
        "not_repaired": why_not_repaired(fixed) or difference(program, right, watched["after"]),
        "traces": traces,
        "seconds": {variant: round(statistics.median(times[variant]), 4) for variant in batches},
        "after_to_before": ratio("after", "before"),
        "after_to_relaxed": ratio("after", "relaxed"),
        "relaxed_to_before": ratio("relaxed", "before"),
        "a_a": ratio("again", "before"),
        "reduce_retracing": judge_relaxed(program, right, relaxed, traces) if relaxed else None,
        "reduce_retracing_says": difference(program, right, relaxed) if relaxed else None,
        "outputs_compared": not program.random,
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
    """Of one framework. `came_to` counts all programs, the other figures those that were not skipped."""
    came_to = Counter(found["came_to"] for found in programs)
    skipped = [found["program"] for found in programs if found["came_to"] == SKIPPED]
    programs = [found for found in programs if found["came_to"] != SKIPPED]
    repairs = [found for found in programs if found["expected"] == REPAIRED]
    judged = Counter(found["reduce_retracing"] for found in repairs)
    fixing = [found["fix_seconds"] for found in programs] or [0.0]
    return {
        "programs": len(programs),
        "to_be_repaired": len(repairs),
        "skipped": skipped,
        "came_to": {name: came_to[name] for name in OUTCOMES if came_to[name]},
        "not_as_expected": [found["program"] for found in programs if not as_expected(found)],
        "traces": {variant: sum(found["traces"].get(variant, 0) for found in repairs) for variant in VARIANTS},
        "geometric_means": {
            name: geometric_mean(repairs, name)
            for name in ("after_to_before", "after_to_relaxed", "relaxed_to_before", "a_a")
        },
        "reduce_retracing": {
            name: judged[name] for name in (SETTLED, FEWER, AS_TRACED, STALE, DIFFERS, RAISES) if judged[name]
        },
        "fix_seconds": {"median": round(statistics.median(fixing), 1), "worst": max(fixing), "all": round(sum(fixing))},
    }


def as_expected(found: dict[str, Any]) -> bool:
    return found["came_to"] in (found["expected"], SKIPPED) and not found.get("not_repaired")


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
    if found["came_to"] == SKIPPED:
        print(f"{found['program']:26}{SKIPPED:>14}  not installed: {', '.join(found['missing'])}", flush=True)
    elif "traces" in found:
        print_repair(found)
    else:
        print(f"{found['program']:26}{found['came_to']:>14}  {'':82}{found['fix_seconds']:>4.0f} s", flush=True)
    if not as_expected(found):
        why = found.get("not_repaired") or found["came_to"]
        print(f"  NOT AS EXPECTED ({found['expected']}): {why}", flush=True)


def print_repair(found: dict[str, Any]) -> None:
    before, after, relaxed = (found["traces"].get(variant, "-") for variant in VARIANTS)
    traces = f"{before} → {after}, {relaxed:>3}"
    seconds = [f"{found['seconds'][v] * 1e3:.0f}" if v in found["seconds"] else "-" for v in VARIANTS]
    spans = "".join(f"{span(found[name]):21}" for name in ("after_to_before", "after_to_relaxed", "a_a"))
    judged = found["reduce_retracing"] or ""
    if found["reduce_retracing_says"]:
        judged += f": {found['reduce_retracing_says']}"
    elif not found["outputs_compared"]:
        judged += " (random: outputs not compared)"
    print(
        f"{found['program']:26}{traces:>14}  {' '.join(f'{s:>5}' for s in seconds)}"
        f"  {spans}{found['fix_seconds']:>4.0f} s  {judged}",
        flush=True,
    )


def span(ratio: dict[str, float] | None) -> str:
    return f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})" if ratio else "-"


def print_sum(framework: str, found: dict[str, Any]) -> None:
    means, traces, fixing = found["geometric_means"], found["traces"], found["fix_seconds"]
    came_to = "; ".join(f"{count} {what}" for what, count in found["came_to"].items())
    print(f"\n{framework}: {found['programs']} programs: {came_to}")
    if found["skipped"]:
        print(f"skipped, since a library is missing: {', '.join(found['skipped'])}")
    print(f"traces of what is to be repaired: {traces['before']} before, {traces['after']} after")
    print(f"geometric means: after / before {means['after_to_before']}, A/A {means['a_a']}")
    if framework in RELAXED:
        judged = found["reduce_retracing"]
        print(
            f"reduce_retracing=True: {traces['relaxed']} traces, less those of the {judged.get(RAISES, 0)} in which it "
            f"raises; after / relaxed {means['after_to_relaxed']}, relaxed / before {means['relaxed_to_before']}"
        )
        print(f"reduce_retracing=True {', '.join(f'{name} {count}' for name, count in judged.items())}")
    print(f"traceonce fix took {fixing['median']} s (median), {fixing['worst']} s (worst), {fixing['all']} s in all")


def version_of(framework: str) -> str:
    backend = find_backend(framework)
    found = installed_version(backend) if backend is not None else None
    assert found is not None, f"{framework} is not installed"
    return found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each variant, at least 2 (default: 5)")
    parser.add_argument("--framework", nargs="+", choices=FRAMEWORKS, default=FRAMEWORKS, help="only theirs")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="only these, as `epoch_loop.py` or `epoch_loop`")
    options = parser.parse_args()
    programs = [program for program in corpus.load() if program.framework in options.framework]
    if options.programs:
        wanted = {Path(name).stem for name in options.programs}
        if unknown := wanted - {Path(program.file).stem for program in programs}:
            parser.error(f"not among the programs: {', '.join(sorted(unknown))}")
        programs = [program for program in programs if Path(program.file).stem in wanted]
    if options.runs < 2:
        parser.error("one run has no spread: --runs must be at least 2")

    versions = {name: version_of(name) for name in FRAMEWORKS if name in options.framework}
    results: dict[str, Any] = {**versions, "runs": options.runs, "programs": []}
    print(f"{versions}; {options.runs} runs each; ratios are medians (middle half)")
    print_header()
    with tempfile.TemporaryDirectory() as folder:
        runs = corpus.Runs(Path(folder) / "runs")
        for number, program in enumerate(programs, 1):
            print(f"{number} of {len(programs)}: {program.file}", file=sys.stderr)
            results["programs"].append(measure(program, Path(folder) / program.file, runs, options.runs))
            print_row(results["programs"][-1])
        runs.close()
    results["in_all"] = {
        framework: sum_up([found for found in results["programs"] if found["framework"] == framework])
        for framework in FRAMEWORKS
        if any(found["framework"] == framework for found in results["programs"])
    }
    for framework, found in results["in_all"].items():
        print_sum(framework, found)
    if not options.programs and options.framework == FRAMEWORKS:
        print(f"written to {save('fix', results)}")
    if others := [name for found in results["in_all"].values() for name in found["not_as_expected"]]:
        raise SystemExit(f"not as expected: {', '.join(others)}")


if __name__ == "__main__":
    main()
