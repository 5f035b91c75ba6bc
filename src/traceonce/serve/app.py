"""The server, put together: the store, the questions, and what asks them.

`app.state.gate` says who may come in, `app.state.matching` how often somebody may ask about texts. What must run while
the server does is an asynchronous context manager, whose maker is appended to `app.state.running`.
`app.state.stop_reading()` ends what is computed from recordings, so that nobody who stops the server waits for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from traceonce.knowledge.collection import Collection
from traceonce.serve.auth import Gate
from traceonce.serve.error_responses import add_handlers
from traceonce.serve.mcp.http import add_mcp
from traceonce.serve.queries import Questions
from traceonce.serve.rates import Rate
from traceonce.serve.rest import add_rest
from traceonce.serve.safety import Safety
from traceonce.serve.settings import ServerSettings
from traceonce.serve.store import Store
from traceonce.serve.web import add_pages
from traceonce.serve.worker_pools import WorkerPools
from traceonce.version import __version__

LARGE = 16 << 10  # bytes of an answer; to pack less saves no time
THREADS = 16  # for databases and pages, which are all Python: more at once would only hold each other up


def create_app(settings: ServerSettings, collection: Collection | None = None) -> FastAPI:
    """A server on its database, which is brought up to date first, and on these records, or else ours."""
    store = Store(settings.database)
    pools = WorkerPools(settings.max_seconds)
    questions = Questions(store, store, Collection() if collection is None else collection, pools)
    gate = Gate(settings.token)

    @contextlib.asynccontextmanager
    async def run(app: FastAPI) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(store.close)
            current_default_thread_limiter().total_tokens = THREADS
            pools.open()
            stack.callback(pools.close)
            for make in app.state.running:
                await stack.enter_async_context(make())
            yield

    app = FastAPI(
        title="traceonce",
        version=__version__,
        summary="Recordings of what was traced, and what is known about tracing failures.",
        lifespan=run,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
    )
    app.state.gate = gate
    app.state.matching = Rate(settings.match_rate)
    app.state.running = []
    app.state.stop_reading = pools.close
    app.add_middleware(GZipMiddleware, minimum_size=LARGE, compresslevel=3)
    app.add_middleware(Safety, settings=settings, gate=gate)  # the outermost
    add_handlers(app)
    add_rest(app, questions, settings)
    add_pages(app, questions, settings)
    add_mcp(app, questions)
    return app
