"""The questions themselves: what they share, what they keep, and that deleting forgets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from traceonce.facts import Recording
from traceonce.findings import find_out
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.outcomes import Outcomes
from traceonce.report.base import find_renderer
from traceonce.serve import queries
from traceonce.serve.cache import Cache
from traceonce.serve.describing import clean_name, describe_recording
from traceonce.serve.queries import Questions
from traceonce.serve.refusals import NotFoundError
from traceonce.serve.store import Store

Recorded = Callable[[str], bytes]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('questions') / 'a.sqlite3'}")
    yield store
    store.close()


@pytest.fixture(scope="module")
def questions(store: Store) -> Questions:
    return Questions(store, store, Collection())


def test_a_report_is_the_one_of_the_command(questions: Questions, recorded: Recorded) -> None:
    """Byte for byte, whichever form was made first: all are made from the same material."""
    data = recorded("silently_wrong")
    summary, _ = questions.add_recording(data)
    recording = Recording.from_bytes(data)
    for form in ("text", "json", "sarif", "csv", "chrome", "markdown", "html"):
        expected = find_renderer(form)(find_out(recording, form))
        assert questions.report(summary.id, form).decode() == expected, form


def test_a_recording_is_understood_once(
    questions: Questions, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many reports are asked for, and at once; deleting forgets it."""
    understood = []

    def counting(recording: Recording, form: str) -> object:
        understood.append(recording.command)
        return find_out(recording, form)

    monkeypatch.setattr(queries, "find_out", counting)
    summary, _ = questions.add_recording(recorded("fit"))
    with ThreadPoolExecutor(4) as pool:
        forms = ("text", "json", "csv", "text")
        list(pool.map(lambda form: questions.report(summary.id, form), forms))
    questions.findings(summary.id)
    questions.compare(summary.id, summary.id)
    assert understood == [("fit.py",)]
    questions.delete(summary.id)
    with pytest.raises(NotFoundError):
        questions.report(summary.id, "text")


def test_another_server_may_delete(questions: Questions, store: Store, recorded: Recorded) -> None:
    """What is kept in memory does not outlive what is in the database."""
    summary, _ = questions.add_recording(recorded("wall"))
    questions.report(summary.id, "text")
    store.delete(summary.id)
    for ask in (questions.details, questions.findings, questions.fixes):
        with pytest.raises(NotFoundError):
            ask(summary.id)
    with pytest.raises(NotFoundError):
        questions.report(summary.id, "text")


def test_outcomes_may_be_kept_in_the_users_own_file(store: Store, tmp_path: Path) -> None:
    """The same questions, on the file of `traceonce knowledge outcome`."""
    own = Questions(store, Outcomes(tmp_path / "outcomes.sqlite3"), Collection())
    noted = own.report_outcome("retracing-shape", 1, worked=True, note="fine")
    assert noted.record == "tensorflow/retracing-shape"
    assert own.outcomes("retracing-shape") == [noted]


def test_a_name_is_one_line() -> None:
    """Whatever somebody calls a recording."""
    assert clean_name(" a\n\tb\0c\u202ed\u2028 ") == "a b c d"
    assert len(clean_name("x" * 1000)) == 200


def test_a_description_is_never_long() -> None:
    """Whoever uploads a recording does not decide how long a list gets."""
    recording = Recording(command=("x" * 10_000,) * 1_000, environment={f"{n}" * 1_000: "y" * 1_000 for n in range(99)})
    assert len(describe_recording(recording, []).model_dump_json()) < 70_000


# The cache


def test_what_was_asked_for_last_is_kept() -> None:
    """As much of it as there is room for; what is larger than all the room is not kept at all."""
    made: list[str] = []

    def ask(cache: Cache[str], text: str) -> None:
        def make() -> str:
            made.append(text)
            return text

        assert cache.get(text, make) == text

    cache: Cache[str] = Cache(5, len)
    for text in ("aa", "bb", "aa", "cc", "aa", "bb", "too long", "too long", "aa"):
        ask(cache, text)
    assert made == ["aa", "bb", "cc", "bb", "too long", "too long"]


def test_those_who_ask_meanwhile_wait() -> None:
    """It is made once, and all get the same."""
    cache: Cache[object] = Cache(10, lambda _: 1)
    making, go_on = threading.Event(), threading.Event()

    def make() -> object:
        making.set()
        go_on.wait(60)
        return object()

    def fail() -> object:
        raise AssertionError("it is being made already")

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(cache.get, "key", make)
        assert making.wait(60)
        others = [pool.submit(cache.get, "key", fail) for _ in range(3)]
        go_on.set()
        assert {other.result(60) for other in others} == {first.result(60)}


def test_what_failed_is_tried_again() -> None:
    """The next who asks makes it."""
    cache: Cache[int] = Cache(10, lambda _: 1)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 // 0)
    assert cache.get("key", lambda: 7) == 7


def test_forgetting_makes_room() -> None:
    """What was forgotten does not count any more."""
    cache: Cache[str] = Cache(4, len)
    cache.get("a", lambda: "aa")
    cache.get("b", lambda: "bb")
    cache.forget(lambda key: key == "a")
    cache.get("c", lambda: "cc")
    assert cache.get("b", lambda: "made again") == "bb"
