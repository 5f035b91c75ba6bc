"""All that one function was traced for so far, and why the next trace was needed.

The cause of a trace is what its request differs in from the *nearest* earlier signature: the one with the fewest
differences, the latest of equals. A place whose value was never seen before differs from all of them, so no cause can
hide behind another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from traceonce.explain.arguments import compare_arguments
from traceonce.explain.surroundings import compare_contexts, explain_new_object
from traceonce.facts import Cause, CauseCode, Container, Leaf, Signature, TraceEvent

Item: TypeAlias = Leaf | Container | str


class Explained(NamedTuple):
    """An event with its final phase and ordinal, and the causes of the trace."""

    event: TraceEvent
    causes: tuple[Cause, ...]


class _Slot:
    """One place of a signature (a leaf, a container, a part of the context): who had what there."""

    __slots__ = ("holders", "wide")

    def __init__(self) -> None:
        self.holders: dict[Item, list[int]] = {}
        self.wide: list[Leaf] = []

    def add(self, item: Item, holder: int) -> None:
        if item not in self.holders:
            self.holders[item] = []
            if isinstance(item, Leaf) and (item.shape is None or None in item.shape) and item.kind != "python":
                self.wide.append(item)
        self.holders[item].append(holder)

    def constant(self, item: Item) -> bool:
        return len(self.holders) == 1 and item in self.holders

    def admitting(self, item: Item) -> Iterator[list[int]]:
        yield self.holders.get(item, [])
        for wide in self.wide:
            if wide != item and isinstance(item, Leaf) and wide.admits(item):
                yield self.holders[wide]


class Signatures:
    """Earlier signatures, indexed by their places, so that the nearest of a thousand is found in well under 2 ms."""

    def __init__(self) -> None:
        self._all: list[Signature] = []
        self._slots: dict[tuple[str, str], _Slot] = {}

    def __len__(self) -> int:
        return len(self._all)

    def add(self, signature: Signature) -> None:
        holder = len(self._all)
        self._all.append(signature)
        for place, item in _places(signature):
            slot = self._slots.get(place)
            if slot is None:
                slot = self._slots[place] = _Slot()
            slot.add(item, holder)

    def nearest(self, request: Signature) -> Signature:
        agreeing: Counter[int] = Counter()
        for place, item in _places(request):
            slot = self._slots.get(place)
            if slot is not None and not slot.constant(item):
                for holders in slot.admitting(item):
                    agreeing.update(holders)
        if not agreeing:
            return self._all[-1]
        most = max(agreeing.values())
        return self._all[max(holder for holder, count in agreeing.items() if count == most)]


def _places(signature: Signature) -> Iterator[tuple[tuple[str, str], Item]]:
    for leaf in signature.leaves:
        yield ("leaf", leaf.path), leaf
    for container in signature.structure:
        yield ("container", container.path), container
    for key, value in signature.context.items():
        yield ("context", key), value


class History:
    """What one function was traced for, over all its function objects, in one process."""

    def __init__(self) -> None:
        self._everything = Signatures()
        self._objects: dict[int | None, Signatures] = {}
        self._fingerprints: set[str] = set()
        self._dead: set[int] = set()
        self._ordinal = 0

    def explain(self, event: TraceEvent) -> Explained:
        """Why was this trace made? Events are to be given in the order in which they happened."""
        self._dead.update(event.dead)
        own = self._objects.get(event.object)
        for signature in event.earlier:
            own = self._add(event.object, signature)
        if event.phase == "internal":
            return self._close(event, ())
        if own:
            causes = self._compare(own, event.signature) or (self._unknown(event),)
            return self._close(event, causes)
        if self._objects:
            return self._explain_new_object(event)
        return self._close(event, ())

    def _explain_new_object(self, event: TraceEvent) -> Explained:
        """Another function object over the same code: the same graph again is waste, another graph another model."""
        again = event.fingerprint is None or event.fingerprint in self._fingerprints
        causes = (
            explain_new_object(event, len(self._objects)),
            *(cause for cause in self._compare(self._everything, event.signature) if cause.code not in _OWN_OBJECT),
        )
        return self._close(event, causes if again else ())

    def _compare(self, earlier: Signatures, request: Signature) -> tuple[Cause, ...]:
        nearest = earlier.nearest(request)
        causes = [*compare_contexts(nearest, request), *compare_arguments(nearest, request, self._dead)]
        users = [cause for cause in causes if cause.code is not CauseCode.VARIABLE_CREATION]
        return tuple(dict.fromkeys(users or causes))

    def _unknown(self, event: TraceEvent) -> Cause:
        reason = event.raw_reason or "an earlier trace fits this call, and the framework traced again all the same"
        return Cause(CauseCode.UNKNOWN, event.function.name, "", reason, evidence="reported")

    def _close(self, event: TraceEvent, causes: tuple[Cause, ...]) -> Explained:
        if event.raw_reason is not None:  # the backend saw the outcome, not the request
            causes = tuple(msgspec.structs.replace(cause, evidence="inferred") for cause in causes)
        phase = event.phase
        if phase not in ("internal", "failed"):
            created = {cause.code for cause in causes} == {CauseCode.VARIABLE_CREATION}
            phase = "internal" if created else "retrace" if causes else "first"
        if phase != "internal":
            self._ordinal += 1
        if event.phase not in ("internal", "failed"):
            self._add(event.object, event.served)
            if event.fingerprint:
                self._fingerprints.add(event.fingerprint)
        return Explained(msgspec.structs.replace(event, phase=phase, ordinal=self._ordinal), causes)

    def _add(self, owner: int | None, signature: Signature) -> Signatures:
        signatures = self._objects.setdefault(owner, Signatures())
        signatures.add(signature)
        self._everything.add(signature)
        return signatures


# An object argument of another function object says nothing about the arguments: each has its own.
_OWN_OBJECT = {CauseCode.VARIABLE_CREATION, CauseCode.IDENTITY, CauseCode.COLLECTED}
