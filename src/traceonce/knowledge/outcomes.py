"""What the user made of a workaround: noted in an SQLite file, shown beside our evidence, never counted into it."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from traceonce.errors import RecordError

SCHEMA = 1
_OURS = 0x74726F6E  # says of an SQLite file that it is one of these
_WAIT = 30.0  # seconds for another process that writes
_TABLE = """
CREATE TABLE outcomes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    record TEXT NOT NULL,
    workaround INTEGER NOT NULL,
    action TEXT NOT NULL,
    worked INTEGER NOT NULL,
    note TEXT NOT NULL,
    version TEXT NOT NULL,
    date TEXT NOT NULL
)
"""


class Outcome(msgspec.Struct, frozen=True):
    """One experience. `action` is the workaround's wording at that time: its number and its words may change."""

    number: int
    record: str
    workaround: int
    action: str
    worked: bool
    note: str
    version: str
    date: str


class Outcomes:
    """The file with the user's outcomes. It is made when something is noted; where there is none, none are found."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def note(
        self, record: str, workaround: int, action: str, *, worked: bool, note: str = "", version: str = ""
    ) -> Outcome:
        """Write an outcome down."""
        today = datetime.date.today().isoformat()
        with self._open(create=True) as connection:
            cursor = connection.execute(
                "INSERT INTO outcomes (record, workaround, action, worked, note, version, date)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (record, workaround, action, worked, note, version, today),
            )
            number = cursor.lastrowid or 0
        return Outcome(number, record, workaround, action, worked, note, version, today)

    def all(self, record: str | None = None) -> list[Outcome]:
        """The outcomes, of one record or of all, in the order in which they were noted."""
        if not self.path.exists():
            return []
        with self._open(create=False) as connection:
            rows = connection.execute(
                "SELECT number, record, workaround, action, worked, note, version, date FROM outcomes"
                " WHERE ?1 IS NULL OR record = ?1 ORDER BY number",
                (record,),
            ).fetchall()
        return [
            Outcome(number, of, workaround, action, bool(worked), *told)
            for number, of, workaround, action, worked, *told in rows
        ]

    def forget(self, number: int) -> None:
        """Take one back."""
        found = self.path.exists()
        if found:
            with self._open(create=False) as connection:
                found = connection.execute("DELETE FROM outcomes WHERE number = ?", (number,)).rowcount > 0
        if not found:
            raise RecordError(f"there is no outcome {number}; list them with: traceonce knowledge outcome --list")

    @contextlib.contextmanager
    def _open(self, *, create: bool) -> Iterator[sqlite3.Connection]:
        """A transaction on the file: all of it is kept, or nothing. Processes that write wait for each other."""
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            mode = "rwc" if create else "rw"
            connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_WAIT, isolation_level=None
            )
        except (sqlite3.Error, OSError) as error:
            raise RecordError(self._unusable(error)) from None
        with contextlib.closing(connection):
            try:
                connection.execute("BEGIN IMMEDIATE" if create else "BEGIN")
                self._check_schema(connection)
                yield connection
                connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise RecordError(self._unusable(error)) from None

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        """Make the table in a new file; refuse a file that is another program's, or a later version's."""
        version = _pragma(connection, "user_version")
        if version == SCHEMA and _pragma(connection, "application_id") == _OURS:
            return
        if version > SCHEMA and _pragma(connection, "application_id") == _OURS:
            raise RecordError(
                f"{self.path}: was written by a later traceonce (schema {version}; this one knows {SCHEMA}); update it."
            )
        if version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise RecordError(f"{self.path}: is an SQLite file without outcomes and was not changed. Move it away.")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA application_id = {_OURS}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def _unusable(self, error: Exception) -> str:
        if isinstance(error, (sqlite3.OperationalError, OSError)):
            return f"{self.path}: cannot be used ({error}); check that it is writable, or set TRACEONCE_HOME."
        return f"{self.path}: is damaged ({error}) and was not changed. Move it away, and a new one is created."


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
