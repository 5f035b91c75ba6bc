"""What each function object was traced for, as long as it lives; data, and weak references only."""

from __future__ import annotations

import weakref
from typing import Any

from traceonce.facts import Signature

KEPT = 256  # signatures of one function object
DROPPED = (
    "JAX no longer has its trace for these arguments: its caches were cleared (jax.clear_caches, clear_cache) or "
    "were full"
)


class Memories:
    """Signatures by function object, and which of them the present observers have been told."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], list[Signature]]] = {}
        self._told: set[int] = set()
        self._dropped: dict[int, list[Signature]] = {}

    def add(self, function: Any, signature: Signature, jaxpr: Any = None) -> None:
        """`jaxpr` is the trace itself: JAX drops it when its caches are cleared."""
        signatures = self._of(function)
        if signatures is None:
            signatures = self._begin(function)
        signatures.append(signature)
        del signatures[:-KEPT]
        if jaxpr is not None:
            self._follow(function, signature, jaxpr)

    def why_again(self, function: Any, signature: Signature) -> str | None:
        """Why a trace is made that was made before, where that is known."""
        dropped = self._dropped.get(id(function))
        return DROPPED if dropped and self._of(function) is not None and signature in dropped else None

    def of(self, function: Any) -> tuple[Signature, ...]:
        return tuple(self._of(function) or ())

    def earlier(self, function: Any) -> tuple[Signature, ...]:
        """What was traced before the present observers came."""
        return () if id(function) in self._told else self.of(function)

    def tell(self, function: Any) -> None:
        """The observers know now."""
        if self._of(function) is not None:
            self._told.add(id(function))

    def renew(self) -> None:
        self._told.clear()

    def _of(self, function: Any) -> list[Signature] | None:
        known = self._known.get(id(function))
        return known[1] if known is not None and known[0]() is function else None

    def _follow(self, function: Any, signature: Signature, jaxpr: Any) -> None:
        key, weak, dropped = id(function), weakref.ref(function), self._dropped

        def drop(_: Any) -> None:
            if weak() is not None:
                signatures = dropped.setdefault(key, [])
                signatures.append(signature)
                del signatures[:-KEPT]

        weakref.finalize(jaxpr, drop, None).atexit = False

    def _begin(self, function: Any) -> list[Signature]:
        key, known, told, dropped = id(function), self._known, self._told, self._dropped

        def forget(_: Any) -> None:
            known.pop(key, None)
            told.discard(key)
            dropped.pop(key, None)

        told.discard(key)
        dropped.pop(key, None)
        signatures: list[Signature] = []
        known[key] = weakref.ref(function, forget), signatures
        return signatures
