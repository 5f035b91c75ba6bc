"""The fixed parts of the message that an expression finds: what any text that it matches must contain."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from typing import Any, TypeAlias

LEAST = 8  # characters: shorter ones are in every program
# Python's own reader of expressions; RE2's syntax is, but for rare constructs, a part of Python's.
_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_ERROR_NAME = re.compile(r"^[\w.]*(?:Error|Exception|Warning|Reached):? ?")
_SPACES = frozenset(" \t\n\r\f\v")

Parts: TypeAlias = list[tuple[str, ...]]  # of each tuple, one must be there; a tuple has several for `(?:a|b)`


def fixed_parts(expression: str) -> Parts | None:
    """The parts of eight characters and more, else the longest; None where Python cannot read the expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(expression)
        every = [] if tree.state.flags & re.IGNORECASE else _read(tree)
    except (re.error, RecursionError, OverflowError):
        return None
    texts = [tuple(_ERROR_NAME.sub("", text).strip() for text in part) for part in every]
    long = [part for part in texts if all(len(text) >= LEAST for text in part)]
    if not long:
        single = [part for part in texts if all(part)]
        long = [max(single, key=lambda part: min(map(len, part)))] if single else []
    return list(dict.fromkeys(long))


def _read(tree: Any) -> Parts:
    """The runs of literal characters that a match must have, in their order."""
    parts: Parts = []
    run: list[str] = []

    def end() -> None:
        if run:
            parts.append(("".join(run),))
            run.clear()

    def walk(items: Any) -> None:
        for kind, value in items:
            name = str(kind)
            if name == "LITERAL":
                run.append(chr(value))
            elif name == "AT":
                continue  # a position has no width
            elif name == "SUBPATTERN" and not value[1] & re.IGNORECASE:
                walk(value[-1])
            elif _is_space(name, value):
                run.append(" ")
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                end()
                if value[0] > 0:
                    walk(value[2])
                    end()
            elif name == "BRANCH":
                end()
                parts.extend(_one_of(value[1]))
            else:
                end()

    walk(tree)
    end()
    return parts


def _one_of(branches: Any) -> Parts:
    """The longest part of each alternative; nothing is fixed where one of them has none."""
    longest = [max((part[0] for part in _read(branch)), key=len, default="") for branch in branches]
    return [tuple(dict.fromkeys(longest))] if all(longest) else []


def _is_space(name: str, value: Any) -> bool:
    """Is it ``\\s``, ``\\s+`` or `` +``? In a collapsed message that is one space."""
    if name == "IN":
        return [(str(kind), str(item)) for kind, item in value] == [("CATEGORY", "CATEGORY_SPACE")]
    if name == "MAX_REPEAT" and value[0] > 0 and len(value[2]) == 1:
        kind, item = value[2][0]
        return (str(kind) == "LITERAL" and chr(item) in _SPACES) or _is_space(str(kind), item)
    return False
