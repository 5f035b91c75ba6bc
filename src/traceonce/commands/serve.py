"""``traceonce serve``: recordings and knowledge for a team, in the browser, over HTTP, and for agents."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import ipaddress
import signal
import socket
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from traceonce.console.message_line import log_to_stderr, say
from traceonce.errors import UsageError
from traceonce.home import recordings_folder
from traceonce.knowledge.local_base import open_to_read

if TYPE_CHECKING:
    from fastapi import FastAPI

NEEDED = ("fastapi", "uvicorn", "httptools", "sqlalchemy", "alembic", "psycopg", "mcp")
SHORTEST = 16  # characters of a token
MAKE_TOKEN = "python -c 'import secrets; print(secrets.token_urlsafe())'"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
READING = 2  # seconds for recordings that are being read when the server is stopped
PATIENCE = 4  # seconds for requests that are being answered when the server is stopped


@click.command(short_help="Serve recordings and records: web pages, REST, and MCP for agents.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 picks a free one."
)
@click.option(
    "--database",
    metavar="URL",
    envvar="TRACEONCE_DATABASE",
    show_envvar=True,
    help="Where recordings are stored: sqlite:////path or postgresql://…; default: a file next to your own recordings.",
)
@click.option("--token", envvar="TRACEONCE_TOKEN", show_envvar=True, help="The token that every client must send.")
@click.option(
    "--max-upload",
    default=64,
    show_default=True,
    type=click.IntRange(1, 1024),
    metavar="MB",
    help="The largest recording accepted, before and after unpacking.",
)
@click.option(
    "--max-seconds",
    default=120,
    show_default=True,
    type=click.IntRange(1, 3600),
    metavar="N",
    help="CPU seconds allowed for reading one recording; small recordings get less.",
)
@click.option(
    "--match-rate",
    default=50.0,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="N",
    help="Texts per second that one client may ask about (long texts count as several); 0: unlimited.",
)
def command(
    host: str, port: int, database: str | None, token: str | None, max_upload: int, max_seconds: int, match_rate: float
) -> None:
    """Serve recordings and records: web pages, a REST interface (/openapi.json), and MCP for agents (/mcp).

    Only this machine can connect, unless --host says otherwise. Clients from other machines need a token: programs send
    it as "Authorization: Bearer TOKEN", people enter it once in the browser. Set it in TRACEONCE_TOKEN, where other
    users of this machine cannot see it.

    \b
    traceonce serve
    traceonce serve --port 9000 --database sqlite:////srv/traceonce.sqlite3
    TRACEONCE_TOKEN=… traceonce serve --host 0.0.0.0 --database postgresql://me:secret@db/traceonce

    \b
    curl --data-binary @run.jsonl 'http://127.0.0.1:8765/api/v1/recordings?name=nightly'

    Ctrl-C stops it. An acknowledged upload is never lost. Exit status: 0 when stopped, 2 if it cannot start.
    """
    _check_installed()
    token = _checked_token(token)
    with _listen(host, port, token) as listening:
        from traceonce.serve.app import create_app
        from traceonce.serve.settings import MIB, ServerSettings

        settings = ServerSettings(
            database=database or default_database(),
            token=token,
            hosts=tuple(dict.fromkeys((*LOOPBACK, host.lower()))) if token is None else (),
            max_upload=max_upload * MIB,
            max_seconds=max_seconds,
            match_rate=match_rate,
        )
        _run(create_app(settings, open_to_read(None)), listening, behind_others=token is not None)


def default_database() -> str:
    """A file beside the user's recordings."""
    from sqlalchemy import URL

    path = recordings_folder().with_name("server.sqlite3")
    with contextlib.suppress(OSError):  # opening the file says what is wrong
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return URL.create("sqlite", database=str(path)).render_as_string()  # it may have signs in it that URLs know


def _stop(*_: object) -> NoReturn:
    raise SystemExit(0)


def _check_installed() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"serve needs {', '.join(missing)}; install it with: pip install 'traceonce[serve]'")


def _checked_token(token: str | None) -> str | None:
    if not token:
        return None
    if len(token) < SHORTEST:
        raise UsageError(f"--token: too easy to guess; use at least {SHORTEST} characters: {MAKE_TOKEN}")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise UsageError(
            f"--token: cannot be sent in a header; use ASCII letters, digits and punctuation: {MAKE_TOKEN}"
        )
    return token


def _listen(host: str, port: int, token: str | None) -> socket.socket:
    """Take the port, before anything else is done; refuse an address that others can reach without a token."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--host {host}: is not an address of this machine ({reason}); use 127.0.0.1.") from None
    if token is None and not all(_is_loopback(str(entry[4][0])) for entry in found):
        raise UsageError(
            f"--host {host}: is reachable from other machines, so a token is needed. Set TRACEONCE_TOKEN to one "
            f"that nobody can guess ({MAKE_TOKEN}), or use --host 127.0.0.1."
        )
    family, _, _, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        raise UsageError(
            f"--host {host} --port {port}: cannot listen ({error.strerror or error}); choose another --port (0 "
            "picks a free one), or stop the process that uses it."
        ) from None
    return listening


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


def _run(app: FastAPI, listening: socket.socket, *, behind_others: bool) -> None:
    """Answer until a signal comes. `behind_others`: a server in front may say whom it asks for."""
    import uvicorn

    from traceonce.serve.connections import BoundedConnection

    log_to_stderr("%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = uvicorn.Config(
        app,
        http=BoundedConnection,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=behind_others,
        timeout_graceful_shutdown=PATIENCE,
    )
    sys.setswitchinterval(0.001)  # a thread that makes a page lets the one in that answers: every page waits for that
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)  # what uvicorn leaves them to when it has stopped in good order
    host, port = listening.getsockname()[:2]
    say(f"traceonce serves http://{f'[{host}]' if ':' in host else host}:{port} (Ctrl-C stops it)", err=False)

    class Server(uvicorn.Server):
        """When it is stopped, what is being read is ended, so that whoever waits for it is told."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            asyncio.get_running_loop().call_later(READING, app.state.stop_reading)
            await super().shutdown(sockets)

    Server(config).run(sockets=[listening])
