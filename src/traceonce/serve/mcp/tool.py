"""A tool: what an agent reads about it, what it takes, what it gives, and how it is called."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import mcp.types as types
import msgspec
from anyio.to_thread import run_sync

from traceonce.errors import TraceonceError

if TYPE_CHECKING:
    from traceonce.serve.mcp.desk import Desk

logger = logging.getLogger(__name__)
_FIELD = re.compile(r"`\$\.(\w+)|field `(\w+)`")


class Answer(NamedTuple):
    """A result as plain data, and the same in words, for a model to read."""

    data: dict[str, Any]
    text: str


class Tool(NamedTuple):
    """`answer` is asked what `takes` says, and answers what `gives` says. With `writes`, it notes something down."""

    name: str
    title: str
    description: str
    takes: type[msgspec.Struct]
    gives: type[msgspec.Struct]
    answer: Callable[[Desk, Any], Awaitable[Answer]]
    writes: bool = False

    def describe(self) -> types.Tool:
        """As agents see it. No tool deletes anything, or reaches beyond the records and the recordings."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_of(self.takes),
            output_schema=schema_of(self.gives),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=not self.writes,
                destructive_hint=False,
                idempotent_hint=not self.writes,
                open_world_hint=False,
            ),
        )

    async def call(self, arguments: dict[str, Any], desk: Callable[[], Desk]) -> types.CallToolResult:
        """The answer, in words and as data; or why there is none, in words that say what to do."""
        try:
            asked = msgspec.convert(arguments, self.takes, strict=False)  # some models write numbers as texts
            answer = await self.answer(await run_sync(desk), asked)
        except msgspec.ValidationError as error:
            return refuse(self._misused(str(error)))
        except TraceonceError as error:
            return refuse(str(error))
        except Exception:
            logger.exception("the tool %s failed", self.name)
            return refuse(f"{self.name} failed inside traceonce. See its log, and please report it.")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=answer.data,
        )

    def _misused(self, problem: str) -> str:
        """What is wrong with the arguments, and what the one that is wrong is for."""
        properties = schema_of(self.takes)["properties"]
        named = _FIELD.search(problem)
        name = next(filter(None, named.groups())) if named else ""
        if name in properties:
            return f"{self.name}: {problem}. {name}: {properties[name]['description']}"
        return f"{self.name}: {problem}. It takes: {', '.join(properties)}."


def refuse(reason: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=reason)], is_error=True)


def schema_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a struct, with the struct itself at the root, as the protocol wants it."""
    (root,), definitions = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    own = definitions.pop(root["$ref"].rpartition("/")[2])
    return {**own, "$defs": definitions} if definitions else own
