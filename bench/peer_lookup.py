"""Asks deadends-dev, in its own environment: texts on standard input, its answers on standard output.

    PYTHON bench/peer_lookup.py

One line per request: {"texts": [...]} gives [{"id", "domain", "score", "seconds"} or null, ...]. Needs nothing of ours.
"""

import json
import sys
import time

from generator.lookup import lookup

lookup("RuntimeError: CUDA out of memory")  # its records are read, and its expressions compiled, once
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    answers = []
    for text in json.loads(line)["texts"]:
        began = time.perf_counter()
        found = lookup(text)
        seconds = time.perf_counter() - began
        answer = {"seconds": seconds, "id": None}
        if found:
            answer.update(id=found["id"], domain=found["domain"], score=found["score"], signature=found["signature"])
        answers.append(answer)
    print(json.dumps(answers), flush=True)
