"""Calls that JAX refuses before it asks for a trace: a static argument has no hash. Only a replay sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_REFUSAL = "Non-hashable static arguments"


class Refused(NamedTuple):
    """The function that was jitted, with its options, what it was called with, and what was raised."""

    function: Any
    info: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    error: BaseException


# The watchers that want to be told.
LISTENERS: list[Callable[[Refused], None]] = []


def tell(refused: Refused) -> None:
    if _REFUSAL in str(refused.error):
        for listener in LISTENERS:
            listener(refused)
