"""`__eq__` is written from what `__hash__` compares, or from the fields of `__init__`; else it is said why not."""

from __future__ import annotations

from typing import Any

import libcst as cst
import pytest

from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.equality import compare_contents

INIT = """\
class Grid:
    def __init__(self, size, step=0.1):
        self.size, self._cache = size, None
        self.size = size
        if step:
            self.step: float = step
"""
IDENTITY = """
    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)
"""


def with_equality(source: str) -> str:
    edits = Edits({"grid.py": source.encode()})
    module = edits.module("grid.py")
    (definition,) = module.nodes(cst.ClassDef)
    compare_contents(edits, module, definition)
    return edits.results()["grid.py"].decode()


@pytest.mark.parametrize(
    ("hashed", "compared"),
    [
        ("(self.a, self.b.c)", "(other.a, other.b.c) == (self.a, self.b.c)"),
        ("self.a", "other.a == self.a"),
        ("(type(self), self.a)", "(type(other), other.a) == (type(self), self.a)"),
        ("tuple(sorted(self.a.items()))", "tuple(sorted(other.a.items())) == tuple(sorted(self.a.items()))"),
        ("frozenset(self.a) or self.b", "(frozenset(other.a) or other.b) == (frozenset(self.a) or self.b)"),
    ],
)
@pytest.mark.parametrize("equality", ["", "    def __eq__(self, other):\n        return self.a is other.a\n\n"])
def test_from_what_the_hash_compares(hashed: str, compared: str, equality: str) -> None:
    own_hash = f'    def __hash__(self):\n        """By contents."""\n        return hash({hashed})\n'
    after = with_equality(f"class Grid(Base):\n{equality}{own_hash}")
    written = f"    def __eq__(self, other):\n        return type(other) is type(self) and {compared}\n"
    first, second = (written, own_hash) if equality else (own_hash, written)
    assert after == f"class Grid(Base):\n{first}\n{second}"


@pytest.mark.parametrize("methods", ["", IDENTITY])
def test_from_the_fields_that_init_sets(methods: str) -> None:
    after = with_equality(INIT.replace("self.size, self._cache = size, None\n", "pass\n") + methods)
    defined: list[dict[str, Any]] = [{}, {}]
    for namespace in defined:
        exec(after, namespace)
    one, other = (namespace["Grid"] for namespace in defined)
    grids = one(3), one(3), one(4), one(3, 0.5)
    assert grids[0] == grids[1]
    assert hash(grids[0]) == hash(grids[1])
    assert len({*grids}) == 3
    assert grids[0] != other(3)
    assert "is other\n" not in after
    assert "id(self)" not in after


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "class Grid:\n    def __hash__(self):\n        return hash(self)\n",
            "does not return the hash of its attributes",
        ),
        ("class Grid:\n    def __hash__(self):\n        return hash((id(self), self.a))\n", "does not return the hash"),
        ("class Grid:\n    def __hash__(self):\n        return self.a\n", "does not return the hash"),
        ("class Grid:\n    def __eq__(self, other):\n        return self.a == other.a\n", "defines its own __eq__"),
        ("class Grid:\n    a: int = 3\n", "does not set all its fields itself"),
        (
            "class Grid(Base):\n    def __init__(self, a):\n        super().__init__(a)\n        self.b = a\n",
            "all its fields",
        ),
        (INIT, "does not set all its fields itself"),
    ],
)
def test_what_is_left_to_its_author(source: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        with_equality(source)
