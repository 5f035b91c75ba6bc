"""All that one function was traced for so far, and why the next trace was needed.

The cause of a trace is what its request differs in from the *nearest* earlier signature: of those that agree with it in
the most places, the one with the fewest differences, the latest of equals. A place whose value was never seen before
differs from all of them, so no cause can hide behind another.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from traceonce.diagnosis.arguments import compare_arguments
from traceonce.diagnosis.surroundings import compare_captured, compare_contexts, explain_new_object
from traceonce.facts import Cause, CauseCode, Leaf, Phase, Signature, TraceEvent
from traceonce.facts.signature import NUMBERS, number
from traceonce.frameworks.base.registry import framework_of

Place: TypeAlias = tuple[str, str, int]
Item: TypeAlias = Hashable
CANDIDATES = 8  # signatures whose differences from a call are counted
HOLDERS = 64  # signatures remembered per place and item (up to twice that), so that the work does not grow


class Explained(NamedTuple):
    """An event with its final phase and ordinal, and the causes of the trace.

    `repeated`: another function object over the same code had a trace that fits. So it is that other object which is
    new, not anything in the arguments. `resized`: another object had the same graph over arrays of other sizes.
    """

    event: TraceEvent
    causes: tuple[Cause, ...]
    repeated: bool = False
    resized: bool = False


class Foreseen(NamedTuple):
    """What can be told of a trace before it is made: its phase and its causes.

    The phase is None for another function object over the same code: only its graph says whether it is the same again.
    """

    phase: Phase | None
    causes: tuple[Cause, ...] = ()
    repeated: bool = False
    resized: bool = False


class Signatures:
    """Earlier signatures, indexed by their places, so that the nearest of a thousand is found in well under 2 ms.

    The index finds those that agree with a call in the most places; among the best few the differences are counted.
    """

    def __init__(self) -> None:
        self._all: list[Signature] = []
        self._places: dict[Place, dict[Item, list[int]]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Signature]:
        return iter(self._all)

    def add(self, signature: Signature) -> None:
        holder = len(self._all)
        self._all.append(signature)
        for place, item in _places(signature):
            holders = self._places.setdefault(place, {}).setdefault(item, [])
            holders.append(holder)
            if len(holders) > 2 * HOLDERS:
                del holders[:HOLDERS]

    def nearest(self, request: Signature, distance: Callable[[Signature], tuple[int, int]]) -> Signature:
        """The signature with the least `distance` from the request, the latest of equals."""
        agreeing: Counter[int] = Counter()
        for place, item in _places(request):
            holders = self._places.get(place, {})
            if len(holders) > 1 or item not in holders:  # where all agree, nothing is decided
                agreeing.update(holders.get(item, ()))
                if item is not None:
                    agreeing.update(holders.get(None, ()))  # a dimension left open admits any size
        latest = range(len(self._all) - 1, max(len(self._all) - 1 - CANDIDATES, -1), -1)
        best = heapq.nlargest(CANDIDATES, agreeing, key=lambda holder: (agreeing[holder], holder))
        candidates = [self._all[holder] for holder in sorted({*best, *latest}, reverse=True)]
        nearest: Signature = min(candidates, key=distance)
        return nearest


def _distance(differences: Sequence[Cause]) -> tuple[int, int]:
    """How many there are; of as many, a weak type of the same dtype is nearer than another dtype."""
    return len(differences), sum(cause.code is not CauseCode.WEAK_TYPE for cause in differences)


def _places(signature: Signature) -> Iterator[tuple[Place, Item]]:
    """Every place at which two signatures can differ, with what stands there; None where anything may."""
    for leaf in signature.leaves:
        yield ("leaf", leaf.path, 0), _without_shape(leaf)
        if leaf.shape is not None:
            yield ("rank", leaf.path, 0), len(leaf.shape)
            for axis, size in enumerate(leaf.shape):
                yield ("size", leaf.path, axis), size
        elif leaf.dtype is not None:
            yield ("rank", leaf.path, 0), None
    for container in signature.structure:
        yield ("container", container.path, 0), container
    yield ("context", "", 0), tuple(sorted(signature.context.items()))


def _without_shape(leaf: Leaf) -> Item:
    """What of a leaf is not its shape; numbers by their value, since 1 and True are one to a tracer."""
    if leaf.kind == "python":
        value = number(leaf)
        return (leaf.value, leaf.type_name not in NUMBERS) if value is None else ("number", value)
    return (leaf.kind, leaf.type_name, leaf.dtype, leaf.value, leaf.identity, leaf.name, leaf.weak, leaf.requires_grad)


def _index(signatures: Iterable[Signature]) -> Signatures:
    index = Signatures()
    for signature in signatures:
        index.add(signature)
    return index


class History:
    """What one function was traced for, over all its function objects, in one process."""

    def __init__(self, dead: set[int] | None = None) -> None:
        """`dead` numbers the objects that are gone; all histories of a process share it."""
        self._everything = Signatures()
        self._objects: dict[int | None, Signatures] = {}
        self._fingerprints: dict[str, int | None] = {}  # which object made it first
        self._dead = dead if dead is not None else set()
        self._read_before: dict[str, str] = {}
        self._captured_before: dict[str | None, dict[str, str]] = {}  # of each wiring
        self._instances: set[int | None] = set()
        self._told: dict[int | None, tuple[Signature, ...]] = {}
        self._graphs: dict[int | None, dict[str, Signature]] = {}  # what each serves, by the framework's name for it
        self._ordinal = 0

    def explain(self, event: TraceEvent) -> Explained:
        """Why was this trace made? Events are to be given in the order in which they happened."""
        return self.keep(event, self.foresee(event))

    def foresee(
        self, event: TraceEvent, *, made: bool = True, under_way: Iterable[Signature] = (), graphs: Collection[str] = ()
    ) -> Foreseen:
        """What this trace is, or, where it has not been `made` yet, what it will be.

        `under_way` are traces of the same object that have not ended (it calls itself); `graphs` are fingerprints of
        traces that other objects have made and that are not kept yet.
        """
        self._dead.update(event.dead)
        own = self._objects.get(event.object)
        for signature in self._untold(event):
            own = self._add(event.object, signature)
        if event.phase == "internal":
            return Foreseen("internal")
        explain_reasons = framework_of(event.backend).explain_reasons if event.reasons else None
        if explain_reasons is not None:  # the framework says itself why nothing that it had would do
            causes = explain_reasons(event, self._graphs.get(event.object, {}))
            return Foreseen("retrace", self._as_seen(event, causes))
        own = own or _index(under_way)
        if own:
            causes = self._compare(own, event.signature) or (self._unknown(event),)
            created = {cause.code for cause in causes} == {CauseCode.VARIABLE_CREATION}
            repeated = len(self._objects) > 1 and not self._compare(self._everything, event.signature)
            return Foreseen("internal" if created else "retrace", self._as_seen(event, causes), repeated)
        if not self._objects and not graphs:
            return Foreseen("first")
        return self._foresee_new_object(event, made, graphs)

    def _untold(self, event: TraceEvent) -> list[Signature]:
        """What was traced before and is not known here: it is told again whenever another observer comes."""
        if not event.earlier or event.earlier == self._told.get(event.object):
            return []
        self._told[event.object] = event.earlier
        own = self._objects.get(event.object)
        return [signature for signature in event.earlier if own is None or signature not in own]

    def look_again(self, event: TraceEvent, graphs: Collection[str]) -> Foreseen:
        """The first trace of an object has been made. Has another object made the same graph?"""
        maker = self._fingerprints.get(event.fingerprint or "", event.object)
        if maker == event.object and event.fingerprint not in graphs:
            return Foreseen("first")
        return self._foresee_new_object(event, True, graphs)

    def _foresee_new_object(self, event: TraceEvent, made: bool, graphs: Collection[str]) -> Foreseen:
        """Another function object over the same code: the same graph again is waste, also over arrays of other sizes.

        Other operations, or wired in another way, are another model.
        """
        known = event.fingerprint is None or event.fingerprint in self._fingerprints or event.fingerprint in graphs
        resized = not known and event.wiring is not None and event.wiring in self._captured_before
        if not known and not resized:
            return Foreseen("first")
        differences = self._compare(self._everything, event.signature) if self._everything else ()
        causes = (
            explain_new_object(
                event, max(len(self._objects), 1), self._read_before, same_instance=event.instance in self._instances
            ),
            *compare_captured(self._captured_before.get(event.wiring, {}), event.captured),
            *(cause for cause in differences if cause.code not in _OWN_OBJECT),
        )
        return Foreseen("retrace" if made else None, self._as_seen(event, causes), resized=resized)

    def _compare(self, earlier: Signatures, request: Signature) -> tuple[Cause, ...]:
        def differences(other: Signature) -> list[Cause]:
            return [*compare_contexts(other, request), *compare_arguments(other, request, self._dead)]

        causes = differences(earlier.nearest(request, lambda other: _distance(differences(other))))
        users = [cause for cause in causes if cause.code is not CauseCode.VARIABLE_CREATION]
        return tuple(dict.fromkeys(users or causes))

    def _unknown(self, event: TraceEvent) -> Cause:
        reason = event.raw_reason or "an earlier trace fits this call, but the framework retraced anyway"
        return Cause(CauseCode.UNKNOWN, event.function.name, "", reason, evidence="reported")

    def _as_seen(self, event: TraceEvent, causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
        if event.raw_reason is None:
            return causes
        return tuple(  # the backend saw the outcome, not the request
            cause if cause.code is CauseCode.UNKNOWN else msgspec.structs.replace(cause, evidence="inferred")
            for cause in causes
        )

    def keep(self, event: TraceEvent, foreseen: Foreseen) -> Explained:
        """The trace has been made: later ones are compared with it."""
        phase = event.phase if event.phase == "failed" else foreseen.phase or "retrace"
        if phase != "internal":
            self._ordinal += 1
        if event.phase not in ("internal", "failed"):
            self._add(event.object, event.served)
            if event.graph is not None:
                self._graphs.setdefault(event.object, {})[event.graph] = event.served
            self._read_before |= event.reads
            self._captured_before.setdefault(event.wiring, {}).update(event.captured)
            self._instances.add(event.instance)
            if event.fingerprint:
                self._fingerprints.setdefault(event.fingerprint, event.object)
        done = msgspec.structs.replace(event, phase=phase, ordinal=self._ordinal)
        return Explained(done, foreseen.causes, foreseen.repeated, foreseen.resized)

    def _add(self, owner: int | None, signature: Signature) -> Signatures:
        signatures = self._objects.get(owner)
        if signatures is None:
            signatures = self._objects[owner] = Signatures()
            if len(self._objects) == 2:  # with one object, everything is what that one has
                self._everything = _index(self._everything)
            elif len(self._objects) == 1:
                self._everything = signatures
        signatures.add(signature)
        if self._everything is not signatures:
            self._everything.add(signature)
        return signatures


class Histories:
    """The histories of all functions of this process, for whoever explains events as they come."""

    def __init__(self) -> None:
        self._dead: set[int] = set()
        self._functions: dict[tuple[str, str], History] = {}

    def explain(self, event: TraceEvent) -> Explained:
        key = (event.backend, event.function.key)
        history = self._functions.get(key)
        if history is None:
            history = self._functions[key] = History(self._dead)
        self._dead.update(event.dead)  # told with the next event of any function
        return history.explain(event)


# An object argument of another function object says nothing about the arguments: each has its own.
_OWN_OBJECT = {CauseCode.VARIABLE_CREATION, CauseCode.IDENTITY, CauseCode.COLLECTED}
