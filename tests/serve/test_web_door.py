"""Signing in on the web, where the server has a token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.serve.web_site import BROWSER, Elements
from traceonce.serve.app import create_app
from traceonce.serve.rates import Rate
from traceonce.serve.settings import ServerSettings
from traceonce.serve.web.door import inside

TOKEN = "correct horse battery staple"


def visitor(app: FastAPI) -> TestClient:
    return TestClient(app, headers=BROWSER, follow_redirects=False)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """A server with a token."""
    database = tmp_path_factory.mktemp("guarded") / "guarded.sqlite3"
    app = create_app(ServerSettings(database=f"sqlite:///{database}", token=TOKEN))
    with visitor(app):
        yield app


@pytest.fixture
def client(guarded: FastAPI) -> TestClient:
    """Somebody who has not signed in yet."""
    return visitor(guarded)


def test_a_page_asks_for_the_token_and_comes_back(client: TestClient) -> None:
    """From the page that was wanted to the door, and from there to the page."""
    asked = client.get("/knowledge?search=shape")
    assert asked.status_code == 303
    door = client.get(asked.headers["location"])
    assert door.status_code == 200
    hidden = next(field for field in Elements(door.text).all("input") if field["name"] == "next")
    entered = client.post("/login", data={"token": TOKEN, "next": hidden["value"]})
    assert entered.status_code == 303
    assert entered.headers["location"] == "/knowledge?search=shape"
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie, "a link in a chat leads to the page, and not to the door"
    assert TOKEN not in cookie
    assert client.get(entered.headers["location"]).status_code == 200


def test_a_wrong_token_is_told_so(client: TestClient) -> None:
    """The door stays shut, the page says who knows the token, and the token is not repeated."""
    answer = client.post("/login", data={"token": "wrong <b>token</b>", "next": "/knowledge"})
    assert answer.status_code == 401
    assert "This is not the server's token" in answer.text
    assert "wrong <b>" not in answer.text
    assert "set-cookie" not in answer.headers
    assert client.get("/recordings").status_code == 303


def test_whoever_guesses_is_slowed_down(tmp_path: Path) -> None:
    """After some tries even the right one has to wait."""
    settings = ServerSettings(database=f"sqlite:///{tmp_path / 'guessed.sqlite3'}", token=TOKEN)
    app = create_app(settings)
    app.state.gate.failures = Rate(0.2, burst=20, clock=lambda: 0.0)  # however long this takes
    with visitor(app) as client:
        statuses = [client.post("/login", data={"token": f"guess {number}"}).status_code for number in range(30)]
        refused = client.post("/login", data={"token": TOKEN})
    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert refused.status_code == 429
    assert "set-cookie" not in refused.headers


def test_signing_out_shuts_the_door(client: TestClient) -> None:
    """The cookie is taken back."""
    client.post("/login", data={"token": TOKEN})
    assert "/logout" in [form.get("action") for form in Elements(client.get("/recordings").text).all("form")]
    assert client.post("/logout").headers["location"] == "/login"
    assert client.get("/recordings").status_code == 303


def test_the_door_shows_nothing_of_what_is_inside(client: TestClient) -> None:
    """No navigation, no way to sign out; but its look, and both languages."""
    page = Elements(client.get("/login?lang=zh").text)
    assert page.all("html")[0]["lang"] == "zh-Hans"
    assert not [link for link in page.all("a") if link["href"] == "/knowledge"]
    assert "/logout" not in [form["action"] for form in page.all("form")]
    for sheet in page.all("link"):
        assert client.get(sheet["href"]).status_code == 200


def test_whoever_is_inside_needs_no_door(client: TestClient) -> None:
    """The page for signing in leads on."""
    client.post("/login", data={"token": TOKEN})
    assert client.get("/login?next=/explain").headers["location"] == "/explain"


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)", "", "/\n/evil", "evil"],
)
def test_the_door_leads_inside_only(client: TestClient, target: str) -> None:
    """Whatever the address says."""
    assert inside(target) == "/recordings"
    entered = client.post("/login", data={"token": TOKEN, "next": target})
    assert entered.headers["location"] == "/recordings"


def test_without_a_token_there_is_no_door(tmp_path: Path) -> None:
    """Nobody is asked, and nobody can sign out."""
    settings = ServerSettings(database=f"sqlite:///{tmp_path / 'open.sqlite3'}")
    with visitor(create_app(settings)) as client:
        assert client.get("/login").headers["location"] == "/recordings"
        assert "/logout" not in client.get("/recordings").text


def test_a_form_with_too_many_fields_is_refused(client: TestClient) -> None:
    """400, and what to do: nothing that comes in at the door is more than the door can bear."""
    answer = client.post("/login", content="&" * 20, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status_code == 400
    assert "encode &amp; in its texts as %26" in answer.text


@pytest.mark.parametrize("host", ["[", "a]b", "%", "//"])
def test_a_name_that_is_none_breaks_nothing(client: TestClient, host: str) -> None:
    """The way to the door does not depend on how the server is called."""
    answer = client.get("/knowledge?search=a%20b", headers={"Host": host})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/knowledge%3Fsearch%3Da%2520b")
