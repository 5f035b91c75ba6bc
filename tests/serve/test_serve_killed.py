"""Kill -9 while recordings are uploaded: what was acknowledged is there, whole; and nothing is there in part."""

from __future__ import annotations

import base64
import hashlib
import http.client
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.serve.databases import PostgreSQL

RECORDED = Path(__file__).parents[1] / "recorded"
UPLOADS = "/api/v1/recordings"
UPLOADERS = 4
ROUNDS = 3
TOO_LONG = 60  # seconds until a server that does not answer is a failure; no test depends on how long it takes


class Server:
    """`traceonce serve` in a process of its own."""

    def __init__(self, database: str) -> None:
        command = [sys.executable, "-m", "traceonce", "serve", "--port", "0", "--database", database]
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith("TRACEONCE_")}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=surroundings, text=True)
        self._port = 0

    def await_port(self) -> None:
        """It says where it listens once it can be asked."""
        assert self.process.stdout is not None
        told = re.search(r"http://127\.0\.0\.1:([0-9]+)", self.process.stdout.readline())
        assert told is not None
        self._port = int(told[1])

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=TOO_LONG)

    def get(self, path: str) -> bytes:
        connection = self.connect()
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        body = answer.read()
        connection.close()
        return body

    def everything(self) -> dict[str, Any]:
        """All recordings, by id."""
        found: dict[str, Any] = {}
        while True:
            page = json.loads(self.get(f"{UPLOADS}?limit=200&offset={len(found)}"))
            found |= {summary["id"]: summary for summary in page["recordings"]}
            if not page["recordings"]:
                assert len(found) == page["total"]
                return found

    def kill(self) -> None:
        self.process.kill()
        assert self.process.wait(TOO_LONG) == -signal.SIGKILL
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def serving(database: str) -> Iterator[Server]:
    server = Server(database)
    try:
        server.await_port()
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()


class Uploads:
    """What was sent so far, and what of it was acknowledged. Seeded: every run sends the same, in some order."""

    def __init__(self) -> None:
        self._real = (RECORDED / "healthy.jsonl").read_bytes()
        self._numbers = itertools.count()
        self._lock = threading.Condition()
        self.sent: dict[str, bytes] = {}  # by what they hash to
        self.acknowledged: dict[str, str] = {}  # what each hashes to, by its id
        self.refused: list[int] = []
        self.over = threading.Event()

    def make(self) -> bytes:
        """A real recording with a notice of its own: a few hundred bytes, or a megabyte that does not compress."""
        with self._lock:
            chance = random.Random(next(self._numbers))
            noise = base64.b64encode(chance.randbytes(chance.choice([100, 5_000, 200_000, 800_000]))).decode()
            data = self._real + json.dumps({"entry": "notice", "text": noise}).encode() + b"\n"
            self.sent[hashlib.sha256(data).hexdigest()] = data
            return data

    def send_all(self, server: Server) -> None:
        """One after the other, until the server is gone, or it is over."""
        connection = server.connect()
        try:
            while not self.over.is_set():
                data = self.make()
                connection.request("POST", UPLOADS, data)
                answer = connection.getresponse()
                body = json.loads(answer.read())
                with self._lock:
                    if answer.status == 201:
                        assert body["sha256"] == hashlib.sha256(data).hexdigest()
                        self.acknowledged[body["id"]] = body["sha256"]
                    else:
                        self.refused.append(answer.status)
                    self._lock.notify_all()
        except (OSError, http.client.HTTPException):
            pass  # it was killed
        finally:
            connection.close()

    @contextmanager
    def going_on(self, server: Server) -> Iterator[None]:
        """Several at once; at the end the server is gone, or it is over."""
        uploaders = [threading.Thread(target=self.send_all, args=(server,)) for _ in range(UPLOADERS)]
        for uploader in uploaders:
            uploader.start()
        yield
        for uploader in uploaders:
            uploader.join(TOO_LONG)
            assert not uploader.is_alive()

    def wait_for(self, more: int) -> None:
        """Until so many more are acknowledged."""
        with self._lock:
            wanted = len(self.acknowledged) + more
            assert self._lock.wait_for(lambda: len(self.acknowledged) >= wanted, TOO_LONG)

    def assert_all_are_there(self, server: Server) -> None:
        """Each that was acknowledged, byte by byte; of the others none, or all of it."""
        found = server.everything()
        assert self.acknowledged.items() <= {key: summary["sha256"] for key, summary in found.items()}.items()
        for key, summary in found.items():
            data = self.sent[summary["sha256"]]
            assert summary["size"] == len(data)
            assert server.get(f"{UPLOADS}/{key}/raw") == data


@pytest.fixture
def uploads() -> Uploads:
    return Uploads()


def test_the_server_is_killed(database: str, uploads: Uploads) -> None:
    """At several moments of chance, each time while four are uploading."""
    chance = random.Random(7)
    for _ in range(ROUNDS):
        with serving(database) as server:
            uploads.assert_all_are_there(server)
            with uploads.going_on(server):
                uploads.wait_for(chance.randint(1, 12))
                threading.Event().wait(chance.random() / 20)
                server.kill()
    with serving(database) as server:
        uploads.assert_all_are_there(server)
        last = next(iter(uploads.acknowledged))
        assert b"nothing to fix" in server.get(f"{UPLOADS}/{last}/report?format=text")


def test_postgresql_crashes(postgresql: PostgreSQL, uploads: Uploads) -> None:
    """One of its processes is killed: it throws all connections out and recovers from its log. The server goes on."""
    database = postgresql.make_database()
    with psycopg.connect(database, autocommit=True) as connection:
        # As it is by default: the tests' own PostgreSQL need not outlive anything.
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET synchronous_commit = on")
    with serving(database) as server:
        with uploads.going_on(server):
            for _ in range(2):
                uploads.wait_for(8)
                crash(database)
            uploads.wait_for(8)
            uploads.over.set()
        assert set(uploads.refused) <= {503}
        uploads.assert_all_are_there(server)


def crash(database: str) -> None:
    """Kill the process that PostgreSQL made for a connection; it cannot trust its shared memory from then on."""
    with psycopg.connect(database) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
