"""Who may use the server, and what every answer of it carries."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.responses import Response

from traceonce.serve import app
from traceonce.serve.app import create_app
from traceonce.serve.auth import COOKIE, Gate
from traceonce.serve.rates import Rate
from traceonce.serve.settings import ServerSettings

API = "/api/v1"
TOKEN = "correct-horse-battery-staple"


def make_server(folder: Path, **settings: Any) -> TestClient:
    settings.setdefault("match_rate", 0)
    return TestClient(create_app(ServerSettings(database=f"sqlite:///{folder / 'a.sqlite3'}", **settings)))


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server on loopback, without a token."""
    hosts = ("localhost", "127.0.0.1", "::1")
    with make_server(tmp_path_factory.mktemp("local"), hosts=hosts) as client:
        client.base_url = client.base_url.copy_with(host="127.0.0.1", port=8765)
        yield client


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with a token."""
    with make_server(tmp_path_factory.mktemp("guarded"), token=TOKEN) as client:
        yield client


@pytest.fixture
def visitor(guarded: TestClient) -> TestClient:
    """Somebody whom the server with a token does not know."""
    guarded.cookies.clear()
    return guarded


# Names


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "LOCALHOST:1", "[::1]:8765", "[::1]"])
def test_its_own_names(local: TestClient, host: str) -> None:
    """With any port: a tunnel may lead here."""
    assert local.get(f"{API}/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost:80@evil.example", "[", "", "*"])
def test_names_of_others(local: TestClient, host: str) -> None:
    """421: a site that has pointed its name to this machine reads nothing here."""
    answer = local.get(f"{API}/health", headers={"Host": host})
    assert answer.status_code == 421
    assert "localhost, 127.0.0.1, ::1" in answer.json()["detail"]


def test_with_a_token_any_name_will_do(guarded: TestClient) -> None:
    """It may stand behind another server, and the token is what protects it."""
    headers = {"Host": "traces.example.com", "Authorization": f"Bearer {TOKEN}"}
    assert guarded.get(f"{API}/health", headers=headers).status_code == 200


# Other sites


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8765"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "null"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/recordings"), ("POST", "/match"), ("DELETE", f"/recordings/{'0' * 32}")]
)
def test_a_page_of_another_site_may_not_write(
    local: TestClient, method: str, path: str, headers: dict[str, str]
) -> None:
    """403, whatever it sends."""
    answer = local.request(method, API + path, content=b"{}", headers=headers)
    assert answer.status_code == 403
    assert "pages of other sites" in answer.json()["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:8765"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.a.proxy"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://127.0.0.1:8765"},
    ],
)
def test_our_own_pages_and_programs_may(local: TestClient, headers: dict[str, str]) -> None:
    """Programs send none of these headers."""
    assert local.post(f"{API}/match", json={"text": "x"}, headers=headers).status_code == 200


def test_nobody_else_is_allowed_to_read(local: TestClient) -> None:
    """No header lets pages of other sites see an answer."""
    answer = local.get(f"{API}/health", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    assert local.options(f"{API}/match", headers=asked).status_code == 405


# The token


@pytest.mark.parametrize("path", [f"{API}/health", f"{API}/recordings", "/openapi.json", "/mcp", "/nothing", "/login2"])
def test_without_the_token_nothing_is_answered(visitor: TestClient, path: str) -> None:
    """401 with the way to send it; not even whether something is there."""
    answer = visitor.get(path)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "Authorization: Bearer TOKEN" in answer.json()["detail"]


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer \xff"]
)
def test_a_wrong_token(visitor: TestClient, value: str) -> None:
    """401."""
    headers = {"Authorization": value.encode("latin-1")}
    assert visitor.get(f"{API}/health", headers=headers).status_code == 401  # type: ignore[arg-type]  # httpx takes it


def test_the_right_token(visitor: TestClient) -> None:
    """The word before it may be written in any case."""
    for scheme in ("Bearer", "bearer"):
        answer = visitor.get(f"{API}/health", headers={"Authorization": f"{scheme} {TOKEN}"})
        assert answer.status_code == 200


def test_a_cookie_in_place_of_the_token(visitor: TestClient) -> None:
    """What the door gives is good for pages and for the interface; it does not tell the token."""
    response = Response()
    Gate(TOKEN).let_in(response, secure=True)
    cookie = response.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Secure", "Path=/"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    value = cookie.partition("=")[2].partition(";")[0]
    visitor.cookies.set(COOKIE, value)
    assert visitor.get(f"{API}/health").status_code == 200
    visitor.cookies.set(COOKIE, value[:-1] + "x")
    assert visitor.get(f"{API}/health").status_code == 401


def test_a_cookie_is_worth_nothing_after_the_token_was_changed() -> None:
    """It is made from the token."""
    response = Response()
    Gate("another token that was used before").let_in(response, secure=False)
    value = response.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert not Gate(TOKEN).knows({COOKIE: value})
    assert not Gate(TOKEN).knows({COOKIE: ""})


def test_people_are_led_to_the_door(visitor: TestClient) -> None:
    """With the page that they wanted; what they see there loads without a token."""
    wanted = visitor.get("/compare?before=a&after=%2F%2Fevil", headers={"Accept": "text/html"}, follow_redirects=False)
    assert wanted.status_code == 303
    assert wanted.headers["location"] == "/login?next=/compare%3Fbefore%3Da%26after%3D%252F%252Fevil"


def test_openapi_says_that_a_token_is_needed(visitor: TestClient) -> None:
    """So that clients made from it ask for one."""
    document = visitor.get("/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}).json()
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


# What every answer carries


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.get(f"{API}/health"),
        lambda client: client.get(f"{API}/nothing"),
        lambda client: client.get(f"{API}/recordings?limit=0"),
        lambda client: client.get(f"{API}/health", headers={"Host": "evil.example"}),
        lambda client: client.post(f"{API}/match", headers={"Origin": "null"}),
        lambda client: client.post(f"{API}/match", content=b"x" * 9_000_000),
        lambda client: client.put(f"{API}/match"),
        lambda client: client.get("/openapi.json"),
    ],
    ids=["200", "404", "422", "421", "403", "413", "405", "openapi"],
)
def test_every_answer_is_safe(local: TestClient, ask: Callable[[TestClient], Any]) -> None:
    """Nothing runs but our own scripts, nothing is guessed, nothing is kept, nobody frames it."""
    headers = ask(local).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert not [value for value in policy.values() if "unsafe" in value or "*" in value or "http" in value]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_a_report_is_kept_apart(local: TestClient, recorded: Callable[[str], bytes]) -> None:
    """Its scripts run in a sandbox without an origin: no cookies, no requests; only our own pages may frame it."""
    run = local.post(f"{API}/recordings", content=recorded("healthy")).json()
    policy = local.get(f"{API}/recordings/{run['id']}/report").headers["Content-Security-Policy"]
    sandbox, *rest = policy.split("; ")
    assert sandbox.startswith("sandbox allow-scripts ")
    assert "allow-same-origin" not in sandbox
    assert "default-src 'none'" in rest
    assert "connect-src" not in policy
    assert "frame-ancestors 'self'" in rest


# How often


def test_too_many_questions(tmp_path: Path) -> None:
    """429 and when to ask again; the rest of the server is still there."""
    with make_server(tmp_path, match_rate=0.001) as client:
        answers = [client.post(f"{API}/{question}", json={"text": "x"}) for question in ("match", "match", "explain")]
        assert [answer.status_code for answer in answers] == [200, 429, 429]
        assert 990 <= int(answers[1].headers["Retry-After"]) <= 1000
        assert answers[1].json()["detail"].startswith("too many questions; ask again in ")
        assert client.get(f"{API}/health").status_code == 200


def test_one_rate_for_all_ways_to_ask(tmp_path: Path) -> None:
    """Whoever has asked over REST has asked: neither a page nor a tool answers more."""
    call = {"name": "explain_error", "arguments": {"text": "x"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with make_server(tmp_path, match_rate=0.001) as client:
        assert client.post(f"{API}/match", json={"text": "x"}).status_code == 200
        assert client.post("/explain", data={"text": "x"}).status_code == 429
        told = client.post("/mcp", json=request, headers={"Accept": "application/json, text/event-stream"}).json()
    assert told["result"]["isError"]
    assert told["result"]["content"][0]["text"].startswith("Too many questions; ask again in ")


def test_a_long_text_counts_as_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes as long to match as many others is not to be asked as often; here no time goes by."""
    monkeypatch.setattr(app, "Rate", functools.partial(Rate, clock=lambda: 0.0))
    with make_server(tmp_path, match_rate=2) as client:
        asked = ["x" * 50_000, "x" * 50_000, "x", "x"]
        statuses = [client.post(f"{API}/match", json={"text": text}).status_code for text in asked]
    assert statuses == [200, 429, 200, 429]


