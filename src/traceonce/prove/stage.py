"""The process that replays are forked from.

Started as ``python -m traceonce.prove.stage [FRAMEWORK]``. A program that configures the framework through the
environment before importing it needs a stage without: the answer says so (`too_late`).
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from traceonce.fork_server import serve
from traceonce.prove.observed_run import TOO_LATE, perform
from traceonce.prove.order import GRACE, READY, Ended, Order


class Performance:
    """One order, carried out."""

    def __init__(self, line: bytes) -> None:
        self._order = msgspec.json.decode(line, type=Order)
        self.limit = self._order.timeout + GRACE

    def run(self) -> None:
        perform(self._order, preloaded=sys.argv[1:])

    def answer(self, status: int | None, seconds: float) -> bytes:
        try:
            too_late = Path(self._order.results, TOO_LATE).read_text(encoding="utf-8")
        except OSError:
            too_late = None
        return msgspec.json.encode(Ended(status, seconds, too_late))


if __name__ == "__main__":
    serve(sys.argv[1:], lambda: READY, Performance)
