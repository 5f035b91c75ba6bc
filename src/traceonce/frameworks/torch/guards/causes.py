"""Which of the guards that failed is the cause? PyTorch names one for each earlier compilation; these rules choose.

1. The first text of an earlier compilation is the guard that PyTorch stopped at. The others of the same one, where it
   lets itself be asked, are those of further arguments that failed, too: each is a cause.
2. The *nearest* compilation is the one whose signature differs from the call in the fewest places, the latest of equals
   (or just the latest, where none of their signatures is known). Its guards are the causes: had they held, those of the
   others would not have mattered.
3. A guard of another compilation is a cause, too, where its place had another state in every signature known, and
   none of them leaves it open; one that has no such place (it had None for the tensor) does not count. So no cause
   hides behind another.
4. A size or a number that the new compilation leaves open (PyTorch does that at the second value) can come no more:
   such a cause is finite, and its note says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from traceonce.diagnosis.arguments import compare_arguments
from traceonce.diagnosis.surroundings import compare_contexts
from traceonce.facts import Cause, CauseCode, Leaf, Note, Signature, TraceEvent
from traceonce.facts.signature import describe_shape
from traceonce.facts.stack_names import is_at_break
from traceonce.frameworks.torch.guards.guard_text import Guard, read_guard
from traceonce.frameworks.torch.guards.paths import Call
from traceonce.frameworks.torch.words import OPEN_NUMBER_FROM_HERE, OPEN_SIZE_FROM_HERE, OTHER_CODE
from traceonce.words.notes import noted

_SIZE = re.compile(r"^(?P<path>.*)\.shape\[(?P<axis>\d+)\]$")


def explain_guards(event: TraceEvent, compiled: Mapping[str, Signature]) -> tuple[Cause, ...]:
    """Why an event with `reasons` was compiled; `compiled` are the signatures that earlier ones serve, by number."""
    call = Call(event.signature, event.reads, event.function.short_name)
    guards = [read_guard(reason, call) for reason in event.reasons]
    nearest = _nearest(guards, event.signature, compiled)
    known = compiled.get(nearest.compilation or "")
    causes: list[Cause] = []
    named: set[tuple[CauseCode, str]] = set()
    for guard in guards:
        for cause in guard.causes if guard is nearest or guard.compilation == nearest.compilation is not None else ():
            if (cause.code, cause.path) not in named:
                named.add((cause.code, cause.path))
                causes.append(_with_signature(cause, known, event.signature))
    for guard in guards:
        for cause in guard.causes:
            if (cause.code, cause.path) not in named and _is_new(cause, event.signature, list(compiled.values())):
                named.add((cause.code, cause.path))
                causes.append(_with_signature(cause, compiled.get(guard.compilation or ""), event.signature))
    return tuple(_bounded(cause, event) for cause in causes)


def _nearest(guards: Sequence[Guard], request: Signature, compiled: Mapping[str, Signature]) -> Guard:
    def distance(guard: Guard) -> float:
        earlier = compiled.get(guard.compilation or "")
        if earlier is None:
            return float("inf")
        return len([*compare_contexts(earlier, request), *compare_arguments(earlier, request)])

    return min(guards, key=distance)  # the latest comes first


def _is_new(cause: Cause, request: Signature, earlier: Sequence[Signature]) -> bool:
    """Is the state of this place, as it is now, in no earlier signature that has such a place?"""
    now = _state(cause, request)
    states = [state for signature in earlier if (state := _state(cause, signature)) is not None]
    return now is not None and bool(states) and not {now, "None"}.intersection(states)


def _state(cause: Cause, signature: Signature) -> str | None:
    """What stands in a signature at the place of a cause; None where it does not say."""
    if cause.code is CauseCode.CONTEXT:
        return signature.context.get(cause.path)
    size = _SIZE.match(cause.path)
    path = size["path"] if size else cause.path.removesuffix(".dtype").removesuffix(".shape")
    leaf = _leaf(signature, path.removesuffix(".requires_grad"))
    if leaf is None:
        return None
    if cause.code is CauseCode.SHAPE and size and leaf.shape is not None:
        axis = int(size["axis"])
        return str(leaf.shape[axis]) if axis < len(leaf.shape) else None
    if cause.code is CauseCode.DTYPE:
        return leaf.dtype
    if cause.code is CauseCode.RANK and leaf.shape is not None:
        return str(len(leaf.shape))
    if cause.path.endswith(".requires_grad"):
        return str(leaf.requires_grad)
    return leaf.value if cause.code is CauseCode.VALUE else None


def _leaf(signature: Signature | None, path: str) -> Leaf | None:
    return next((leaf for leaf in signature.leaves if leaf.path == path), None) if signature is not None else None


def _with_signature(cause: Cause, was: Signature | None, now: Signature) -> Cause:
    """The same in more words, where the signature of the earlier compilation is known."""
    if cause.code is CauseCode.CONTEXT and was is not None and cause.path in was.context and cause.path in now.context:
        return msgspec.structs.replace(cause, was=was.context[cause.path], now=now.context[cause.path])
    path = cause.path.removesuffix(".shape") if cause.code is CauseCode.RANK else cause.path
    before, after = _leaf(was, path), _leaf(now, path)
    if before is None or after is None:
        return cause
    if cause.code is CauseCode.RANK:
        return msgspec.structs.replace(cause, was=describe_shape(before.shape), now=describe_shape(after.shape))
    if cause.code is CauseCode.VALUE and before.value is not None:
        return msgspec.structs.replace(cause, was=before.value)
    if cause.code is CauseCode.KIND and before.type_name == after.type_name == "Tensor":
        return cause
    if any(note.code == OTHER_CODE.code for note in cause.coded_notes):  # it says more: two lambdas have one name
        return cause
    if cause.code in (CauseCode.KIND, CauseCode.IDENTITY):
        text = before.type_name if before.kind == after.kind == "tensor" else _describe(before)
        later = after.type_name if before.kind == after.kind == "tensor" else _describe(after)
        return msgspec.structs.replace(cause, was=text or cause.was, now=later or cause.now)
    return cause


def _describe(leaf: Leaf) -> str:
    """A leaf in words; of a number that was left open there is its type alone."""
    left_open = leaf.kind == "python" and leaf.value is None
    return leaf.type_name if left_open and leaf.type_name else leaf.describe()


def _bounded(cause: Cause, event: TraceEvent) -> Cause:
    """Rule 4."""
    size = _SIZE.match(cause.path) if cause.code is CauseCode.SHAPE else None
    leaf = _leaf(event.traced, size["path"] if size else cause.path)
    if leaf is None:
        return cause
    if (
        size
        and leaf.shape is not None
        and int(size["axis"]) < len(leaf.shape)
        and leaf.shape[int(size["axis"])] is None
    ):
        return _left_open(cause, OPEN_SIZE_FROM_HERE())
    number = cause.code is CauseCode.VALUE or is_at_break(cause.path)
    if number and leaf.kind == "python" and leaf.value is None:
        return _left_open(cause, OPEN_NUMBER_FROM_HERE())
    return cause


def _left_open(cause: Cause, note: Note) -> Cause:
    place = cause.coded_notes if is_at_break(cause.path) else ()
    return noted(msgspec.structs.replace(cause, finite=True), *place, note)
