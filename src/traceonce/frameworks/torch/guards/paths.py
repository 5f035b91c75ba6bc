"""The places that guards of PyTorch look at, as their author would write them, and what stands there in a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from traceonce.facts import Container, Leaf, Signature
from traceonce.facts.signature import PARAMETERS
from traceonce.facts.stack_names import name_stack

BREAK = "graph break"  # among what was looked up: where it is
BASE = "._base"  # of a view: the tensor that it looks into
PATH = re.compile(r"(?:[LG]\['\w+'\]|[A-Za-z_]\w*)(?:\.\w+|\[(?:\d+|'[^']*')\])*")


CELL = re.compile(r"\.__closure__\[(\d+)\]\.cell_contents")


class Call(NamedTuple):
    """The call that the guards refused: its signature, and what else they looked at, by path."""

    signature: Signature
    reads: Mapping[str, str] = {}
    function: str = ""

    def leaf(self, path: str) -> Leaf | None:
        return next((leaf for leaf in self.signature.leaves if leaf.path == path), None)

    def container(self, path: str) -> Container | None:
        return next((container for container in self.signature.structure if container.path == path), None)

    def is_parameter(self, path: str) -> bool:
        declared = next((each for each in self.signature.structure if each.type_name == PARAMETERS), None)
        return declared is None or root_of(path) in declared.keys

    def name_variables(self, path: str) -> str:
        """``rate (closed over by act)``, of ``act.__closure__[1].cell_contents``."""
        if path.startswith("len(") and path.endswith(")"):
            return f"len({self.name_variables(path[4:-1])})"
        cells = [cell for cell in CELL.finditer(path) if variable_key(path[: cell.end()]) in self.reads]
        if not cells:
            return path
        last = cells[-1]
        name = self.reads[variable_key(path[: last.end()])]
        return f"{name}{path[last.end() :]} (closed over by {self.name_variables(path[: last.start()])})"

    def now(self, raw: str, otherwise: str = "another value") -> str:
        """What stands at a path now, in words."""
        path = readable(raw)
        leaf, container = self.leaf(path), self.container(path)
        if leaf is not None:
            return leaf.describe()
        if container is not None:
            return f"a {container.type_name} of {len(container.keys)}"
        return self.reads.get(raw, self.reads.get(path, otherwise))

    def type_now(self, raw: str) -> str:
        path = readable(raw)
        leaf, container = self.leaf(path), self.container(path)
        if leaf is not None:
            return "None" if leaf.kind == "none" else leaf.type_name or leaf.kind
        if container is not None:
            return container.type_name
        return type_name_of(self.reads.get(f"type({raw})", "another type"))


def readable(raw: str) -> str:
    """A path as the author would write it: ``L['self']._modules['l']._parameters['bias']`` is ``self.l.bias``."""
    path = name_stack(re.sub(r"\b[LG]\['(\w+)'\]", r"\1", raw.strip()))
    path = re.sub(r"^___from_numpy\((.+)\)$", r"\1", path)
    path = re.sub(r"\._(?:modules|parameters|buffers)\['(\d+)'\]", r"[\1]", path)
    return re.sub(r"\.(?:_modules|_parameters|_buffers|__dict__)\['(\w+)'\]", r".\1", path)


def variable_key(path: str) -> str:
    """Under which a looked-up name of a variable lies; `path` is that of its cell."""
    return f"variable({readable(path)})"


def readable_all(text: str) -> str:
    return PATH.sub(lambda match: readable(match.group()), text)


def root_of(path: str) -> str:
    match = re.match(r"\w+", path)
    return match.group() if match else path


def type_name_of(text: str) -> str:
    name = text.rpartition(".")[2]
    return "None" if name == "NoneType" else name
