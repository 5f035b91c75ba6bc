"""The tables of the server's database, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

# What is shown of a recording is kept as JSON in a text: numbers and characters in it may be such as no column takes.
recordings = Table(
    "recordings",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("sha256", String(64), nullable=False, unique=True),
    Column("uploaded", String(32), nullable=False, index=True),  # ISO 8601 in UTC, of one width: sorts as it reads
    Column("searched", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),  # gzip; the last column, which lists do not read
)

# What was found in each recording, so that it is read once; `form` names the code that found it. All of it can be found
# again from the recording.
digests = Table(
    "digests",
    metadata,
    Column("recording", String(32), ForeignKey("recordings.id", ondelete="CASCADE"), primary_key=True),
    Column("form", String(64), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("causes", LargeBinary, nullable=False),
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("record", String(200), nullable=False, index=True),
    Column("workaround", Integer, nullable=False),
    Column("action", Text, nullable=False),
    Column("worked", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("date", String(10), nullable=False),
)
