"""The database keeps recordings and outcomes, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from traceonce.serve.digest import DigestedRecording
from traceonce.serve.engine import open_engine, writing
from traceonce.serve.models import Description, Worst
from traceonce.serve.request_errors import NotFoundError, StoreError
from traceonce.serve.storage import Upload
from traceonce.serve.store import Store

FORM = "f" * 64  # names the code that found what is kept


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = Store(database)
    yield store
    store.close()


def make_upload(name: str, **fields: Any) -> Upload:
    """A recording as `Questions` hands it over; its bytes are its name."""
    shown: dict[str, Any] = {
        "name": name,
        "command": ["train.py", "--fast"],
        "seconds": 1.5,
        "exit_code": 0,
        "started": 1.7e9,
        "environment": {"python": "3.11"},
        "functions": 1,
        "traces": 8,
        "lost_seconds": 0.25,
        "worst": Worst(name="train_step", verdict="retracing"),
    }
    data = name.encode()
    described = Description(**shown | fields)
    hashed = hashlib.sha256(data).hexdigest()
    return Upload(data, len(data), hashed, described, name.casefold(), FORM, DigestedRecording(b"digest", b"causes"))


def names(store: Store, search: str = "", limit: int = 50, offset: int = 0) -> list[str]:
    return [summary.name for summary in store.page(search, limit, offset).recordings]


def test_a_recording_comes_back_as_it_was(store: Store) -> None:
    """Summary and bytes are the same when they are read again."""
    upload = make_upload("nightly")
    summary, is_new = store.add(upload)
    assert is_new
    assert (summary.size, summary.sha256) == (7, upload.sha256)
    assert store.summary(summary.id) == summary
    assert store.find(upload.sha256) == summary
    assert store.content(summary.id) == b"nightly"
    assert summary.uploaded.endswith("+00:00")


def test_what_no_column_takes_is_kept(store: Store) -> None:
    """NUL, which PostgreSQL refuses in a text, and numbers of any size come back as they were."""
    odd = {"exit_code": 10**30, "environment": {"a\0b": "\U0001f600\0"}, "traces": 2**70, "command": ["\0", "%_\\"]}
    summary, _ = store.add(make_upload("odd", **odd))
    found = store.summary(summary.id).model_dump()
    assert {key: found[key] for key in odd} == odd


def test_the_same_bytes_are_kept_once(store: Store) -> None:
    """Whoever sends them again gets the one that is there."""
    first, _ = store.add(make_upload("run"))
    again = make_upload("run", seconds=9.0)
    assert store.add(again) == (first, False)
    assert store.page("", 50, 0).total == 1


def test_the_same_bytes_at_once_are_kept_once(store: Store) -> None:
    """Eight threads that all saw that it is not there: one keeps it, all get that one."""
    barrier = threading.Barrier(8)

    def send() -> tuple[str, bool]:
        barrier.wait()
        summary, is_new = store.add(make_upload("run"))
        return summary.id, is_new

    with ThreadPoolExecutor(8) as pool:
        answers = [future.result() for future in [pool.submit(send) for _ in range(8)]]
    assert len({name for name, _ in answers}) == 1
    assert sum(is_new for _, is_new in answers) == 1


def test_the_newest_come_first_page_by_page(store: Store) -> None:
    """`limit` and `offset` choose; the total says how many there are."""
    for number in range(5):
        store.add(make_upload(f"run {number}"))
    assert names(store) == [f"run {number}" for number in (4, 3, 2, 1, 0)]
    assert names(store, limit=2, offset=1) == ["run 3", "run 2"]
    assert names(store, offset=9) == []
    assert store.page("", 1, 0).total == 5


SEARCHES = {
    "": ["Straße 50%", "a_b", "plain", "back\\slash"],
    "%": ["Straße 50%"],
    "_": ["a_b"],
    "\\": ["back\\slash"],
    "STRASSE": ["Straße 50%"],
    "50 strasse": ["Straße 50%"],
    "50 plain": [],
    "PLAIN\0": ["plain"],
    "'; DROP TABLE recordings; --": [],
}


def test_searching_takes_words_as_they_are(store: Store) -> None:
    """All words must be there, in any order and case; signs that a database takes for patterns are just signs."""
    for name in ("back\\slash", "plain", "a_b", "Straße 50%"):
        store.add(make_upload(name))
    assert {search: names(store, search) for search in SEARCHES} == SEARCHES


def test_an_unknown_id_is_refused(store: Store) -> None:
    """Whatever it is: nothing is found, nothing is deleted, and the message says so."""
    store.add(make_upload("run"))
    for unknown in ("0" * 32, "", "nightly", "../../etc/passwd", "A" * 32, "\0", "' OR 1=1 --"):
        for ask in (store.summary, store.content, store.delete):
            with pytest.raises(NotFoundError, match="there is no recording"):
                ask(unknown)
    assert names(store) == ["run"]


def test_deleting(store: Store) -> None:
    """A deleted recording is gone, and may be sent again."""
    summary, _ = store.add(make_upload("run"))
    store.delete(summary.id)
    assert names(store) == []
    with pytest.raises(NotFoundError):
        store.content(summary.id)
    again, is_new = store.add(make_upload("run"))
    assert is_new
    assert again.id != summary.id


def test_what_was_found_is_kept_with_the_recording(store: Store) -> None:
    """Until it is deleted; what other code has found is as good as nothing, and makes room for what is found now."""
    summary, _ = store.add(make_upload("run"))
    assert store.kept(summary.id, FORM) == DigestedRecording(b"digest", b"causes")
    assert store.kept(summary.id, "another") is None
    for found in (DigestedRecording(b"a", b"b"), DigestedRecording(b"c", b"d")):
        store.keep(summary.id, "another", found)
        assert store.kept(summary.id, "another") == found
    assert store.kept(summary.id, FORM) is None
    store.delete(summary.id)
    store.keep(summary.id, FORM, DigestedRecording(b"too", b"late"))
    assert store.kept(summary.id, FORM) is None


def test_outcomes_come_back_in_order(store: Store) -> None:
    """Of one record or of all, with numbers that go up."""
    first = store.note("tensorflow/a", 1, "Do it.", worked=True, note="好", version="TensorFlow 2.21.0")
    second = store.note("tensorflow/b", 2, "Leave it.", worked=False)
    assert store.all() == [first, second]
    assert store.all("tensorflow/b") == [second]
    assert store.all("tensorflow/c") == []
    assert first.number < second.number
    assert (first.worked, second.worked) == (True, False)
    assert first.note == "好"


def test_outcomes_have_an_end(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest are given."""
    monkeypatch.setattr("traceonce.serve.store.MOST_OUTCOMES", 2)
    noted = [store.note("tensorflow/a", 1, f"Do {number}.", worked=True) for number in range(3)]
    assert store.all() == noted[1:]


