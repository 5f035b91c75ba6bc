"""``traceonce mcp``: the tools for agents, on standard input and output."""

from __future__ import annotations

import functools
import importlib.metadata
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from traceonce.console.message_line import log_to_stderr, say
from traceonce.errors import UsageError

if TYPE_CHECKING:
    from traceonce.serve.mcp.desk import Desk

SDK = 2  # the first version that has what we use
INSTALL = "install it with: pip install 'traceonce[serve]'"


@click.command(short_help="Answer a coding agent's questions (the Model Context Protocol).")
def command() -> None:
    """Answer a coding agent's questions by the Model Context Protocol, on standard input and output.

    An agent starts this itself, once it is told to. It can then explain an error, read the findings of your recordings,
    propose fixes, search the records, and note what worked. It reads your recordings and the records, and writes
    nothing but the outcomes that it is told. The same tools are at /mcp of `traceonce serve`.

    \b
    claude mcp add traceonce -- traceonce mcp

    docs/agents.md shows it for other agents, and what each tool answers.
    """
    _check_sdk()
    if sys.stdin is None:
        raise UsageError("mcp talks on standard input, which was closed; an agent starts it with one.")
    if sys.stdin.isatty():
        say("traceonce: waits for an agent on standard input; Ctrl-C ends it. See: traceonce mcp -h")
    log_to_stderr("traceonce: %(message)s")
    # The thread that waits for the next line cannot be told to stop; and there is nothing to put in order.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import anyio

    anyio.run(_serve)


def _check_sdk() -> None:
    try:
        version = importlib.metadata.version("mcp")
    except importlib.metadata.PackageNotFoundError:
        raise UsageError(f"mcp needs the MCP SDK; {INSTALL}") from None
    if int(version.partition(".")[0]) < SDK:
        raise UsageError(f"mcp needs the MCP SDK {SDK} or later, and {version} is installed; {INSTALL}")


async def _serve() -> None:
    from mcp.server.stdio import stdio_server

    from traceonce.serve.mcp.instructions import LOCAL
    from traceonce.serve.mcp.server import make_server

    server = make_server(_once(open_desk), LOCAL)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def open_desk() -> Desk:
    """Where the tools are answered. Workers end with this process, whatever they do."""
    from traceonce.knowledge.local_base import open_to_read, own_outcomes
    from traceonce.serve.knowledge_questions import KnowledgeQuestions
    from traceonce.serve.mcp.desk import Desk
    from traceonce.serve.mcp.local_recordings import LocalRecordings
    from traceonce.serve.worker_pools import WorkerPools

    pools = WorkerPools()
    return Desk(KnowledgeQuestions(own_outcomes(), open_to_read(None), pools), LocalRecordings(pools))


def _once(make: Callable[[], Desk]) -> Callable[[], Desk]:
    """Make it when it is first asked for, and once, however many threads ask: an agent waits for us to start."""
    lock, cached = threading.Lock(), functools.cache(make)

    def get() -> Desk:
        with lock:
            return cached()

    return get
