"""The records as resources: traceonce://records/<domain>/<slug> is a document in Markdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio.to_thread
import mcp.types as types
from mcp.shared.exceptions import MCPError

from traceonce.errors import TraceonceError

if TYPE_CHECKING:
    from traceonce.serve.mcp.desk import Desk

ROOT = "traceonce://records/"
TEMPLATE = f"{ROOT}{{domain}}/{{slug}}"
MARKDOWN = "text/markdown"
PAGE = 100  # records listed at once
Result = TypeVar("Result")


class Resources:
    """Answers the protocol's questions about resources."""

    def __init__(self, desk: Callable[[], Desk]) -> None:
        self._desk = desk

    async def list(self, _: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        offset = _offset(params.cursor if params else None)
        page = await _ask(lambda: self._desk().knowledge.search_records(limit=PAGE, offset=offset))
        end = offset + len(page.records)
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=ROOT + line.id, name=line.id, title=line.signature, mime_type=MARKDOWN)
                for line in page.records
            ],
            next_cursor=str(end) if end < page.total else None,
        )

    async def list_templates(self, _: Any, __: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="record",
            title="A record of the knowledge base",
            description="A tracing failure: its root cause, what helps, what does not, and the runs that show it.",
            mime_type=MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, _: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if not uri.startswith(ROOT):
            raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:200]!r}; they are {TEMPLATE}.")
        text = await _ask(lambda: self._desk().record_document(uri.removeprefix(ROOT)))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)])


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(types.INVALID_PARAMS, "The cursor is invalid; start again without one.")
    return int(cursor)


async def _ask(question: Callable[[], Result]) -> Result:
    """An answer from a thread; what is refused is an error of the protocol."""
    try:
        return await anyio.to_thread.run_sync(question)
    except TraceonceError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None
