"""Bringing a database to the form that this version knows, also when several servers start on it at once."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from traceonce.serve.engine import WAIT, shown, writing
from traceonce.serve.request_errors import StoreError

VERSION_TABLE = "traceonce_version"
STEPS = Path(__file__).with_name("migrations")  # a new form of the tables is one more file in its `versions`
_LOCK = 0x7472616365  # of PostgreSQL, for whoever changes the tables


def prepare(engine: Engine) -> None:
    """Make the tables, or change them, under a lock; refuse what is not ours, and leave it as it is."""
    try:
        with engine.connect() as connection:
            _check(connection)
        if engine.dialect.name == "sqlite":
            _write_ahead(engine)
        with writing(engine).begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            _check(connection)
            command.upgrade(_configure(connection), "head")
    except StoreError as error:
        engine.dispose()
        raise StoreError(f"--database {shown(engine)}: {error}") from None
    except (DBAPIError, sqlite3.Error) as error:
        engine.dispose()
        raise StoreError(f"--database {shown(engine)}: {_reason(error)}") from None


def _check(connection: Connection) -> None:
    """Refuse a database of another program, or of a later version of this one."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return
    if VERSION_TABLE not in tables:
        named = ", ".join(sorted(tables)[:3])
        raise StoreError(
            f"has tables of another program ({named}) and was not changed. Create an empty database for traceonce."
        )
    version = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    steps = ScriptDirectory.from_config(_configure(connection))
    if version not in {step.revision for step in steps.walk_revisions()}:
        known = steps.get_current_head()
        raise StoreError(
            f"was written by a later traceonce (schema {version}; this one knows {known}); update traceonce."
        )


def _configure(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(STEPS).replace("%", "%%"))  # % refers to other options
    config.attributes |= {"connection": connection, "version_table": VERSION_TABLE}
    return config


def _write_ahead(engine: Engine) -> None:
    """Let readers not wait for writers. This is kept in the file, and cannot be said inside a transaction.

    SQLite waits for others that read or write, but not for those that say the same at this moment.
    """
    connection = engine.raw_connection()
    end = time.monotonic() + WAIT
    try:
        while True:
            try:
                connection.cursor().execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.05)
    finally:
        connection.close()


def _reason(error: DBAPIError | sqlite3.Error) -> str:
    said = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
    if "file is not a database" in said:
        return "is not an SQLite database and was not changed. Name another file."
    return f"cannot be used ({said}); check the address, the name and the permissions."
