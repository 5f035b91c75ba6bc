"""How often would it have been traced, had the function been another? Answered by replaying the recorded signatures.

Only calls that missed the cache are recorded. The others were served by a trace that is recorded, and a change
that makes signatures more alike never makes such a call a miss: so the misses are enough to count with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

import msgspec

from traceonce.facts import Leaf, Signature, TraceEvent
from traceonce.fix.signatures.trace_cache import TraceCache

SignatureChange: TypeAlias = Callable[[Signature], Signature]
LeafChange: TypeAlias = Callable[[Leaf], Leaf]
Place: TypeAlias = tuple[str, int]  # a file and a line

LIFTABLE = ("int", "float")  # Python types that a scalar tensor can stand for
FLAG = "bool"  # likewise, of dtype bool alone


def unchanged(signature: Signature) -> Signature:
    return signature


def predict_traces(
    events: Sequence[TraceEvent], change: SignatureChange = unchanged, *, relax: bool = False, one_object: bool = False
) -> int:
    """The traces that are left when every request is changed by `change`.

    1. Every function object has a cache of its own; with `one_object` they all share one (in one process).
    2. A request that a kept signature admits is a hit. Any other is one more trace, kept for the rest of the run.
    3. With reduced retracing (`relax`, or where the function has it) a miss is first joined with the kept signatures,
       oldest first; one that it cannot be joined with is passed over.
    4. What the framework traced on its own account (to create variables) and what raised counts for nothing.
    """
    caches: dict[tuple[str, int | None], TraceCache] = {}
    traces = 0
    for event in events:
        if event.kind != "trace" or event.phase in ("internal", "failed"):
            continue
        key = (event.process, None if one_object else event.object)
        if key not in caches:
            caches[key] = TraceCache()
            for known in event.earlier:
                caches[key].add(_key(change(known)))
        kept, request = caches[key], _key(change(event.signature))
        if kept.admits(request):
            continue
        traces += 1
        kept.add(kept.generalise(request) if relax or event.reduce_retracing else request)
    return traces


def _key(signature: Signature) -> Signature:
    """What a trace is looked up by. The trace after the variables were made repeats the one that made them."""
    context = {name: value for name, value in signature.context.items() if name != "scope"}
    return msgspec.structs.replace(signature, context=context) if context != signature.context else signature


def each_leaf(change: LeafChange) -> SignatureChange:
    """A change of signatures from one of leaves."""

    def changed(signature: Signature) -> Signature:
        return msgspec.structs.replace(signature, leaves=tuple(map(change, signature.leaves)))

    return changed


def in_turn(*changes: SignatureChange) -> SignatureChange:
    def changed(signature: Signature) -> Signature:
        for change in changes:
            signature = change(signature)
        return signature

    return changed


def lift(dtypes: Mapping[str, str]) -> SignatureChange:
    """Python numbers and flags at these paths become scalar tensors of these dtypes; what is a tensor stays one."""

    def lifted(leaf: Leaf) -> Leaf:
        liftable = (FLAG,) if dtypes.get(leaf.path) == FLAG else LIFTABLE
        if leaf.path in dtypes and leaf.kind == "python" and leaf.type_name in liftable:
            return Leaf(leaf.path, "tensor", dtype=dtypes[leaf.path], shape=())
        return leaf

    return each_leaf(lifted)


def cast(dtypes: Mapping[str, str]) -> SignatureChange:
    """Tensors (and Python numbers) at these paths come as tensors of these dtypes."""

    def cast_leaf(leaf: Leaf) -> Leaf:
        if leaf.path in dtypes and leaf.kind == "tensor":
            return msgspec.structs.replace(leaf, dtype=dtypes[leaf.path])
        return leaf

    return in_turn(each_leaf(cast_leaf), lift(dtypes))


def by_contents(paths: frozenset[str]) -> SignatureChange:
    """Objects at these paths are compared by what they hold, as far as that is known, and no longer by identity."""
    return _known_by(lambda leaf: leaf.contents, paths)


def by_name(paths: frozenset[str]) -> SignatureChange:
    """Callables at these paths are kept: those of one name are one object."""
    return _known_by(lambda leaf: leaf.value, paths)


def _known_by(text_of: Callable[[Leaf], str | None], paths: frozenset[str]) -> SignatureChange:
    def known(leaf: Leaf) -> Leaf:
        text = text_of(leaf) if leaf.path in paths and leaf.kind == "object" else None
        return leaf if text is None else Leaf(leaf.path, "spec", type_name=leaf.type_name, value=text)

    return each_leaf(known)


def replay_kept(events: Sequence[TraceEvent], paths: frozenset[str], lines: Collection[Place]) -> int | None:
    """The traces that are left when the callables at these paths are kept; None where that cannot be told.

    A function or a method is known by its name. Lambdas are all called alike, and so are partials of one function:
    those that were passed from different lines may be one or several. `lines` have more than one call of the function.
    """
    places: dict[tuple[str, str | None], set[Place | None]] = {}
    for event in events:
        for leaf in event.signature.leaves:
            if leaf.path in paths and _is_nameless(leaf):
                places.setdefault((leaf.path, leaf.value), set()).add(_place(event))
    if any(len(found) > 1 or found & set(lines) for found in places.values()):
        return None
    return predict_traces(events, by_name(paths))


def _is_nameless(leaf: Leaf) -> bool:
    return leaf.kind == "object" and (leaf.type_name == "partial" or (leaf.value or "").endswith("<lambda>"))


def _place(event: TraceEvent) -> Place | None:
    return (event.call_site.file, event.call_site.line) if event.call_site is not None else None
