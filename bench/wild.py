"""Is traceonce right about public libraries? Programs as their users write them, against a truth measured by hand.

    python bench/wild.py [--only NAME…] [--rounds N] [--environments FOLDER] [--recordings FOLDER] [--no-silent]

`wild/truth.toml` says for each program of `wild/programs/` which functions are traced, how often, why, from which line
of the user's, at what price, and whether a report must list it. Whatever else is listed is a false alarm, and so is all
that is listed for the programs of `wild/silent/`. The libraries are installed by exact version, in environments of
their own, with `uv` where there is one, else with `venv` and `pip`; what they need is in `wild/environments/`. They are
kept and used again, in FOLDER (`~/.cache/traceonce/wild`): about 5 GB. `TMPDIR`, `PIP_…` and `UV_…` are respected.

The price is the user CPU of `traceonce run PROGRAM` over that of `python PROGRAM`, run interleaved with a second plain
run (A/A): as a whole, and without that of `traceonce report`, which the run does at its end (`watching`). A difference
from the truth is printed, written to `results/wild.json`, and is exit status 1. What is written is of each program the
latest: with `--only`, or after an interruption, the others stay; with `--rounds 0`, its prices stay, too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import tomllib
from measuring import RESULTS, interleave, ratios, save

from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.facts import Diagnosis, Recording
from traceonce.facts.attention import sort_by_attention

HERE = Path(__file__).parent / "wild"
SOURCE = Path(__file__).parent.parent / "src"


class Program(NamedTuple):
    name: str
    path: Path
    arguments: tuple[str, ...]
    environment: str
    functions: list[dict[str, Any]]

    @property
    def is_silent(self) -> bool:
        return self.name.startswith("silent/")


class ProgramError(Exception):
    """It did not end as it should: its environment is not what it was."""


def all_programs(truth: Mapping[str, Any]) -> Iterator[Program]:
    for name, known in truth["programs"].items():
        path = HERE / "programs" / f"{name}.py"
        yield Program(name, path, (), known["environment"], known.get("functions", []))
    for framework in ("tensorflow", "jax", "torch"):
        path = HERE / "silent" / f"with_{framework}.py"  # not named as what it imports
        for name in re.findall(r"^def (\w+)\(\)", path.read_text(), re.MULTILINE):
            yield Program(f"silent/{framework}/{name}", path, (name,), framework, [])


def make_environment(name: str, version: str, folder: Path) -> Path:
    """The interpreter of an environment with these libraries; made where it is not there yet."""
    core = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text())["project"]["dependencies"]
    listed = [line for line in (HERE / "environments" / f"{name}.txt").read_text().splitlines() if line]
    wanted = "\n".join([*listed, *core])
    digest = hashlib.sha256(f"{version} {wanted}".encode()).hexdigest()[:12]
    place = folder / f"{name}-{digest}"
    python, made = place / "bin" / "python", place / "made"
    if made.exists():
        return python
    print(f"making the environment {name} in {place}", flush=True)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    requirements = place / "requirements.txt"
    requirements.write_text(wanted)
    if uv := shutil.which("uv"):
        subprocess.run([uv, "venv", "--quiet", "--allow-existing", "--python", version, place], check=True)
        install: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", python]
    else:
        base = sys.executable if sys.version.startswith(version) else f"python{version}"
        subprocess.run([base, "-m", "venv", place], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--requirement", requirements], check=True)
    made.touch()
    return python


def run_measured(command: Sequence[str | os.PathLike[str]], program: Program, watched: bool) -> float:
    """Run it to its end; its user CPU in seconds, with that of its children."""
    variables = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONHASHSEED": "0",
    }
    if watched:
        variables["PYTHONPATH"] = str(SOURCE)
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, cwd=program.path.parent, env=variables, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise ProgramError(f"ended with {process.returncode}:\n{said.read()[-3000:]}")
    return used.ru_utime


def differences(program: Program, path: Path) -> Iterator[str]:
    """What the report says otherwise than the truth; a truth that nobody tells, and alarms that nobody knows of."""
    recording = Recording.load(path)
    diagnoses = diagnose_linked(recording)
    attention = sort_by_attention(recording, diagnoses)
    listed = {d.function.key for d in attention.named}
    known = set()
    for expected in program.functions:
        line = find_line(program.path, expected["at"])
        found = best_match(expected, [d for d in diagnoses if line in own_lines(d, program.path)])
        where = f"{program.path.name}:{line} {expected['name']}"
        if found is None:
            elsewhere = best_match(expected, diagnoses)
            lines = sorted(own_lines(elsewhere, program.path)) if elsewhere is not None else []
            yield f"{where}: not found at this line" + (f", but at {lines}" if lines else "")
            continue
        known.add(found.function.key)
        yield from (f"{where}: {what}" for what in compare(expected, found, found.function.key in listed))
    called = {event.function.key for event in recording.events if event.parent is None}
    for diagnosis in [*attention.alarms, *attention.avoidable]:
        if diagnosis.function.key not in known and not diagnosis.inner:  # what is inner is told within its entry
            where = f"{program.path.name}:{sorted(own_lines(diagnosis, program.path))} {diagnosis.function.name}"
            what = f"{diagnosis.verdict}, {diagnosis.traces} traces, {diagnosis.share or 0.0:.0%} lost"
            alarm = "a false alarm" if diagnosis.function.key in called else "an entry for what is part of another one"
            yield f"{where}: {alarm} ({what})"


def compare(expected: Mapping[str, Any], found: Diagnosis, listed: bool) -> Iterator[str]:
    if not matches_name(expected["name"], found) and expected["name"] not in (found.known_as or ""):
        yield f"is called {found.known_as or found.function.name}"
    if found.traces != expected["traces"]:
        yield f"{found.traces} traces, not {expected['traces']}"
    if found.verdict.value not in expected["verdict"]:
        yield f"is {found.verdict.value}, not {' or '.join(expected['verdict'])}"
    if listed != expected.get("listed", listed):
        yield "is listed" if listed else f"is not listed, with {found.share or 0.0:.0%} of the run lost"
    causes = [f"{cause.code.value} {cause.path}" for cause in found.causes]
    for cause in expected["causes"]:
        if not any(re.fullmatch(cause, said) for said in causes):
            yield f"the cause {cause!r} is not among {causes}"
    low, high = expected.get("lost", (0.0, 1.0))
    if not low <= (found.share or 0.0) <= high:
        yield f"{found.share or 0.0:.0%} of the run lost, not {low:.0%} to {high:.0%}"


def matches_name(name: str, found: Diagnosis) -> bool:
    """Either is the end of the other: `minimize` is `Scipy.minimize`, and `step` is `step [scan]`."""
    a, b = name, found.function.name.partition(" [")[0]
    return a == b or a.endswith(f".{b}") or b.endswith(f".{a}")


def best_match(expected: Mapping[str, Any], among: list[Diagnosis]) -> Diagnosis | None:
    """By its name, or that of the body that is traced; by the number of traces; by what was lost."""

    def fitness(found: Diagnosis) -> tuple[bool, bool, float]:
        named = matches_name(expected.get("body", expected["name"]), found)
        return named, found.traces == expected["traces"], found.lost_seconds

    return max(among, key=fitness, default=None)


def own_lines(diagnosis: Diagnosis, path: Path) -> set[int]:
    """The lines of the program at which a report shows it: defined, made, or called so that it was traced."""
    name = path.name
    places = [*diagnosis.call_sites, *filter(None, [diagnosis.made_at])]
    sites = {site.line for site in places if Path(site.file).name == name}
    function = diagnosis.function
    return sites | ({function.line} if function.file and Path(function.file).name == name and function.line else set())


def find_line(path: Path, text: str) -> int:
    """The number of the one line of a program that holds this text."""
    found = [number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line]
    if len(found) != 1:
        raise SystemExit(f"{path}: {text!r} is in {len(found)} lines")
    return found[0]


def measure(program: Program, python: Path, recordings: Path, rounds: int) -> dict[str, Any]:
    script: list[str | Path] = [program.path.name, *program.arguments]
    recording = recordings / f"{program.name.replace('/', '-')}.jsonl"

    def plain() -> float:
        return run_measured([python, *script], program, watched=False)

    def watched() -> float:
        recording.unlink(missing_ok=True)
        command: list[str | Path] = [python, "-m", "traceonce", "run", "--recording", recording, *script]
        return run_measured(command, program, watched=True)

    reports: list[float] = []

    def watched_and_told() -> float:
        seconds = watched()
        reports.append(run_measured([python, "-m", "traceonce", "report", recording], program, watched=True))
        return seconds

    if not rounds:
        watched()
        return {"differences": list(differences(program, recording))}
    plain()  # what a first run leaves behind, such as compiled modules, is no price of watching
    times = interleave({"plain": plain, "watched": watched_and_told, "again": plain}, rounds)
    times["watching"] = [whole - report for whole, report in zip(times["watched"], reports, strict=True)]
    result: dict[str, Any] = {"cpu_seconds": {name: round(statistics.median(of), 2) for name, of in times.items()}}
    for column, name in (("watched", "watched"), ("watching", "watching"), ("a_a", "again")):
        result[column] = (
            ratios(times, name, "plain") if rounds > 1 else {"median": round(times[name][0] / times["plain"][0], 4)}
        )
    return result | {"differences": list(differences(program, recording))}


def report(name: str, result: Mapping[str, Any]) -> None:
    price = ""
    if "watched" in result:
        columns = (("watched / plain", "watched"), ("without the report", "watching"), ("A/A", "a_a"))
        price = "".join(f"   {words} {result[column]['median']:.3f}" for words, column in columns)
    wrong = result.get("differences", [])
    said = f"{len(wrong)} differ" if wrong else "as it is" if "differences" in result else ""
    print(f"{name:42} {said:9}{price}", flush=True)
    for line in wrong:
        print(f"    {line}", flush=True)


def results_so_far() -> dict[str, dict[str, Any]]:
    path = RESULTS / "wild.json"
    return dict(json.loads(path.read_text())["results"]) if path.exists() else {}


def summary(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """How many are told as they are, and the price in the middle of all programs that have one."""
    of_all: dict[str, Any] = {
        "programs": len(results),
        "as_in_truth": sum(not result["differences"] for result in results.values()),
    }
    prices = [result for result in results.values() if "watched" in result]
    if prices:
        of_all["with_prices"] = len(prices)
        of_all["median"] = {
            column: round(statistics.median(result[column]["median"] for result in prices), 4)
            for column in ("watched", "watching", "a_a")
        }
    return {**of_all, "results": results}


def main() -> None:
    parser = argparse.ArgumentParser(description="Is traceonce right about public libraries?")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="programs whose name contains one of these"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds that measure the price of watching; 0: none")
    parser.add_argument(
        "--jobs", type=int, default=1, help="programs at a time; what watching costs is told worse then"
    )
    parser.add_argument("--environments", type=Path, default=Path("~/.cache/traceonce/wild").expanduser())
    parser.add_argument("--recordings", type=Path, help="keep the recordings in this folder")
    parser.add_argument("--no-silent", action="store_true", help="without the programs that are in order")
    options = parser.parse_args()
    truth = tomllib.loads((HERE / "truth.toml").read_text())
    with tempfile.TemporaryDirectory() as temporary:
        recordings = (options.recordings or Path(temporary)).resolve()
        recordings.mkdir(parents=True, exist_ok=True)
        chosen = [
            program
            for program in all_programs(truth)
            if not (options.no_silent and program.is_silent)
            and any(part in program.name for part in options.only or [""])
        ]
        interpreters = {
            name: make_environment(name, truth["environments"][name]["python"], options.environments)
            for name in dict.fromkeys(program.environment for program in chosen)
        }

        def tried(program: Program) -> dict[str, Any]:
            rounds = 0 if program.is_silent else options.rounds
            try:
                result = measure(program, interpreters[program.environment], recordings, rounds)
            except ProgramError as failure:
                result = {"differences": [str(failure)]}
            report(program.name, result)
            return result

        names = {program.name for program in all_programs(truth)}
        results = {name: result for name, result in results_so_far().items() if name in names}
        right, written = 0, None
        with ThreadPoolExecutor(options.jobs) as pool:
            for program, result in zip(chosen, pool.map(tried, chosen), strict=True):
                right += not result["differences"]
                results[program.name] = {**results.get(program.name, {}), **result}
                written = save("wild", summary({name: results[name] for name in sorted(results)}))
    prices = summary(results).get("median", {})
    report("median of programs", {column: {"median": of} for column, of in prices.items()})
    print(f"{right} of {len(chosen)} programs told as they are")
    print(f"written to {written}")
    sys.exit(right < len(chosen))


if __name__ == "__main__":
    main()
