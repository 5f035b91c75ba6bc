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


@click.command(short_help="Serve tools to a coding agent (Model Context Protocol).")
def command() -> None:
    """Serve tools to a coding agent over the Model Context Protocol, on standard input and output.

    The agent starts this command itself, once configured. It can then explain errors, read the findings in your
    recordings, propose fixes, search the records, and record what worked. It reads recordings and records, and writes
    only outcomes. The same tools are at /mcp of `traceonce serve`.

    \b
    claude mcp add traceonce -- traceonce mcp

    docs/agents.md covers other agents and describes each tool.
    """
    _check_sdk()
    if sys.stdin is None:
        raise UsageError("mcp reads standard input, which is closed; let an agent start it.")
    if sys.stdin.isatty():
        say("traceonce: waiting for an agent on standard input; Ctrl-C stops it. See: traceonce mcp -h")
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
        raise UsageError(f"mcp needs the MCP SDK {SDK} or later; {version} is installed; {INSTALL}")


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
