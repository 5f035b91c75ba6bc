"""Connections of strangers: what they send, or do not, before a token is checked costs nobody else anything."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from traceonce.serve import connections
from traceonce.serve.connections import HEADERS, BoundedConnection

TOO_LONG = 60  # seconds until a server that does not answer is a failure
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
LARGE = 20 << 20  # bytes of an answer: more than systems take from us for a client that does not read


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers without reading the body, as for a request without a token."""
    body = b"x" * LARGE if scope["path"] == "/large" else b"yes"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    for start in range(0, len(body), 1 << 20):
        await send({"type": "http.response.body", "body": body[start : start + (1 << 20)], "more_body": True})
    await send({"type": "http.response.body"})


@contextlib.contextmanager
def serving(listening: socket.socket | None = None, loop: str = "auto") -> Iterator[int]:
    listening = listening or socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=BoundedConnection, lifespan="off", loop=loop, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that is not patient."""
    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    with serving() as port:
        yield port


def connect(port: int, host: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TOO_LONG, source_address=(host, 0))


def rest_of(connection: socket.socket) -> bytes:
    """What comes until the server has closed the connection."""
    pieces = []
    try:
        while piece := connection.recv(1 << 16):
            pieces.append(piece)
    except ConnectionError:
        pass
    return b"".join(pieces)


def answers(port: int) -> bool:
    with connect(port) as connection:
        connection.sendall(REQUEST)
        return connection.recv(12) == b"HTTP/1.1 200"


def test_requests_are_answered(port: int) -> None:
    """One after the other on a connection, also with a body, and also when they are sent at once."""
    with connect(port) as connection:
        for _ in range(3):
            connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000)
            assert connection.recv(1 << 16).endswith(b"yes")
        connection.sendall(REQUEST * 2)
        got = b""
        while got.count(b"yes") < 2:
            got += connection.recv(1 << 16)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: "])
def test_headers_that_do_not_come(port: int, sent: bytes) -> None:
    """The connection is closed, also when it has served a request before."""
    with connect(port) as first:
        first.sendall(sent)
        assert rest_of(first) == b""
    with connect(port) as second:
        second.sendall(REQUEST)
        assert second.recv(1 << 16).endswith(b"yes")
        second.sendall(b"GET / HT")
        assert rest_of(second) == b""


@pytest.mark.parametrize("whole", [True, False])
def test_headers_without_end(port: int, whole: bool) -> None:
    """400, and the connection is closed: whether they end at last, or never."""
    long = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Long: y\r\n" * (HEADERS // 7)
    with connect(port) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(long + (b"\r\n" if whole else b"X-Long: y\r\n" * 100_000))
        assert rest_of(connection)[:12] in (b"HTTP/1.1 400", b"")  # it may be lost, where more was under way
    assert answers(port)


def test_a_body_that_nobody_reads_any_more(port: int) -> None:
    """Whoever goes on sending drops of it after the answer is cut off."""
    with connect(port) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        got = b""
        with contextlib.suppress(ConnectionError):
            while True:
                connection.sendall(b"x")
                connection.settimeout(0.05)
                with contextlib.suppress(TimeoutError):
                    piece = connection.recv(1 << 16)
                    if not piece:
                        break
                    got += piece
        assert got.endswith(b"yes")


def test_an_answer_that_nobody_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not read is cut off; whoever does gets all of it."""
    monkeypatch.setattr(connections, "STALLED", 0.3)
    cut = threading.Event()
    lost = BoundedConnection.connection_lost

    def noticing(self: BoundedConnection, error: Exception | None) -> None:
        lost(self, error)
        cut.set()

    monkeypatch.setattr(BoundedConnection, "connection_lost", noticing)
    with serving() as port, connect(port) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert cut.wait(TOO_LONG)
        with connect(port) as reading:
            reading.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert len(rest_of(reading)) > LARGE


def test_more_connections_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whoever has most of them, those that have waited longest make room; others keep theirs."""
    monkeypatch.setattr(connections, "MOST", 20)
    with serving() as port, contextlib.ExitStack() as stack:
        other = stack.enter_context(connect(port, "127.0.0.2"))
        crowd = [stack.enter_context(connect(port, "127.0.0.3")) for _ in range(40)]
        assert answers(port)
        for gone in crowd[:15]:
            assert rest_of(gone) == b""
        for there in (other, crowd[-1]):
            there.sendall(REQUEST)
            assert there.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_many_that_come_at_once(monkeypatch: pytest.MonkeyPatch, loop: str) -> None:
    """Each makes room of its own, also where the server sees all of them before it has closed any."""
    monkeypatch.setattr(connections, "MOST", 20)
    listening = socket.create_server(("127.0.0.1", 0), backlog=100)
    crowd = [connect(listening.getsockname()[1], "127.0.0.3") for _ in range(40)]
    with serving(listening, loop), contextlib.ExitStack() as stack:
        for one in crowd:
            stack.enter_context(one)
        for gone in crowd[:20]:
            assert rest_of(gone) == b""
        crowd[-1].sendall(REQUEST)
        assert crowd[-1].recv(12) == b"HTTP/1.1 200"
