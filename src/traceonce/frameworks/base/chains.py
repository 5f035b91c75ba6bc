"""A place that a function reads or changes outside of itself, as a path from a name."""

from __future__ import annotations

from typing import Any, NamedTuple


class Chain(NamedTuple):
    """``root.step.step``: where the root comes from, its name, and the attributes or items that lead on."""

    scope: str
    root: str
    steps: tuple[tuple[str, Any], ...]

    def named(self, myself: str = "self", steps: int | None = None) -> str:
        """The chain (or its first `steps`) as a path; `myself` is what `self` is called where the trace began."""
        root = myself if (self.scope, self.root) == ("argument", "self") else self.root
        return root + "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in self.steps[:steps])
