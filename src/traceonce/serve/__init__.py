"""The server: one set of questions (`queries.py`); REST, MCP and the web pages are thin adapters over it."""
