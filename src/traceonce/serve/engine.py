"""Opening the database: SQLite in a file, or PostgreSQL by URL."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from traceonce.serve.request_errors import StoreError

WAIT = 30  # seconds for another process that writes
EXAMPLES = "use sqlite:////path/to/file.sqlite3 or postgresql://user:password@host/database"


def open_engine(database: str) -> Engine:
    """An engine for a URL; nothing is connected yet."""
    url = _parse(database)
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    # Without the second, a server that is gone without a word is waited for a quarter of an hour.
    options = {"connect_timeout": 10, "tcp_user_timeout": 10_000, "application_name": "traceonce"}
    return create_engine(url, pool_pre_ping=True, hide_parameters=True, connect_args=options)


def writing(engine: Engine) -> Engine:
    """The same engine, for transactions that write: on SQLite they wait for each other when they begin."""
    return engine.execution_options(sqlite_begin="BEGIN IMMEDIATE")


def shown(engine: Engine) -> str:
    """The URL as it may be shown: without the password, and without the driver, which is ours to choose."""
    backend = engine.url.get_backend_name()
    return engine.url.set(drivername=backend).render_as_string(hide_password=True)


def _parse(database: str) -> URL:
    try:
        url = make_url(database)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError):  # the text may hold a password, so it is not repeated
        raise StoreError(f"--database: is not a database URL; {EXAMPLES}.") from None
    if backend == "sqlite":
        if not url.database or url.database == ":memory:" or url.query:
            raise StoreError("--database: SQLite needs a file, and nothing else; use sqlite:////path/to/file.sqlite3.")
        return url
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreError(f"--database: {backend!r} is not supported; {EXAMPLES}.")


def _sqlite(url: URL) -> Engine:
    path = Path(str(url.database))
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # recordings quote source: they are the owner's
    except OSError as error:
        raise StoreError(
            f"--database: {path} cannot be used ({error.strerror or error}); name a writable file."
        ) from None
    engine = create_engine(url.set(drivername="sqlite"), hide_parameters=True, connect_args={"timeout": WAIT})

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where SQLAlchemy says so, also before changes of tables
        connection.execute("PRAGMA synchronous = FULL")  # what was acknowledged outlives a loss of power
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", "BEGIN"))

    return engine
