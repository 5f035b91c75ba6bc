"""A PostgreSQL server of our own: started from the system's programs in a temporary folder, and gone afterwards."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

USER = "traceonce"
_UNPRIVILEGED = "postgres"  # PostgreSQL does not run as root
_TOO_LONG = 60  # seconds: a server that does not start is a failure


class PostgreSQL:
    """A running server, reached by a socket in its folder. Every test gets a database of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@/{database}?host={self._folder}"

    def make_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]  # a name cannot be a parameter
        return self.url(name)


@contextlib.contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """Start a server; skip the test where PostgreSQL is not installed, unless this is CI."""
    programs = _find_programs()
    if programs is None:
        reason = "PostgreSQL is not installed (Debian: apt install postgresql)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="traceonce-pg-", dir="/tmp"))  # a socket's path must be short
    who = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam(_UNPRIVILEGED)
        os.chown(folder, account.pw_uid, account.pw_gid)
        who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    data = folder / "data"
    try:
        initdb = [programs / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*initdb, "--locale=C.UTF-8"], check=True, capture_output=True, cwd=folder, **who)
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(folder),
            "shared_buffers": "16MB",
            # It need not outlive anything, and tests are to be quick.
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
        }
        command = [programs / "postgres", "-D", data]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **who)
        try:
            found = PostgreSQL(folder)
            _wait_for(found, server, folder / "log")
            yield found
        finally:
            server.send_signal(signal.SIGINT)  # does not wait for clients
            server.wait(_TOO_LONG)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _find_programs() -> Path | None:
    """Where initdb and postgres are; Debian does not put them on the path."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(os.path.realpath(on_path)).parent
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((found.parent for found in versions), key=lambda path: int(path.parent.name.split(".")[0]), default=None)


def _wait_for(postgresql: PostgreSQL, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _TOO_LONG
    while True:
        try:
            psycopg.connect(postgresql.url("postgres")).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > end:
                pytest.fail(f"PostgreSQL did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
