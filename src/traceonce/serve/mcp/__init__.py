"""The door for agents: the same questions as tools of the Model Context Protocol.

`mounting.add_mcp` mounts them on the server, at /mcp; `traceonce mcp` serves them on standard input and output. Workers
import what describes runs and fixes from here, so that this imports nothing by itself, least of all the SDK.
"""
