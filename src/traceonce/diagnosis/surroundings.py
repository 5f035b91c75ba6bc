"""Causes around the arguments: the context of a call, and a function that is not the one traced before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from traceonce.facts import Cause, CauseCode, Signature, TraceEvent

_ABSENT = {"graph": "eager", "scope": "creating variables", "saving": "not saving", "strategy": "no strategy"}


def compare_contexts(was: Signature, now: Signature) -> Iterator[Cause]:
    for key in sorted({*was.context, *now.context}):
        absent = _ABSENT.get(key, "none")
        before, after = was.context.get(key, absent), now.context.get(key, absent)
        if before != after:
            code = CauseCode.VARIABLE_CREATION if key == "scope" else CauseCode.CONTEXT
            yield Cause(code, key, before, after)


def compare_captured(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Cause]:
    """What the same code closed over in another size, in its last object and in this one."""
    for path, size in now.items():
        before = was.get(path, size)
        if before != size:
            dtype = size.partition("[")[0]
            start = len(dtype) if before.startswith(f"{dtype}[") else 0
            yield Cause(CauseCode.CAPTURED, path, before[start:], size[start:])


def explain_new_object(
    event: TraceEvent, objects: int, read_before: dict[str, str], *, same_instance: bool = False
) -> Cause:
    """The same code under another function object: a method of another instance, or wrapped again.

    `differs` is what it reads from outside that the last one read differently: one object could not serve both.
    """
    differs = tuple(path for path, text in event.reads.items() if read_before.get(path, text) != text)
    if event.instance is not None and not same_instance:
        code, what = CauseCode.NEW_INSTANCE, "instance"
    else:
        code, what = CauseCode.NEW_FUNCTION, "function object"
    return Cause(
        code,
        event.function.short_name,
        f"{what} {objects}",
        f"{what} {objects + 1}",
        note=", ".join(differs) or None,
        differs=differs,
    )
