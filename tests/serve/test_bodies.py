"""Bodies as they come in: how much, how slowly, and how many of them at once."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from traceonce.serve import bodies
from traceonce.serve.bodies import Bodies, Body


def sending(*pieces: bytes) -> Receive:
    """A client that sends these, and then nothing more."""
    left: Iterator[bytes] = iter(pieces)

    async def receive() -> Message:
        piece = next(left, None)
        if piece is None:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": piece, "more_body": True}

    return receive


async def read_all(body: Body) -> int:
    taken = 0
    while True:
        message = await body()
        taken += len(message["body"])
        if not message["more_body"]:
            return taken


def refused(body: Body) -> HTTPException:
    with pytest.raises(HTTPException) as caught:
        anyio.run(read_all, body)
    return caught.value


def test_whoever_stops_sending_is_told() -> None:
    """408: also after the first pieces."""
    for pieces in ((), (b"x", b"y")):
        error = refused(Bodies(first=0.05).take(sending(*pieces), 100, in_memory=True))
        assert error.status_code == 408
        assert "the request body timed out" in error.detail


def test_whoever_sends_in_drops_is_told() -> None:
    """408: each drop comes in time, but all of it would not."""

    async def drip() -> Message:
        await anyio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    error = refused(Bodies(first=0.1).take(drip, 1_000_000, in_memory=False))
    assert error.status_code == 408


def test_whoever_keeps_sending_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The more has come, the longer the rest may take."""
    monkeypatch.setattr(bodies, "SLOWEST", 10)
    left = 8

    async def steady() -> Message:
        nonlocal left
        left -= 1
        await anyio.sleep(0.05)
        return {"type": "http.request", "body": b"x" * 100, "more_body": left > 0}

    body = Bodies(first=0.3).take(steady, 1_000_000, in_memory=False)
    assert anyio.run(read_all, body) == 800


def test_all_bodies_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """503 where they would take too much memory; what is written to a file takes none, and what is over frees it."""
    monkeypatch.setattr(bodies, "TOGETHER", 10)
    every = Bodies(first=0.05)
    first = every.take(sending(b"x" * 8), 100, in_memory=True)
    assert refused(first).status_code == 408
    assert every.held == 8
    second = every.take(sending(b"x" * 8), 100, in_memory=True)
    assert refused(second).status_code == 503
    on_disk = every.take(sending(b"x" * 80), 100, in_memory=False)
    assert refused(on_disk).status_code == 408
    for body in (first, second, on_disk, second):
        body.release()
    assert every.held == 0


def test_a_client_that_has_sent_all_is_waited_for() -> None:
    """An application may ask whether it has gone; that takes as long as it takes."""

    async def gone_later() -> Message:
        await anyio.sleep(0.2)
        return {"type": "http.disconnect"}

    asked: list[str] = []

    async def receive() -> Message:
        if not asked:
            asked.append("body")
            return {"type": "http.request", "body": b"x"}
        return await gone_later()

    async def ask() -> str:
        body = Bodies(first=0.05).take(receive, 10, in_memory=True)
        await body()
        return str((await body())["type"])

    assert anyio.run(ask) == "http.disconnect"
