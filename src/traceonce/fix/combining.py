"""Changes of the source that are parts of one repair."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from traceonce.fix.candidate import Change

if TYPE_CHECKING:
    from traceonce.fix.source.arguments import Argument
    from traceonce.fix.source.edits import Edits


def together(*changes: Change) -> Change:
    """Several changes as one."""

    def change(edits: Edits) -> None:
        for each in changes:
            each(edits)

    return change


def join_notes(*notes: str | None) -> str | None:
    return "; ".join(dict.fromkeys(note for note in notes if note)) or None


def join_lines(*parts: str | None) -> str | None:
    return "\n".join(part for part in parts if part) or None


def wrap(edits: Edits, argument: Argument, code: str) -> None:
    """Put code around what a call gives; `value` stands for that in the code."""
    module, node = argument.module, argument.node.value
    rewrite: Callable[[Any], Any] = lambda value: edits.expression(module, code, node, value=value)  # noqa: E731
    edits.replace(module, node, rewrite)
