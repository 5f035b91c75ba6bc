"""A database is brought to the form that this version knows, or refused with a reason, and never harmed."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from traceonce.serve import schema_upgrade
from traceonce.serve.engine import open_engine, writing
from traceonce.serve.request_errors import StoreError
from traceonce.serve.schema_upgrade import STEPS, VERSION_TABLE, prepare
from traceonce.serve.store import Store
from traceonce.serve.tables import metadata

START = """
import sys
from traceonce.serve.store import Store
print("ready", flush=True)
sys.stdin.readline()
Store(sys.argv[1]).page("", 1, 0)
"""


def test_the_steps_lead_to_the_tables(database: str) -> None:
    """What the migrations make is what the code expects, to the column and the index."""
    Store(database).close()
    engine = open_engine(database)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert differences == []


def test_several_servers_may_start_at_once(database: str) -> None:
    """On a new database: one makes the tables, the others wait for it, all of them work."""
    command = [sys.executable, "-c", START, database]
    servers = [subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) for _ in range(3)]
    for server in servers:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
    for server in servers:
        assert server.stdin is not None
        server.stdin.write(b"go\n")
        server.stdin.flush()
    said = [server.communicate(timeout=60)[1].decode() for server in servers]
    assert [server.returncode for server in servers] == [0, 0, 0], said


NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9998", "{head}"

def upgrade():
    op.add_column("outcomes", sa.Column("reporter", sa.Text, nullable=False, server_default="somebody"))
    {more}
"""


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes this the next version of traceonce, which has one more step, with this as its last line."""

    def make(more: str) -> None:
        steps = tmp_path / "later 100%"
        shutil.copytree(schema_upgrade.STEPS, steps, ignore=shutil.ignore_patterns("__pycache__"))
        head = max(path.stem.removeprefix("step_") for path in steps.glob("versions/step_*.py"))
        (steps / "versions" / "step_9998.py").write_text(NEXT.format(head=head, more=more))
        monkeypatch.setattr(schema_upgrade, "STEPS", steps)

    return make


def test_a_database_of_an_earlier_version_is_brought_up_to_date(database: str, later: Callable[[str], None]) -> None:
    """By the steps that it lacks; what is in it stays, and every server after that finds it done."""
    store = Store(database)
    noted = store.note("tensorflow/retracing-shape", 1, "do it", worked=True)
    store.close()
    later("")
    for _ in range(2):
        Store(database).close()
    assert ask(database, f"SELECT version_num FROM {VERSION_TABLE}") == "9998"
    assert ask(database, f"SELECT reporter FROM outcomes WHERE number = {noted.number}") == "somebody"


def test_a_step_that_fails_leaves_nothing_behind(
    database: str, later: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its first half nor a version that says that it was done; the version before can go on."""
    Store(database).close()
    before = ask(database, f"SELECT version_num FROM {VERSION_TABLE}")
    later("op.execute('NO SQL')")
    with pytest.raises(StoreError, match="cannot be used"):
        Store(database)
    assert ask(database, f"SELECT version_num FROM {VERSION_TABLE}") == before
    monkeypatch.setattr(schema_upgrade, "STEPS", STEPS)
    store = Store(database)
    store.note("tensorflow/retracing-shape", 1, "do it", worked=True)
    store.close()
    engine = open_engine(database)
    assert "reporter" not in {column["name"] for column in inspect(engine).get_columns("outcomes")}
    engine.dispose()


def test_a_database_of_a_later_version_is_refused(database: str) -> None:
    """The message says which form it has, which one is known, and what to do; nothing is changed."""
    Store(database).close()
    change(database, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"later traceonce \(schema 9999; this one knows \d{4}\); update traceonce"):
        Store(database)
    assert ask(database, f"SELECT version_num FROM {VERSION_TABLE}") == "9999"


def test_a_database_of_another_program_is_left_alone(database: str) -> None:
    """It is known by its tables; none is added to them."""
    change(database, "CREATE TABLE customers (name TEXT)")
    with pytest.raises(StoreError, match=r"tables of another program \(customers\) and was not changed"):
        Store(database)
    engine = open_engine(database)
    with engine.connect() as connection, pytest.raises(Exception, match="recordings"):
        connection.execute(text("SELECT count(*) FROM recordings"))
    engine.dispose()


def test_a_file_of_another_program_keeps_its_bytes(tmp_path: Path) -> None:
    """Not even how SQLite keeps its journal is changed."""
    file = tmp_path / "customers.sqlite3"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(f"sqlite:///{file}")
    assert file.read_bytes() == before


def test_preparing_twice_changes_nothing(database: str) -> None:
    """What is up to date stays as it is."""
    engine = open_engine(database)
    prepare(engine)
    before = ask(database, f"SELECT version_num FROM {VERSION_TABLE}")
    prepare(engine)
    engine.dispose()
    assert ask(database, f"SELECT version_num FROM {VERSION_TABLE}") == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """Its bytes stay as they are."""
    file = tmp_path / "notes.txt"
    file.write_bytes(b"dear diary\n" * 200)
    with pytest.raises(StoreError, match="not an SQLite database and was not changed"):
        Store(f"sqlite:///{file}")
    assert file.read_bytes() == b"dear diary\n" * 200


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "is not a database URL; use sqlite:"),
        ("server.sqlite3", "is not a database URL; use sqlite:"),
        ("mysql://me:secret@host/traces", "'mysql' is not supported; use sqlite:"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite:////tmp/a.sqlite3?mode=ro", "needs a file, and nothing else"),
        ("sqlite:////proc/none/a.sqlite3", "cannot be used"),
        ("sqlite:////tmp", "cannot be used"),
        ("postgresql://me:secret@127.0.0.1:1/traces", "127.0.0.1.*check the address"),
        ("postgresql://me:secret@host:port/traces", "is not a database URL"),
        ("postgresql://me:secret@/traces?no_such_option=1", "no_such_option"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused(url: str, reason: str) -> None:
    """The message says why and what to use, without the password."""
    with pytest.raises(StoreError, match=reason) as caught:
        Store(url)
    assert str(caught.value).startswith("--database")
    assert "secret" not in str(caught.value)


def change(database: str, statement: str) -> None:
    engine = open_engine(database)
    with writing(engine).begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


def ask(database: str, statement: str) -> object:
    engine = open_engine(database)
    with engine.connect() as connection:
        answer: object = connection.scalar(text(statement))
    engine.dispose()
    return answer
