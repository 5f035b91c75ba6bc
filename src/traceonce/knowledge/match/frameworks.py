"""Which framework a message is about. Our own messages read the same for all, but for what compiled the function.

1.  A message of ours says what compiled the function where the framework tells (``wrapper at train.py:5``); one that
    says nothing is about the frameworks that do not tell. A record whose message is ours (`raised_by`) counts for its
    own framework only.
2.  A Chinese text is in anybody's words. If it names frameworks, only records of these count.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

from traceonce.frameworks.base.registry import known_frameworks

OURS = "traceonce"


@cache
def known_names() -> frozenset[str]:
    return frozenset(framework.name for framework in known_frameworks())


def frameworks_of_ours(text: str) -> set[str]:
    """The frameworks that a message of ours may be about."""
    told = {name for name, expression in _ours().items() if expression.search(text)}
    return told or set(known_names() - _ours().keys())


def frameworks_named(text: str) -> set[str]:
    """The frameworks that a text names."""
    return {name for name, expression in _mentions().items() if expression.search(text)}


@cache
def _ours() -> dict[str, Any]:
    return {each.name: re2.compile(each.ours) for each in known_frameworks() if each.ours}


@cache
def _mentions() -> dict[str, Any]:
    return {each.name: re2.compile(each.mentions) for each in known_frameworks() if each.mentions}
