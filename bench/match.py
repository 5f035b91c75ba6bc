"""Does matching find the right record, and nothing else, and how long does it take?

    python bench/match.py [--harvest PYTHON ... [--domain DOMAIN]] [--peer PYTHON] [--quick]

Messages: `bench/messages.jsonl`, harvested by running every experiment (`--harvest` makes those of one framework anew,
TensorFlow's unless `--domain` names another, with each interpreter named), each also with noise. Benign:
`bench/benign.txt`, made by `bench/make_benign.py`. Peer: deadends-dev in an environment of its own, asked the same, in
turns; its records are not ours, so what is counted is how often it answers with one of its TensorFlow records, and how
often it answers harmless lines at all. Timings: warm lookups among our records and 5,000 synthetic ones, hostile lines,
and a log of 100 MB in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import harvest
import noise
from make_benign import BENIGN
from measuring import milliseconds, save

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index, match, scan
from traceonce.knowledge.record import Record

HERE = Path(__file__).parent
SYNTHETIC = 5_000
FRAMEWORKS = ("tensorflow", "jax", "torch")
LARGE = 100_000_000  # bytes of the log that is streamed
WORDS = (HERE.parent / "LICENSE").read_text().lower()


def benign_sections() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    for line in BENIGN.read_text(encoding="utf-8").splitlines():
        if line.startswith("#: "):
            section = sections.setdefault(line[3:], [])
        else:
            section.append(line)
    return sections


def benign_lines() -> list[str]:
    return [line for section in benign_sections().values() for line in section if line]


def measure_messages(messages: list[harvest.Message], index: Index) -> dict[str, Any]:
    """The share of messages whose record comes first, by kind of noise."""
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    wrong = []
    for message in messages:
        for kind, text in noise.variants(message, seed=4):
            found = match(text, index)
            asked[kind] += 1
            if found and not found[0].guess and found[0].record == message.record:
                right[kind] += 1
            else:
                got = found[0].record + (" (a guess)" if found[0].guess else "") if found else None
                wrong.append({"record": message.record, "kind": kind, "trial": message.trial, "got": got})
    per_record = Counter(message.record for message in messages)
    return {
        "messages": len(messages),
        "versions": sorted({f"{message.record.partition('/')[0]} {message.version}" for message in messages}),
        "records": len(per_record),
        "fewest_per_record": min(per_record.values()),
        "asked": sum(asked.values()),
        "right_first": sum(right.values()),
        "share": round(sum(right.values()) / sum(asked.values()), 4),
        "by_noise": {kind: f"{right[kind]} of {asked[kind]}" for kind in asked},
        "wrong": wrong[:50],
    }


def measure_benign(index: Index) -> dict[str, Any]:
    """Every line on its own, and every section as one text: nothing may match."""
    sections = benign_sections()
    lines = benign_lines()
    hits = [
        (line, [hit.record.id for hit in answer.hits]) for line in lines for answer in scan(line, index) if answer.hits
    ]
    for name, section in sections.items():
        text = "\n".join(section)
        hits += [(name, [hit.record.id for hit in answer.hits]) for answer in scan(text, index) if answer.hits]
    return {"lines": len(lines), "sections": len(sections), "matched": len(hits), "which": hits[:50]}


def synthetic_records(count: int) -> list[Record]:
    """Records with expressions like ours: fixed words, a gap, a function's name."""
    chance = random.Random(4)
    words = sorted(set(re.findall(r"[a-z]{3,}", WORDS)))
    vocabulary = words + [a + b for a in words[:60] for b in words[60:90]]
    records = []
    for number in range(count):
        some = [chance.choice(vocabulary) for _ in range(9)]
        regex = rf"{' '.join(some[:4])} '(?P<function>[^']+)' .*{' '.join(some[4:7])}[ ,]{some[7]}"
        signature = f"Error: {' '.join(some[:4])} 'step' was {' '.join(some[4:7])} {some[7]}"
        records.append(Record(id=f"synthetic/{number}", signature=signature, regex=regex, aliases=[" ".join(some)]))
    return records


