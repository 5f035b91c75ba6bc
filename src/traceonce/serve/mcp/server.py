"""The protocol's side: the tools and the records, as an MCP server. How it is reached is the caller's to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import mcp.types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from traceonce.serve.mcp.resources import Resources
from traceonce.serve.mcp.tool import Tool, refuse
from traceonce.serve.mcp.tools import TOOLS
from traceonce.version import __version__

if TYPE_CHECKING:
    from traceonce.serve.mcp.desk import Desk

Admission = Callable[[Tool, Mapping[str, Any], ServerRequestContext[Any, Any]], str | None]


def make_server(desk: Callable[[], Desk], instructions: str, refusal: Admission | None = None) -> Server[Any]:
    """A server whose tools are answered at a desk, which is opened when the first is called.

    `refusal` says why a call may not be made now, or None.
    """
    tools = {tool.name: tool for tool in TOOLS}
    listed = types.ListToolsResult(tools=[tool.describe() for tool in TOOLS])
    resources = Resources(desk)

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            return refuse(f"There is no tool {params.name[:100]!r}; there are: {', '.join(tools)}.")
        arguments = params.arguments or {}
        reason = refusal(tool, arguments, context) if refusal is not None else None
        return refuse(reason) if reason is not None else await tool.call(arguments, desk)

    return Server(
        "traceonce",
        title="traceonce",
        version=__version__,
        description="Why functions retrace, at what cost, and what to change.",
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
    )
