"""``traceonce serve``: recordings, knowledge and an interface for agents, in the browser and over HTTP."""

from __future__ import annotations

import importlib.util
import ipaddress
import socket
import sys
from typing import TYPE_CHECKING

import click

from traceonce.errors import UsageError
from traceonce.observe.shelf import recordings_folder

if TYPE_CHECKING:
    from fastapi import FastAPI

    from traceonce.serve.settings import Settings

NEEDED = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "psycopg", "mcp")
SHORTEST = 16  # characters of a token
MAKE_TOKEN = """python -c 'import secrets; print(secrets.token_urlsafe())'"""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PATIENCE = 5  # seconds for requests that are still being answered when the server is stopped


@click.command(short_help="Keep recordings in one place, and ask about them: in the browser, over HTTP, from an agent.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="The port; 0: any free.")
@click.option("--database", metavar="URL", help="Where recordings are kept; else an SQLite file in TRACEONCE_HOME.")
@click.option("--token", envvar="TRACEONCE_TOKEN", show_envvar=True, help="What everybody must show who uses it.")
@click.option(
    "--max-upload",
    default=64,
    show_default=True,
    type=click.IntRange(min=1, max=1024),
    metavar="MB",
    help="The largest recording, in MiB, also when gzip has packed it.",
)
@click.option(
    "--match-rate",
    default=50.0,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="N",
    help="Texts per second that one client may ask about; 0: any number.",
)
def command(host: str, port: int, database: str | None, token: str | None, max_upload: int, match_rate: float) -> None:
    """Serve recordings and knowledge: web pages, a REST interface (/openapi.json), and MCP for agents (/mcp).

    It listens on this machine alone. For any other address everybody must show a token, which is best set in
    TRACEONCE_TOKEN: programs send it as "Authorization: Bearer TOKEN", people enter it once in the browser.

    \b
    traceonce serve
    traceonce serve --port 9000 --database sqlite:////srv/traceonce.sqlite3
    TRACEONCE_TOKEN=… traceonce serve --host 0.0.0.0 --database postgresql://me:secret@db/traceonce

    \b
    curl --data-binary @run.jsonl 'http://127.0.0.1:8765/api/v1/recordings?name=nightly'

    Ctrl-C stops it: what has been acknowledged is kept.
    """
    _check_installed()
    token = token or None
    listening = _listen(host, port, token)
    from traceonce.serve.app import create_app
    from traceonce.serve.settings import MIB, Settings

    with listening:
        settings = Settings(
            database=database or default_database(),
            token=token,
            hosts=() if token else tuple(dict.fromkeys((*LOOPBACK, host.lower()))),
            max_upload=max_upload * MIB,
            match_rate=match_rate,
        )
        app = create_app(settings)
        _serve(app, settings, listening)


def default_database() -> str:
    """A file beside the user's recordings."""
    return f"sqlite:///{recordings_folder().with_name('server.sqlite3')}"


def _check_installed() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"serve needs {', '.join(missing)}; install it with: pip install 'traceonce[serve]'")


def _listen(host: str, port: int, token: str | None) -> socket.socket:
    """Take the port, before anything else is done; an address that others can reach needs a token."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--host {host}: is no address of this machine ({reason}); use 127.0.0.1.") from None
    if token is None and not all(ipaddress.ip_address(entry[4][0]).is_loopback for entry in found):
        raise UsageError(
            f"--host {host}: can be reached from other machines, so a token is needed. Set TRACEONCE_TOKEN to one "
            f"that nobody guesses ({MAKE_TOKEN}), or use --host 127.0.0.1."
        )
    if token is not None and len(token) < SHORTEST:
        raise UsageError(f"--token: is too easy to guess; use {SHORTEST} characters or more: {MAKE_TOKEN}")
    family, _, _, _, address = found[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"--host {host} --port {port}: cannot be listened on ({error.strerror or error}); "
            "name another with --port, or stop what uses it."
        ) from None
    return listening


def _serve(app: FastAPI, settings: Settings, listening: socket.socket) -> None:
    import uvicorn

    host, port = listening.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    click.echo(f"traceonce serves on http://{name}:{port}  (Ctrl-C stops it)")
    sys.stdout.flush()
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=settings.token is not None,  # without a token nobody is to claim to be somebody else
        timeout_graceful_shutdown=PATIENCE,
    )
    uvicorn.Server(config).run(sockets=[listening])
