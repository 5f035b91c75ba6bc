"""The door for agents: the same questions as tools of the Model Context Protocol.

`add_mcp` mounts them on the server, at /mcp; `traceonce mcp` serves them on standard input and output.
"""

from traceonce.serve.mcp.mounting import add_mcp
from traceonce.serve.mcp.server import make_server

__all__ = ["add_mcp", "make_server"]