# Guessing


def stop_the_clock(client: TestClient) -> None:
    """However long a test takes, nobody gets another try."""
    application = client.app
    assert isinstance(application, FastAPI)
    application.state.gate.failures = Rate(0.2, burst=20, clock=lambda: 0.0)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_whoever_guesses_tokens_is_slowed_down(tmp_path: Path) -> None:
    """In a header as on the login page, and both together: 429, with a word when to try again; even the right one."""
    with make_server(tmp_path, token=TOKEN) as client:
        stop_the_clock(client)
        tried = [client.get(f"{API}/health", headers=bearer(f"guess {number}")) for number in range(15)]
        tried += [client.post("/login", data={"token": f"another {number}"}) for number in range(15)]
        assert [answer.status_code for answer in tried] == [401] * 20 + [429] * 10
        refused = client.get(f"{API}/health", headers=bearer(TOKEN))
        assert refused.status_code == 429
        assert "too many wrong tokens" in refused.json()["detail"]
        assert int(refused.headers["Retry-After"]) <= 5


def test_the_right_token_uses_nothing_up(tmp_path: Path) -> None:
    """However often it is shown, in whichever way: guesses have all their tries left, and no more."""
    with make_server(tmp_path, token=TOKEN) as client:
        stop_the_clock(client)
        for _ in range(50):
            assert client.get(f"{API}/health", headers=bearer(TOKEN)).status_code == 200
            client.cookies.clear()
            assert client.post("/login", data={"token": TOKEN}, follow_redirects=False).status_code == 303
        client.cookies.clear()
        statuses = [client.get(f"{API}/health", headers=bearer(f"guess {n}")).status_code for n in range(21)]
        assert statuses == [401] * 20 + [429]


def test_the_same_wrong_token_again_is_no_guess(tmp_path: Path) -> None:
    """A program with an old token does not keep out the others at its address."""
    with make_server(tmp_path, token=TOKEN) as client:
        for _ in range(100):
            assert client.get(f"{API}/health", headers=bearer("the token of last year")).status_code == 401
        assert client.get(f"{API}/health", headers=bearer(TOKEN)).status_code == 200


def test_what_is_open_to_all_does_not_tell_whether_a_token_is_right(tmp_path: Path) -> None:
    """Pages that everybody sees look the same with it: they are not counted."""
    with make_server(tmp_path, token=TOKEN) as client:
        for path in ("/login", "/static/nothing.css"):
            pages = [
                client.get(path, headers={"Accept": "text/html", **bearer(token)}, follow_redirects=False)
                for token in (TOKEN, "wrong")
            ]
            assert pages[0].status_code == pages[1].status_code
            assert pages[0].text == pages[1].text


def test_strangers_send_little(tmp_path: Path) -> None:
    """413: nobody needs a megabyte to enter a token."""
    with make_server(tmp_path, token=TOKEN) as client:
        assert client.post("/login", content=b"x" * 20_000).status_code == 413