def test_what_is_kept_outlives_the_server(database: str) -> None:
    """Another server on the same database has it all."""
    first = Store(database)
    summary, _ = first.add(make_upload("run"))
    outcome = first.note("tensorflow/a", 1, "Do it.", worked=True)
    first.close()
    second = Store(database)
    assert second.content(summary.id) == b"run"
    assert second.all() == [outcome]
    second.close()


def test_sqlite_writes_through_to_the_disk(tmp_path: Path) -> None:
    """A commit returns when the disk has it, and readers do not wait for writers."""
    store = Store(f"sqlite:///{tmp_path / 'a.sqlite3'}")
    with store._engine.connect() as connection:
        found = [connection.scalar(text(f"PRAGMA {name}")) for name in ("synchronous", "journal_mode", "foreign_keys")]
    store.close()
    assert found == [2, "wal", 1]


def test_an_sqlite_file_is_its_owners(tmp_path: Path) -> None:
    """Recordings quote source: the file is not for others to read."""
    path = tmp_path / "a.sqlite3"
    Store(f"sqlite:///{path}").close()
    assert path.stat().st_mode & 0o077 == 0


def test_no_folder_is_made_for_a_file(tmp_path: Path) -> None:
    """A mistyped path must not become a new, empty server."""
    with pytest.raises(StoreError, match="No such file or directory"):
        Store(f"sqlite:///{tmp_path / 'mistyped' / 'a.sqlite3'}")
    assert list(tmp_path.iterdir()) == []


def test_readers_see_what_was_there_while_somebody_writes(database: str) -> None:
    """A transaction that is not over yet is not seen, and nobody waits for it."""
    store = Store(database)
    store.add(make_upload("run"))
    other = open_engine(database)
    with writing(other).begin() as connection:
        connection.execute(text("DELETE FROM recordings"))
        assert names(store) == ["run"]
    assert names(store) == []
    other.dispose()
    store.close()
