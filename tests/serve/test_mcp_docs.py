"""What docs/agents.md shows is what the tools answer. `python tests/serve/test_mcp_docs.py` writes it again."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from mcp import Client
from mcp.types import TextContent

from traceonce.commands.mcp import open_desk
from traceonce.serve.mcp.server import make_server
from traceonce.serve.mcp.tools import TOOLS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "agents.md"
AGAIN = "python tests/serve/test_mcp_docs.py writes docs/agents.md again"
LONGEST = 34  # lines of an example
WRITTEN = 1_794_700_000  # seconds since 1970: when the recordings were made, as it is shown
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EXAMPLE = re.compile(r"^<!-- (\w+) (\{[^\n]*\}) -->\n(?:\n(`{3,})text\n.*?\n\3\n)?", re.MULTILINE | re.DOTALL)


def write_examples(page: str, home: Path) -> str:
    """The page, with the answer of each tool below the comment that asks it."""
    os.environ["TRACEONCE_HOME"] = str(home)
    shutil.copytree(ROOT / "tests" / "recorded", home / "recordings")
    for minutes, path in enumerate(sorted((home / "recordings").glob("*.jsonl"))):
        os.utime(path, (WRITTEN + 60 * minutes, WRITTEN + 60 * minutes))  # whenever this was checked out
    desk = open_desk()

    async def answer(name: str, arguments: dict[str, Any]) -> str:
        async with Client(make_server(lambda: desk, "")) as client:
            (content,) = (await client.call_tool(name, arguments)).content
            assert isinstance(content, TextContent)
            return content.text

    def example(found: re.Match[str]) -> str:
        lines = anyio.run(answer, found[1], json.loads(found[2])).splitlines()
        shown = lines if len(lines) <= LONGEST else [*lines[:LONGEST], f"… ({len(lines) - LONGEST} more lines)"]
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", "\n".join(shown))), 3)
        return f"<!-- {found[1]} {found[2]} -->\n\n{fence}text\n" + "\n".join(shown) + f"\n{fence}\n"

    return _EXAMPLE.sub(example, page)


def test_the_examples_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tool is shown, as it answers."""
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path))
    page = PAGE.read_text()
    assert {found[1] for found in _EXAMPLE.finditer(page)} == {tool.name for tool in TOOLS}
    assert _DATE.sub("DATE", write_examples(page, tmp_path)) == _DATE.sub("DATE", page), AGAIN


def test_the_configurations_can_be_read() -> None:
    """Each block of JSON or TOML is what its agent's file may hold, and starts us or names our address."""
    blocks = re.findall(r"^```(json|toml)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 8
    for form, block in blocks:
        settings = json.loads(block) if form == "json" else msgspec.toml.decode(block)
        servers = next(value for key, value in settings.items() if "ervers" in key)
        for server in servers.values():
            assert server.get("args", ["mcp"]) == ["mcp"]
            assert server.get("command", "traceonce").endswith("traceonce")
            assert server.get("url", server.get("httpUrl", "/mcp")).endswith("/mcp")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(write_examples(PAGE.read_text(), Path(folder)))
