"""A server with a few recordings, asked as a browser asks, and what a page is made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from fastapi.testclient import TestClient

from traceonce.serve.app import create_app
from traceonce.serve.settings import ServerSettings

RECORDED = Path(__file__).parents[1] / "recorded"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}"
BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Site": "same-origin"}


class Site(NamedTuple):
    """A server with three recordings in it; the names in the last one are markup."""

    client: TestClient
    before: str
    after: str
    hostile: str


@contextmanager
def open_site(folder: Path) -> Iterator[Site]:
    """A server of its own, with SQLite in `folder`."""
    wall = (RECORDED / "wall.jsonl").read_bytes()
    bent = wall.replace(b'"score"', b'"<script>alert(1)</script>"').replace(b'"wall.py"', b'"<b>.py"')
    settings = ServerSettings(database=f"sqlite:///{folder / 'recordings.sqlite3'}", match_rate=0)
    with TestClient(create_app(settings), headers=BROWSER) as client:
        healthy = (RECORDED / "healthy.jsonl").read_bytes()
        yield Site(
            client, _upload(client, wall, "before"), _upload(client, healthy, "after"), _upload(client, bent, HOSTILE)
        )


def _upload(client: TestClient, data: bytes, name: str) -> str:
    headers = {"Content-Type": "application/octet-stream"}
    answer = client.post("/api/v1/recordings", params={"name": name}, content=data, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text that is read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] != "script":
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]