def hostile_lines(index: Index) -> dict[str, str]:
    """Lines of 10 KB that give an expression much to try."""
    signatures = [record.signature for record in index.records[:60]]
    halves = " ".join(signature[: len(signature) // 2] for signature in signatures)
    return {
        "one letter": "a" * 10_000,
        "beginnings": (halves * 20)[:10_000],
        "every message": (" ".join(signatures) * 20)[:10_000],
        "brackets": "([{" * 3_334,
        "quotes": "The function '" * 715,
        "retraced": "retraced, " * 1_000,
        "escape sequences": "\x1b[31" * 2_000,
        "prefixes": "2026-11-15 12:13:01 ERROR " * 385,
        "Chinese": "重新追踪" * 2_500,
        "JSON": '{"a":' * 2_000,
    }


def time_lookups(texts: list[str], index: Index) -> dict[str, float]:
    """Each text once for warmth, then once on the clock."""
    for text in texts:
        match(text, index)
    times = []
    for text in texts:
        began = time.perf_counter()
        match(text, index)
        times.append(time.perf_counter() - began)
    return {**milliseconds(times), "worst_ms": round(max(times) * 1e3, 3)}


def measure_times(messages: list[harvest.Message], index: Index, quick: bool) -> dict[str, Any]:
    texts = [message.text for message in messages][:: 3 if quick else 1]
    benign = benign_lines()[:: 20 if quick else 5]
    began = time.perf_counter()
    large = Index([*index.records, *synthetic_records(SYNTHETIC)])
    building = time.perf_counter() - began
    likely = [record.signature for record in large.records[-500:]]
    assert all(
        match(text, large)[0].record == record.id for text, record in zip(likely, large.records[-500:], strict=True)
    )
    return {
        f"{len(index.records)} records, messages": time_lookups(texts, index),
        f"{len(index.records)} records, benign lines and a guess": time_lookups(benign, index),
        f"{len(large.records)} records, messages": time_lookups(texts, large),
        f"{len(large.records)} records, their own messages": time_lookups(likely, large),
        f"{len(large.records)} records, benign lines and a guess": time_lookups(benign, large),
        "index_of_synthetic_s": round(building, 2),
        "hostile_ms": {
            name: time_lookups([line] * 5, index)["worst_ms"] for name, line in hostile_lines(index).items()
        },
    }


STREAM = """
import resource, sys, time
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index, Summary, scan
index = Index(Collection())
def chunks():
    while chunk := sys.stdin.buffer.read(1 << 18):
        yield chunk
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.perf_counter()
summary = Summary(scan(chunks(), index))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(summary.found), sum(found.count for found in summary.found), time.perf_counter() - began,
      (after - before) / 1024, after / 1024)
"""


def measure_stream(messages: list[harvest.Message], size: int) -> dict[str, Any]:
    """A log of this size, with a known failure in every megabyte, and one line of 10 MB."""
    lines = [line for line in benign_lines() if "RecursionError" not in line]  # near TensorFlow's own lines it is known
    block = ("\n".join(f"2026-11-15 12:13:01,123 INFO {line}" for line in lines) + "\n").encode()
    process = subprocess.Popen([sys.executable, "-c", STREAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    written = planted = 0
    while written < size:
        piece = block + messages[planted % len(messages)].text.encode() + b"\n\n"
        piece *= 1 if written else 2
        process.stdin.write(piece)
        written += len(piece)
        planted += 1
    process.stdin.write(b"x" * min(size // 10, 10_000_000))
    output = process.communicate()[0].split()
    assert process.returncode == 0
    different, found, seconds, grown, peak = (float(value) for value in output)
    return {
        "mb": round(written / 1e6),
        "planted": planted,
        "messages_found": int(found),
        "failures_told_apart": int(different),
        "seconds": round(seconds, 1),
        "mb_per_s": round(written / 1e6 / seconds, 1),
        "memory_grown_mib": round(grown, 1),
        "peak_mib": round(peak, 1),
    }


class Peer:
    """deadends-dev, in a process of its own."""

    def __init__(self, python: str) -> None:
        command = [python, str(HERE / "peer_lookup.py")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._answer()

    def ask(self, text: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"texts": [text]}) + "\n")
        self._process.stdin.flush()
        return self._answer()[0]  # type: ignore[no-any-return]

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def measure_peer(python: str, messages: list[harvest.Message], index: Index, quick: bool) -> dict[str, Any]:
    """The same texts for both, in turns. A match of ours is no guess; the peer has only one kind of answer."""
    chance = random.Random(4)
    peer = Peer(python)
    benign = benign_lines()
    asked = {
        "messages": [
            (message.text, message.record)
            for message in chance.sample(messages, min(len(messages), 40 if quick else 200))
        ],
        "benign": [(line, None) for line in chance.sample(benign, 40 if quick else 300)],
    }
    results: dict[str, Any] = {}
    for kind, texts in asked.items():
        times = defaultdict(list)
        counts: Counter[str] = Counter()
        topics: Counter[str] = Counter()
        for number, (text, record) in enumerate(texts):
            for who in ("ours", "peer")[:: 1 if number % 2 else -1]:
                if who == "peer":
                    answer = peer.ask(text)
                    times[who].append(answer["seconds"])
                    counts["peer answers"] += answer["id"] is not None
                    counts["peer answers, domain tensorflow"] += answer.get("domain") == "tensorflow"
                    topics[answer.get("domain") or "none"] += 1
                else:
                    began = time.perf_counter()
                    found = match(text, index)
                    times[who].append(time.perf_counter() - began)
                    known = bool(found) and not found[0].guess
                    counts["ours matches"] += known
                    counts["ours right"] += known and found[0].record == record
        results[kind] = {
            "asked": len(texts),
            **counts,
            "peer_domains": dict(topics.most_common(8)),
            "ours": milliseconds(times["ours"]),
            "peer": milliseconds(times["peer"]),
            "peer_over_ours": round(
                milliseconds(times["peer"])["median_ms"] / milliseconds(times["ours"])["median_ms"]
            ),
        }
    peer.close()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harvest", nargs="+", metavar="PYTHON", default=[])
    parser.add_argument("--domain", default="tensorflow")
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.harvest:
        others = [message for message in harvest.load() if message.record.partition("/")[0] != options.domain]
        new = [message for python in options.harvest for message in harvest.harvest(python, options.domain)]
        harvest.save(sorted([*others, *new], key=lambda message: FRAMEWORKS.index(message.record.partition("/")[0])))
    index = Index(Collection())
    messages = harvest.load()
    results: dict[str, Any] = {"records": len(index.records), "messages": measure_messages(messages, index)}
    found = results["messages"]
    print(f"{found['messages']} messages of {found['records']} records, at least {found['fewest_per_record']} each")
    print(f"right record first: {found['right_first']} of {found['asked']}")
    for kind, share in found["by_noise"].items():
        print(f"  {kind:24} {share}")
    benign = results["benign"] = measure_benign(index)
    print(f"benign: {benign['matched']} matches in {benign['lines']} lines and {benign['sections']} texts")
    times = results["times"] = measure_times(messages, index, options.quick)
    print(json.dumps(times, indent=1))
    stream = results["stream"] = measure_stream(messages, LARGE // 20 if options.quick else LARGE)
    print(f"a log of {stream['mb']} MB: {stream['seconds']} s, memory grew by {stream['memory_grown_mib']} MiB")
    if options.peer:
        results["peer"] = measure_peer(options.peer, messages, index, options.quick)
        print(json.dumps(results["peer"], indent=1))
    if not options.quick:
        print(f"written to {save('match', results)}")
    if found["right_first"] != found["asked"] or benign["matched"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
