"""Which names a function binds and which it takes from outside: as Python's own compiler says, by `symtable`."""

from __future__ import annotations

import symtable
from collections.abc import Iterable, Iterator
from pathlib import Path

import libcst as cst
import pytest

import traceonce
from traceonce.fix.source.module import Module, walk

HARD = """
def patterns(v):
    match v:
        case Point(x=px, y=0): return px
        case [a, *r]: return a, r
        case {K.a: b, **o}: return b, o
        case (1 | 2) as n: return n

def walrus(xs):
    return [(last := x) for x in xs] + [last]

def class_scope(xs):
    class C:
        x = xs
        n = [a for a in x]
        def m(self): return C.n
    return C

def deleted(q):
    del q
    try: pass
    except E as e: print(e)

def rebound():
    a = 1
    def inner():
        nonlocal a
        for a in range(3): pass
    return inner

def lambdas(a=b):
    return lambda c, d=a: c + d + e

def imports():
    import p.q as r, s.t
    from u import v as w
    return r, s, w, t

def declared():
    global G
    G += 1
    import H
    def inner(): return H, G

async def asynchronous(p):
    async for q in p: await q
    return [r async for r in p]

def annotated(x: T = d) -> R:
    y: int
    z: L = k
    return y, z

def comprehensions(m):
    return {k: v for k, (v, *w) in d for u in k if (t := u)}, t

def formatted(width):
    return f"{x!r:>{width}} {y}"

def managed():
    with open(p) as (a, *b), lock as c.d: return a, b
"""
FIX = Path(traceonce.__file__).parent / "fix"
OURS = sorted(str(file.relative_to(FIX)) for file in FIX.glob("source/*.py"))


def inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """A scope and all scopes in it."""
    yield table
    for inner in table.get_children():
        yield from inside(inner)


def bound(table: symtable.SymbolTable) -> set[str]:
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}


def rebound(table: symtable.SymbolTable) -> set[str]:
    """What it declares `global` or `nonlocal`, or something in it does."""
    symbols = (symbol for part in inside(table) for symbol in part.get_symbols())
    return {symbol.get_name() for symbol in symbols if symbol.is_declared_global() or symbol.is_nonlocal()}


def taken(table: symtable.SymbolTable) -> set[str]:
    """What it takes from outside, or something in it does; all that is free further in is free here, or bound."""
    free = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_free()}
    symbols = (symbol for part in inside(table) for symbol in part.get_symbols())
    return (free | {symbol.get_name() for symbol in symbols if symbol.is_global()}) - {"__class__"}


def names_in(nodes: Iterable[cst.CSTNode | None]) -> set[str]:
    return {name.value for node in nodes if node for name in walk(node) if isinstance(name, cst.Name)}


@pytest.mark.parametrize(
    "code", [HARD, *((FIX / file).read_text(encoding="utf-8") for file in OURS)], ids=["hard", *OURS]
)
def test_as_the_compiler_says(code: str) -> None:
    """Beside that, ours has what is evaluated around the function: decorators, defaults, annotations."""
    code = code.replace("from __future__ import annotations", "")  # with it, annotations are no code
    module = Module("code.py", code.encode())
    compared = 0
    for table in inside(symtable.symtable(code, "code.py", "exec")):
        node = module.function_at(table.get_lineno(), table.get_name())
        if table.get_type() != "function" or not isinstance(node, cst.FunctionDef):
            continue
        compared += 1
        name = node.name.value
        own, free = module.names_bound_in(node), module.free_names(node)
        around = names_in((*node.decorators, node.params, node.returns))
        targets = names_in(part.target for part in walk(node) if isinstance(part, cst.CompFor))
        assert own - bound(table) <= rebound(table), name
        assert bound(table) - own <= targets, name  # since Python 3.12 they are in the scope of the function
        assert free - taken(table) <= around, name
        assert taken(table) - free <= {name}, name
    assert compared >= code.startswith("\ndef") * 14
