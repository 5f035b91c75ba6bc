"""Words of snippets and reasons: lists of things, and several lines as one."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 6  # values of a list before it is cut


def enumerate_words(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def enumerate_values(values: Sequence[object]) -> str:
    """``2, 3, 5``; of many, the first ones and the last."""
    texts = [str(value) for value in values]
    return ", ".join(texts if len(texts) <= SHOWN else [*texts[: SHOWN - 2], "…", texts[-1]])


def join_lines(*parts: str | None) -> str | None:
    return "\n".join(part for part in parts if part) or None
