"""What a new graph was made for: the sizes and numbers that PyTorch left open; its size, and where it breaks."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import msgspec

from traceonce.facts import Leaf, Signature
from traceonce.facts.stack_names import name_stack
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.torch.probes import Probes

BRANCHING = "Data-dependent branching"  # PyTorch's heading where it cannot go on
_NOT_TRACED = re.compile(r"Dynamo does not know how to trace (?:the )?builtin(?: operator)? `([^`]+)`")


class OpenSizes:
    """What the graph of one compilation takes, by path: which dimensions are open; none for an open number."""

    def __init__(self, renamed: tuple[tuple[str, str], ...] = ()) -> None:
        self._renamed = renamed
        self.nodes: int | None = None
        self.open: dict[str, set[int]] = {}

    def read(self, torch: Any, graph_module: Any) -> None:
        """Look at a graph that is about to be handed to the backend."""
        nodes = list(graph_module.graph.nodes)
        self.nodes = len(nodes)
        for node in nodes:
            if node.op != "placeholder":
                continue
            source = getattr(node.meta.get("grapharg"), "source", None)
            path = _path(source, self._renamed)
            example = node.meta.get("example_value")
            if path is None:
                continue
            if isinstance(example, torch.SymInt):
                self.open.setdefault(path, set())
            elif isinstance(example, torch.Tensor):
                sizes = {axis for axis, size in enumerate(example.shape) if isinstance(size, torch.SymInt)}
                self.open.setdefault(path, set()).update(sizes)

    def widen(self, signature: Signature) -> Signature | None:
        """The signature that this graph serves, where that is wider than the one it was asked for."""
        leaves = tuple(self._widen(leaf) for leaf in signature.leaves)
        return msgspec.structs.replace(signature, leaves=leaves) if leaves != signature.leaves else None

    def _widen(self, leaf: Leaf) -> Leaf:
        if leaf.path not in self.open:
            return leaf
        if leaf.kind == "python":
            return msgspec.structs.replace(leaf, value=None)
        axes = self.open[leaf.path]
        if not axes or leaf.shape is None:
            return leaf
        shape = tuple(None if axis in axes else size for axis, size in enumerate(leaf.shape))
        return msgspec.structs.replace(leaf, shape=shape, stride=None)


def _path(source: Any, renamed: tuple[tuple[str, str], ...]) -> str | None:
    name = getattr(source, "name", None)
    with contextlib.suppress(Exception):
        name = name() if callable(name) else name  # a method until 2.9
    if not isinstance(name, str):
        return None
    path = name_stack(re.sub(r"L\['(\w+)'\]", r"\1", name))
    path = re.sub(r"^___from_numpy\((.+)\)$", r"\1", path)
    for pattern, known in renamed:
        path = re.sub(pattern, known, path)
    return path


def graph_breaks(probes: Probes, places: Places, since: int) -> tuple[str, ...]:
    """Where PyTorch cut a function, and why, in its own words; the same break tried twice is one."""
    found: dict[str, None] = {}
    for reason in probes.utils.graph_break_reasons[since:]:
        text = _in_words(str(reason.reason))
        place = reason.user_stack[-1] if reason.user_stack else None
        where = f" ({places.shorten(place.filename)}:{place.lineno})" if place is not None else ""
        found[text + where] = None
    return tuple(found)


def break_of(error: BaseException, places: Places, what: str) -> str:
    """The place at which PyTorch gave `what` up, and why."""
    stack = getattr(error, "real_stack", None)
    where = f" ({places.shorten(stack[-1].filename)}:{stack[-1].lineno})" if stack else ""
    return f"{_in_words(str(error))}{where}; {what} runs as plain Python"


def _in_words(reason: str) -> str:
    """PyTorch's own heading of a reason, and which function it is about, where the heading leaves that out."""
    heading, _, more = reason.partition("\n")
    heading = heading.strip()
    if heading.startswith("generic_jump "):  # what it says to itself, where it goes on in two parts
        return BRANCHING
    named = _NOT_TRACED.search(more)
    return f"{heading} `{named[1]}`" if named and "`" not in heading else heading
