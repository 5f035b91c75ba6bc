"""Causes in the arguments: what in a call could not use an earlier trace."""

from __future__ import annotations

from collections.abc import Iterator, Set

from traceonce.facts import Cause, CauseCode, Container, Difference, Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, ASPECTS, DEFAULTS
from traceonce.words.notes import noted
from traceonce.words.notes.causes import PRINTS_THE_SAME

SEQUENCES = {"list", "tuple", ARGUMENTS}
# What can differ of an argument is a cause of its own, of the same name, but for these.
_PART_OF = {
    "type": CauseCode.SPEC,
    "name": CauseCode.SPEC,
    "trainable": CauseCode.SPEC,
    "static": CauseCode.STATIC_ARGUMENT,
    "stride": CauseCode.GUARD,
    "requires_grad": CauseCode.GUARD,
}
CODES = {aspect: _PART_OF.get(aspect) or CauseCode(aspect) for aspect in ASPECTS}


def compare_arguments(was: Signature, now: Signature, dead: Set[int] = frozenset()) -> Iterator[Cause]:
    """Why a trace made for `was` could not serve the call `now`; `dead` numbers the objects that are gone."""
    old_leaves = {leaf.path: leaf for leaf in was.leaves}
    new_leaves = {leaf.path: leaf for leaf in now.leaves}
    old_containers = {container.path: container for container in was.structure}
    new_containers = {container.path: container for container in now.structure}
    for path, container in new_containers.items():
        if container.type_name == DEFAULTS:  # what a call leaves out stands among its arguments
            continue
        if path in old_containers:
            yield from _compare_containers(old_containers[path], container)
        elif path in old_leaves:
            yield _changed_kind(path, old_leaves[path].describe(), f"a {container.type_name}")
    for path, leaf in new_leaves.items():
        if path in old_leaves:
            yield from compare_leaves(old_leaves[path], leaf, dead)
        elif path in old_containers:
            yield _changed_kind(path, f"a {old_containers[path].type_name}", leaf.describe())


def _changed_kind(path: str, was: str, now: str) -> Cause:
    return Cause(CauseCode.KIND, path, was, now, finite="None" in (was, now))


def _compare_containers(was: Container, now: Container) -> Iterator[Cause]:
    if was.type_name != now.type_name:
        yield Cause(CauseCode.STRUCTURE, now.path, was.type_name, now.type_name)
    elif was.keys == now.keys:
        return
    elif now.type_name in SEQUENCES:
        yield Cause(CauseCode.STRUCTURE, f"len({now.path})", str(len(was.keys)), str(len(now.keys)))
    else:
        yield Cause(CauseCode.STRUCTURE, now.path, f"keys {_keys(was)}", f"keys {_keys(now)}")


def _keys(container: Container) -> str:
    return ", ".join(container.keys[:12]) + (", …" if len(container.keys) > 12 else "") or "none"


def compare_leaves(was: Leaf, now: Leaf, dead: Set[int] = frozenset()) -> Iterator[Cause]:
    for difference in was.differences(now):
        yield _cause(difference, was, now, dead)


def _cause(difference: Difference, was: Leaf, now: Leaf, dead: Set[int]) -> Cause:
    code = CODES[difference.aspect]
    if code is CauseCode.IDENTITY and was.identity in dead:
        code = CauseCode.COLLECTED
    if now.kind == "spec" and was.kind == "spec" and code is not CauseCode.UNEQUAL:
        code = CauseCode.SPEC
    cause = Cause(
        code,
        difference.place(now.path),
        difference.was,
        difference.now,
        type_name=now.type_name,
        finite=(code in (CauseCode.VALUE, CauseCode.STATIC_ARGUMENT) and was.type_name == now.type_name == "bool")
        or (code is CauseCode.KIND and "none" in (was.kind, now.kind)),
        note=(now.unequal_by or was.unequal_by) if difference.aspect == "unequal" else None,
    )
    alike = difference.aspect == "static" and difference.was == difference.now
    return noted(cause, PRINTS_THE_SAME()) if alike else cause
