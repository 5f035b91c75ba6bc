"""How often one client may ask: a bucket of tokens each, for a bounded number of clients.

`app.state.matching` is the rate for texts: one for all ways to ask.

Why not `limits` (and slowapi, which stands on it): it has no bucket, so that what costs more than a client may ask at
once is refused for ever, and it keeps all who ask: 92 MB for 200,000 addresses, where this keeps 3.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from cachetools import LRUCache
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

LONG = 20_000  # characters that count as one more text, since they take as long
CLIENTS = 10_000  # of whom is known what they asked; whoever asked longest ago is forgotten first
# Whoever does not heed a 429 asks again at once, and costs as much as if it were answered: it waits so many seconds.
SLOWED_DOWN = 1.0


class _Bucket(NamedTuple):
    tokens: float
    filled: float


class Rate:
    """`rate` requests per second and client on average, and `burst` of them at once; a rate of 0 allows any number."""

    def __init__(self, rate: float, burst: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst if burst is not None else max(1.0, 2 * rate)
        self._clock = clock
        self._buckets: LRUCache[str, _Bucket] = LRUCache(CLIENTS)

    def wait(self, client: str, cost: float = 1.0) -> float:
        """Take as many tokens: 0 where they were there, or else the seconds until they will be.

        What costs more than a whole bucket costs a whole bucket.
        """
        if not self._rate:
            return 0.0
        now = self._clock()
        tokens = self._tokens(client, now)
        cost = min(cost, self._burst)
        allowed = tokens >= cost
        self._buckets[client] = _Bucket(tokens - cost if allowed else tokens, now)
        return 0.0 if allowed else (cost - tokens) / self._rate

    def ahead(self, client: str) -> float:
        """The seconds until there will be a token, 0 where there is one; none is taken."""
        return max(0.0, 1 - self._tokens(client, self._clock())) / self._rate if self._rate else 0.0

    def _tokens(self, client: str, now: float) -> float:
        bucket = self._buckets.get(client) or _Bucket(self._burst, now)
        return min(self._burst, bucket.tokens + (now - bucket.filled) * self._rate)


def check_rate(rate: Rate, request: HTTPConnection, text: str = "") -> None:
    """Refuse a client that asks too often; a long text costs more."""
    slow_down(rate.wait(name_of_client(request), 1 + len(text) // LONG), "too many questions")


def name_of_client(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def slow_down(seconds: float, why: str) -> None:
    """Refuse a client that has to wait so long."""
    if seconds:
        again = str(math.ceil(seconds))
        raise HTTPException(429, f"{why}; ask again in {again} s.", {"Retry-After": again})
