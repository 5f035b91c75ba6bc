"""Whatever is uploaded: no 5xx, then or later, in any form; and what is stored stays as it was. On both databases."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.serve.databases import PostgreSQL
from tests.serve.hostile_recordings import (
    LONG,
    NUMBERS,
    TEXTS,
    at,
    hostile_recordings,
    places_of,
    read_lines,
    texts,
    write,
    write_lines,
)
from traceonce.analysis.material import find_out
from traceonce.facts import Recording
from traceonce.report.base import find_renderer
from traceonce.serve.app import create_app
from traceonce.serve.settings import ServerSettings

RECORDED = Path(__file__).parents[1] / "recorded"
SMALL = ("anew", "fails", "healthy", "lengths", "limited", "silently_wrong")
WHOLE = RECORDED / "translate_fixed.jsonl"  # a JSON report with all that there is, also proved fixes
COMPILED = RECORDED / "lengths.jsonl"  # a log, also of compilations
UPLOADS = "/api/v1/recordings"
MOST = 2 << 20  # bytes of an upload
LONGEST = 200  # characters of a name
FORMS = ("html", "markdown", "json", "sarif", "chrome", "csv", "text")
# What tells one kind of line from another, or stands for one of few words: changed, the line is left out.
WORDS = frozenset({"entry", "schema", "kind", "phase", "code", "evidence", "safety", "verdict", "of", "measure"})

fuzzed = settings(
    max_examples=60,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # to make a failure smaller would take minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Server:
    """A server with recordings in it, whose bytes are known."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self._stored: dict[str, bytes] = {}
        for file in sorted(RECORDED.glob("*.jsonl")):
            self._stored[self.upload(file.read_bytes()).json()["id"]] = file.read_bytes()
        self._first = next(iter(self._stored))

    def upload(self, data: bytes | Iterator[bytes], **asked: str) -> Any:
        """Send it: whatever it is, it is kept, or refused with a reason."""
        answer = self._client.post(UPLOADS, content=data, params=asked)
        assert answer.status_code in (200, 201, 413, 422), answer.text
        if answer.status_code >= 400:
            (reason,) = answer.json().values()
            assert isinstance(reason, str)
            assert reason
        return answer

    def take(self, data: bytes, **asked: str) -> int:
        """Upload; where it is accepted, see that it is what was sent, and look at it everywhere."""
        answer = self.upload(data, **asked)
        if answer.status_code < 400:
            name = answer.json()["id"]
            assert (name in self._stored) == (answer.status_code == 200)
            self._stored[name] = data
            assert self.get(f"{UPLOADS}/{name}/raw").content == data
            self.look_everywhere(name)
        self.assert_nothing_is_lost()
        if answer.status_code == 201:
            self.forget(name)
            del self._stored[name]
        return int(answer.status_code)

    def forget(self, id: str) -> None:
        assert self._client.delete(f"{UPLOADS}/{id}").status_code == 204

    def get(self, path: str, **asked: str) -> Any:
        answer = self._client.get(path, params=asked)
        assert answer.status_code == 200, (path, asked, answer.text)
        if "json" in answer.headers["content-type"]:
            json.loads(answer.content, parse_constant=_refuse)
        if "html" in answer.headers["content-type"]:
            assert "<script>alert(1)" not in answer.text
            assert "<img src=x" not in answer.text
        return answer

    def look_everywhere(self, id: str) -> None:
        """All that can be asked about a recording is answered."""
        one = f"{UPLOADS}/{id}"
        details = self.get(one).json()
        self.get(f"{one}/findings")
        self.get(f"{one}/fixes")
        for function in details["by_function"][:2]:
            if len(function["name"]) <= LONGEST:
                self.get(f"{one}/fixes", function=function["name"])
        for form in FORMS:
            self.get(f"{one}/report", format=form)
        for form in ("html", "markdown"):
            self.get(f"{one}/report", format=form, lang="zh")
        for before, after in ((id, self._first), (self._first, id), (id, id)):
            self.get("/api/v1/compare", before=before, after=after)
        for page in (f"/recordings/{id}", f"/recordings/{id}/report", "/recordings"):
            self.get(page)
        self.get("/compare", before=self._first, after=id)
        found = self.get(UPLOADS, search=details["name"][:100]).json()["recordings"]
        assert id in {summary["id"] for summary in found}

    def assert_nothing_is_lost(self) -> None:
        """The list has what was stored, and nothing else; and no recording has changed."""
        listed = self.get(UPLOADS, limit="200").json()["recordings"]
        told = {summary["id"]: (summary["size"], summary["sha256"]) for summary in listed}
        assert told == {key: (len(data), hashlib.sha256(data).hexdigest()) for key, data in self._stored.items()}

    def assert_no_byte_has_changed(self) -> None:
        self.assert_nothing_is_lost()
        for key, data in self._stored.items():
            assert self.get(f"{UPLOADS}/{key}/raw").content == data


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What was stored at the beginning is there at the end, byte by byte."""
    database = f"sqlite:///{tmp_path_factory.mktemp('fuzzed') / 'server.sqlite3'}"
    if request.param == "postgresql":
        postgresql: PostgreSQL = request.getfixturevalue("postgresql")
        database = postgresql.make_database()
    with TestClient(create_app(ServerSettings(database=database, max_upload=MOST, match_rate=0))) as client:
        server = Server(client)
        yield server
        server.assert_no_byte_has_changed()


@functools.cache
def hostile() -> st.SearchStrategy[bytes]:
    """Of real recordings, and of their JSON reports, which can be uploaded, too."""
    logs = [(RECORDED / f"{name}.jsonl").read_bytes() for name in SMALL]
    documents = [find_renderer("json")(find_out(Recording.from_bytes(log), "json")).encode() for log in logs]
    return hostile_recordings(logs, [*documents, WHOLE.read_bytes()])


@seed(7)
@fuzzed
@given(st.data())
def test_bent_recordings(server: Server, data: st.DataObject) -> None:
    """Real ones, cut, with flipped bytes, with lines out of order, with other values in some places; and nonsense."""
    server.take(data.draw(hostile()), name=_sendable(data.draw(texts())))


def _sendable(name: str) -> str:
    """As much of it as an address can hold."""
    return name[:LONGEST].encode(errors="replace").decode()


def whole() -> Any:
    """A JSON report with all that there is in one, of a few events."""
    document = json.loads(WHOLE.read_bytes())
    return {**document, "events": document["events"][::5]}


def everywhere(value: Any, document: Any) -> Any:
    """This in every place of its type, but for where one of few words must stand."""
    for place in [*places_of(document)]:
        few = not WORDS.isdisjoint(place) or place[-2:-1] == ("causes",)
        if type(at(document, place)) is type(value) and not few:
            at(document, place[:-1])[place[-1]] = value
    return document


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:12].encode("ascii", "backslashreplace").decode())
def test_a_hostile_text_everywhere(server: Server, text: str) -> None:
    """It is accepted unless it is no text at all, and every form and page can show it."""
    assert server.take(write(everywhere(text, whole())), name=_sendable(text)) == (422 if "\ud800" in text else 201)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number!r:.12}")
def test_a_hostile_number_everywhere(server: Server, number: float) -> None:
    """Negative, not finite, or too large for any column: it is shown, or refused with a reason."""
    server.take(write(everywhere(number, whole())))
    server.take(write_lines(everywhere(number, read_lines(COMPILED.read_bytes()))))


def numbered_fields() -> list[str]:
    """The fields of a log that hold a number."""
    entries = read_lines(COMPILED.read_bytes())
    found = (place for place in places_of(entries) if type(at(entries, place)) in (int, float))
    return sorted({next(key for key in reversed(place) if isinstance(key, str)) for place in found})


@pytest.mark.parametrize("field", numbered_fields())
def test_a_hostile_number_in_one_field(server: Server, field: str) -> None:
    """All else is as it was recorded, so that the number gets further."""
    entries = read_lines(COMPILED.read_bytes())
    for place in [*places_of(entries)]:
        if field in place and type(at(entries, place)) in (int, float):
            at(entries, place[:-1])[place[-1]] = -1e308 if isinstance(at(entries, place), float) else -(2**63) - 1
    server.take(write_lines(entries))


def test_a_very_long_name(server: Server) -> None:
    """A function whose name has a million characters."""
    document = whole()
    document["events"][0]["function"]["name"] = LONG
    assert server.take(write(document)) == 201


def test_a_family_of_processes_that_are_their_own_ancestors(server: Server) -> None:
    """Forks in a circle, and a process that forked from itself."""
    document = whole()
    for number, event in enumerate(document["events"]):
        event["process"] = str(number % 3)
    document |= {"forks": {"0": "1", "1": "2", "2": "0", "3": "3"}, "forked_at": {"0": 1e12, "1": 0.0, "2": -1.0}}
    assert server.take(write(document)) == 201


def test_thousands_of_functions(server: Server) -> None:
    """Two thousand, each traced once."""
    document = whole()
    event = document["events"][0]
    document["events"] = [
        {**event, "id": number, "function": {"name": f"f{number}", "file": "many.py", "line": number}}
        for number in range(2_000)
    ]
    assert server.take(write(document)) == 201


def in_pieces(data: bytes) -> Iterator[bytes]:
    """Sent like this, nobody says beforehand how much it will be."""
    yield from (data[start : start + 65_536] for start in range(0, len(data), 65_536))


DOCUMENT = b'{"schema":"traceonce.recording/1"}'
TOO_MUCH = b" " * (MOST + 1)
SIZES: dict[str, tuple[Callable[[], bytes], int]] = {
    "the most": (lambda: DOCUMENT + b"\n" * (MOST - len(DOCUMENT)), 201),
    "too much": (lambda: TOO_MUCH, 413),
    "gzip": (lambda: gzip.compress(DOCUMENT), 201),
    "too much in gzip": (lambda: gzip.compress(DOCUMENT + TOO_MUCH), 413),
    "a bomb": (lambda: gzip.compress(b"\0" * (32 * MOST)), 413),
    "a bomb behind it": (lambda: gzip.compress(DOCUMENT) + gzip.compress(TOO_MUCH), 413),
    "gzip in gzip": (lambda: gzip.compress(gzip.compress(DOCUMENT)), 422),
    "gzip, cut": (lambda: gzip.compress(DOCUMENT)[:-3], 422),
    "gzip, cut early": (lambda: gzip.compress(DOCUMENT)[:12], 422),
    "gzip and more": (lambda: gzip.compress(DOCUMENT) + b"and more", 422),
    "two bytes of gzip": (lambda: b"\x1f\x8b", 422),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("send", [bytes, in_pieces], ids=["at once", "in pieces"])
def test_how_much_it_may_be(server: Server, send: Callable[[bytes], Any], size: str) -> None:
    """Counted as it comes, and as it is unpacked: more than is allowed is never held."""
    make, expected = SIZES[size]
    answer = server.upload(send(make()))
    assert answer.status_code == expected
    if expected == 201:
        server.forget(answer.json()["id"])
    server.assert_nothing_is_lost()
