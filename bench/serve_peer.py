"""The same questions to us and to deadends-dev, one at a time, each through the doors that it has.

Ours: `POST /api/v1/match` and `/explain` of the server, and `traceonce mcp` over standard input. The peer's: the lookup
of its SDK (`bench/peer_lookup.py`) and its MCP server, both over standard input; it has no HTTP server. Its records are
not ours: what is counted is how often it answers with one of its TensorFlow records, and how often it answers harmless
lines at all.
"""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harvest import Message
from measuring import milliseconds, ratios
from serve_load import Server

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index, match

Ask = Callable[[str], str | None]  # a text → the record, or the topic, that is answered
HERE = Path(__file__).parent
PAIRS = (("peer, MCP", "ours, MCP"), ("peer, MCP", "ours, HTTP explain"), ("peer, SDK", "ours, HTTP match"))
NOT_OURS = "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB"


class Spoken:
    """A program that is asked by a line of JSON and answers by one."""

    def __init__(self, *command: str) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def say(self, thing: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(thing) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


class OverMcp(Spoken):
    """An MCP server, asked with one of its tools."""

    def __init__(self, *command: str) -> None:
        super().__init__(*command)
        self._number = 0
        client = {"name": "bench", "version": "1"}
        self.request("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo=client)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, **params: Any) -> Any:
        self._number += 1
        self.say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self.hear()["result"]


class OverHttp:
    """Our server, on one connection that is kept."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def post(self, path: str, text: str) -> Any:
        self._connection.request("POST", path, json.dumps({"text": text}), {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        assert answer.status == 200, answer.status
        return json.loads(answer.read())

    def match(self, text: str) -> str | None:
        best = self.post("/api/v1/match", text)["matches"][:1]
        return next((found["record"] for found in best if not found["guess"]), None)

    def explain(self, text: str) -> str | None:
        return next((found["record"] for found in self.post("/api/v1/explain", text)["explanations"]), None)


def _topic(told: str) -> str | None:
    """Of the peer's answer, which is a text that ends with a link to the record."""
    return told.rpartition("deadends.dev/")[2].split("/")[0] if "Full details: " in told else None


class Doors:
    """All who are asked, by name."""

    def __init__(self, server: Server, peer_python: str) -> None:
        http_ = OverHttp(server)
        self._mcp = OverMcp(sys.executable, "-m", "traceonce", "mcp")
        self._peer_mcp = OverMcp(str(Path(peer_python).with_name("deadends-mcp")))
        self._peer_sdk = Spoken(peer_python, str(HERE / "peer_lookup.py"))
        self._peer_sdk.hear()
        self.asks: dict[str, Ask] = {
            "ours, HTTP match": http_.match,
            "ours, HTTP explain": http_.explain,
            "ours, MCP": self._ask_mcp,
            "peer, MCP": self._ask_peer_mcp,
            "peer, SDK": self._ask_peer_sdk,
        }
        for ask in self.asks.values():
            ask(NOT_OURS)  # what is read and compiled when it is first needed

    def _ask_mcp(self, text: str) -> str | None:
        answer = self._mcp.request("tools/call", name="explain_error", arguments={"text": text})
        return next((found["record"] for found in answer["structuredContent"]["explanations"]), None)

    def _ask_peer_mcp(self, text: str) -> str | None:
        answer = self._peer_mcp.request("tools/call", name="lookup_error", arguments={"error_message": text})
        return _topic(answer["content"][0]["text"])

    def _ask_peer_sdk(self, text: str) -> str | None:
        self._peer_sdk.say({"texts": [text]})
        answer = self._peer_sdk.hear()[0]
        return answer["domain"] if answer["id"] is not None else None

    def close(self) -> None:
        for spoken in (self._mcp, self._peer_mcp, self._peer_sdk):
            spoken.close()


def compare_with_peer(
    server: Server, peer_python: str, messages: list[Message], benign: list[str], rounds: int, per_round: int
) -> dict[str, Any]:
    """Every text is put to all, beginning with another one each time."""
    chance = random.Random(7)
    doors = Doors(server, peer_python)
    names = list(doors.asks)
    times: dict[str, list[float]] = defaultdict(list)  # of single questions
    by_round: dict[str, list[float]] = defaultdict(list)
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    index = Index(Collection())
    for _ in range(rounds):
        asked = [(message.text, message.record) for message in chance.sample(messages, per_round)]
        asked += [(line, None) for line in chance.sample(benign, per_round // 2)]
        spent: Counter[str] = Counter()
        for number, (text, record) in enumerate(asked):
            for name in names[number % len(names) :] + names[: number % len(names)]:
                began = time.perf_counter()
                answer = doors.asks[name](text)
                seconds = time.perf_counter() - began
                times[name].append(seconds)
                spent[name] += seconds
                kind = "messages" if record else "benign"
                counts[name][f"{kind} asked"] += 1
                counts[name][f"{kind} answered"] += answer is not None
                if name.startswith("peer"):
                    counts[name][f"{kind} answered, domain tensorflow"] += answer == "tensorflow"
                elif record:
                    counts[name]["messages right"] += answer == record
            if record:
                assert match(text, index)[0].record == record  # the corpus is right, so that an error is the server's
        for name in names:
            by_round[name].append(spent[name])
    doors.close()
    results: dict[str, Any] = {name: {**counts[name], **milliseconds(times[name])} for name in names}
    for name in names:
        results[name]["slowest_ms"] = round(max(times[name]) * 1e3, 1)
    for peer, ours in PAIRS:
        results[f"{peer} / {ours}"] = ratios(by_round, peer, ours)
    return results
