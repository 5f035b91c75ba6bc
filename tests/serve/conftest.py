"""Databases, servers on them, and recordings to upload. Every test that asks for `database` runs on both kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.serve.databases import PostgreSQL, running_postgresql
from traceonce.serve.app import create_app
from traceonce.serve.settings import ServerSettings

RECORDED = Path(__file__).parents[1] / "recorded"
KINDS = ("sqlite", "postgresql")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever gets a 429 need not wait for it here."""
    for module in ("safety", "error_responses"):
        monkeypatch.setattr(f"traceonce.serve.{module}.SLOWED_DOWN", 0.0)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A real PostgreSQL, started once per test process."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new database."""
    return _make_database(request, tmp_path)


@pytest.fixture(scope="module", params=KINDS)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that all tests of a module share, on either database: they upload recordings of their own."""
    url = _make_database(request, tmp_path_factory.mktemp("server"))
    with TestClient(create_app(ServerSettings(database=url, match_rate=0))) as client:
        yield client


def _make_database(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder / 'server.sqlite3'}"
    postgresql: PostgreSQL = request.getfixturevalue("postgresql")
    return postgresql.make_database()


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], bytes]:
    """The bytes of a real recording, by its name in tests/recorded."""
    return lambda name: (RECORDED / f"{name}.jsonl").read_bytes()
