"""How many questions does the server answer in a second, how soon, and rightly?

    python bench/serve.py [--peer PYTHON] [--quick]

A real `traceonce serve` in a process of its own, with SQLite and without a limit of rate; wrk asks it from the same
machine, on a few connections at once, each asking again when its answer has come. Matching and explaining: the messages
of `bench/messages.jsonl` with every kind of noise, in shuffled order, each with a line before it that has a number of
its own, so that no question is asked twice and no cache can answer. All in rounds, in rotated order: medians, and the
middle half. Then, one by one: is the record that comes first the one that the message belongs to? Peer: deadends-dev in
an environment of its own, one question at a time (`bench/serve_peer.py`). `bench/serve_weight.py` measures it with many
clients, hostile ones among them.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import harvest
import noise
from match import benign_lines
from measuring import save
from serve_load import Load, Server, serving, write_templates
from serve_peer import compare_with_peer

from traceonce.analysis.material import find_out
from traceonce.facts import Recording
from traceonce.report.base import find_renderer

RECORDED = Path(__file__).parent.parent / "tests" / "recorded"
CONNECTIONS = (1, 4, 16, 64)
WANTED_PER_S, WANTED_P99_MS = 1_000, 50
STORED = 100  # recordings that are there when lists are asked for
NUMBER = "\x00"  # stands for the number of a request


def question_templates(messages: list[harvest.Message], seed: int) -> list[tuple[str, str]]:
    """The bodies of questions, shuffled."""
    texts = [text for message in messages for _, text in noise.variants(message, seed)]
    random.Random(seed).shuffle(texts)
    return [_halves(json.dumps({"text": f"{_numbered_line(NUMBER)}\n{text}"})) for text in texts]


def _numbered_line(number: object) -> str:
    return f"2026-11-15 12:13:01,101 INFO reading shard {number} of the data"


def _halves(body: str) -> tuple[str, str]:
    first, _, last = body.partition(json.dumps(NUMBER)[1:-1])
    return first, last


def recording_templates(logs: list[bytes]) -> list[tuple[str, str]]:
    """The bodies of uploads: JSON reports of real runs, each from a folder of its own."""
    bodies = []
    for log in logs:
        document = json.loads(render(log, "json"))
        bodies.append(_halves(json.dumps({**document, "cwd": f"/home/user/{NUMBER}"})))
    return bodies


def render(log: bytes, form: str) -> str:
    return find_renderer(form)(find_out(Recording.from_bytes(log), form))


def count_right(server: Server, messages: list[harvest.Message], share: int) -> dict[str, Any]:
    """Of every so many of the questions: how often does the right record come first?"""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    asked = right = explained = 0
    for number, (message, text) in enumerate((m, text) for m in messages for _, text in noise.variants(m, seed=7)):
        if number % share:
            continue
        body = json.dumps({"text": f"{_numbered_line(number)}\n{text}"})
        asked += 1
        for path in ("match", "explain"):
            connection.request("POST", f"/api/v1/{path}", body, {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())
            if path == "match":
                right += [(m["record"], m["guess"]) for m in answer["matches"][:1]] == [(message.record, False)]
            else:
                explained += message.record in {
                    *(item["record"] for item in answer["explanations"]),
                    *(item["record"] for item in answer["ignorable"]),
                }
    connection.close()
    return {"asked": asked, "match: right record first": right, "explain: right record among them": explained}


def measure_questions(server: Server, folder: Path, templates: Path, rounds: int, seconds: int) -> dict[str, Any]:
    """Matching and explaining, at several numbers of connections."""
    for path in ("match", "explain"):
        server.load(f"/api/v1/{path}", 4, 2, templates)  # for warmth
    loads: dict[str, list[Load]] = defaultdict(list)
    cases = [(path, connections) for path in ("match", "explain") for connections in CONNECTIONS]
    for turn in range(rounds):
        for path, connections in cases[turn % len(cases) :] + cases[: turn % len(cases)]:
            loads[f"{path}, {connections} at once"].append(
                server.load(f"/api/v1/{path}", connections, seconds, templates)
            )
    return {name: summarise(found) for name, found in loads.items()}


def measure_others(server: Server, folder: Path, rounds: int, seconds: int) -> dict[str, Any]:
    """Uploads, and what is read most: lists, findings, reports; and health, which is the floor of it all."""
    logs = [file.read_bytes() for file in sorted(RECORDED.glob("*.jsonl"))]
    uploads = write_templates(folder / "uploads", recording_templates(logs))
    first = [server.ask("POST", f"/api/v1/recordings?name=run-{n}", log)["id"] for n, log in enumerate(logs)]
    for number in range(STORED):
        before, after = recording_templates(logs[:1])[0]
        server.ask("POST", f"/api/v1/recordings?name=more-{number}", f"{before}m{number}{after}".encode())
    largest = max(range(len(logs)), key=lambda n: len(logs[n]))
    one = f"/api/v1/recordings/{first[largest]}"
    paths = {
        "health": "/api/v1/health",
        f"list of 50 of {STORED + len(logs)}": "/api/v1/recordings?limit=50",
        "one recording": one,
        "findings": f"{one}/findings",
        "report as HTML": f"{one}/report?format=html",
        "report as Markdown": f"{one}/report?format=markdown",
        "search of records": "/api/v1/records?search=retracing",
        "one record": "/api/v1/records/tensorflow/retracing-shape",
    }
    loads: dict[str, list[Load]] = defaultdict(list)
    for turn in range(rounds):
        names = list(paths)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            loads[name].append(server.load(paths[name], 4, seconds))
    for _ in range(rounds):
        loads["upload"].append(server.load("/api/v1/recordings", 4, seconds, uploads))
    results = {name: summarise(found) for name, found in loads.items()}
    stored = server.ask("GET", "/api/v1/recordings?limit=1")["total"]
    results["recording_bytes"] = len(logs[largest])
    results["stored_at_the_end"] = stored
    return results


def summarise(loads: list[Load]) -> dict[str, Any]:
    """Over rounds: the median, and the middle half of the rate."""
    rates = [load.per_s for load in loads]
    low, _, high = statistics.quantiles(rates, n=4) if len(rates) > 1 else (rates[0],) * 3
    return {
        "per_s": round(statistics.median(rates)),
        "low_per_s": round(low),
        "high_per_s": round(high),
        "p50_ms": round(statistics.median(load.p50_ms for load in loads), 2),
        "p99_ms": round(statistics.median(load.p99_ms for load in loads), 2),
        "worst_p99_ms": round(max(load.p99_ms for load in loads), 2),
        "worst_ms": round(max(load.worst_ms for load in loads), 1),
        "server_cpu_ms": round(statistics.median(load.cpu_ms for load in loads), 3),
        "requests": sum(load.requests for load in loads),
    }


def show(results: dict[str, Any]) -> None:
    for name, found in results.items():
        if isinstance(found, dict) and "per_s" in found:
            print(
                f"{name:24} {found['per_s']:6,}/s ({found['low_per_s']:,} to {found['high_per_s']:,})"
                f"   p50 {found['p50_ms']:7.2f} ms   p99 {found['p99_ms']:7.2f} ms"
                f"   {found['server_cpu_ms']:.3f} ms of the server's processor"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rounds, seconds = (1, 2) if options.quick else (5, 3)
    messages = harvest.load()
    results: dict[str, Any] = {"cores": os.cpu_count(), "nice": os.nice(0), "load_before": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as scratch, serving(Path(scratch)) as server:
        folder = Path(scratch)
        templates = write_templates(folder / "questions", question_templates(messages, seed=7))
        questions = results["questions"] = measure_questions(server, folder, templates, rounds, seconds)
        show(questions)
        right = results["right"] = count_right(server, messages, share=40 if options.quick else 4)
        print(json.dumps(right))
        others = results["others"] = measure_others(server, folder, 1 if options.quick else 3, seconds)
        show(others)
        results["server_memory_mib"] = round(server.memory_mib())
        if options.peer:
            results["peer"] = compare_with_peer(
                server, options.peer, messages, benign_lines(), *((2, 6) if options.quick else (5, 20))
            )
            print(json.dumps(results["peer"], indent=1))
    results["load_after"] = round(os.getloadavg()[0], 1)
    if not options.quick:
        print(f"written to {save('serve', results)}")
    enough = [
        name
        for name, found in questions.items()
        if name.startswith("match") and found["per_s"] >= WANTED_PER_S and found["p99_ms"] < WANTED_P99_MS
    ]
    print(f"at least {WANTED_PER_S:,}/s with p99 under {WANTED_P99_MS} ms: {', '.join(enough) or 'nowhere'}")
    if not enough or right["asked"] != right["match: right record first"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
