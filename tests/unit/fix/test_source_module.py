"""One file of the user's: it is read as Python reads it, and places in it are found as Python counts them."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import libcst as cst
import pytest

from traceonce.facts.replay import Span
from traceonce.fix.candidate import Declined
from traceonce.fix.source.module import Module


def module(text: str) -> Module:
    return Module("m.py", text.encode())


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (b"def f(:\n", "cannot be parsed"),
        (b"# coding: nonsense\nx = 1\n", "encoding"),
        (b"x = '\xe9'\n", "encoding"),
        (b"print 'two'\n", "cannot be parsed"),
    ],
)
def test_what_cannot_be_read_is_declined(source: bytes, why: str) -> None:
    """A file in another language or encoding is not guessed at."""
    with pytest.raises(Declined, match=why):
        Module("m.py", source)


PROGRAM = """
def outer():
    return spot("é", 1), spot("second")
class Thing:
    spot = staticmethod(spot)
thing = Thing()
a = thing.spot(
    "ünï", [1,
    2])
b = (thing
     .spot("on a later line"))
c = [(spot(n)) for n in "x"]
d = {"ключ": spot("after wide characters")}; e = spot(*["starred"])
f = (spot)("brackets around the name")
\tg = 1
outer()
@spot
def decorated(): pass
@spot("made")(
    # a comment
    "and called")
def again(): pass
""".replace("\tg = 1\n", "")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not tell columns")
def test_spans_are_those_that_python_gives() -> None:
    """Every call of `spot` finds itself again in the file, by the span that the running program has."""
    spans: list[Span] = []

    def spot(*_: Any) -> Any:
        frame = sys._getframe(1)
        here = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
        line, end_line, column, end_column = here
        assert line is not None
        assert column is not None
        assert end_line is not None
        assert end_column is not None
        spans.append(Span(line, column, end_line, end_column))
        return spot

    exec(compile(PROGRAM, "m.py", "exec"), {"spot": spot})
    tree = module(PROGRAM)
    texts = [tree.code(found) if (found := tree.at(span)) else None for span in spans]
    assert texts == [
        'thing.spot(\n    "ünï", [1,\n    2])',
        '(thing\n     .spot("on a later line"))',
        "(spot(n))",
        'spot("after wide characters")',
        'spot(*["starred"])',
        '(spot)("brackets around the name")',
        'spot("é", 1)',
        'spot("second")',
        "spot",
        'spot("made")',
        'spot("made")(\n    # a comment\n    "and called")',
        'spot("made")(\n    # a comment\n    "and called")',
    ]
    assert isinstance(tree.parent(tree.at(spans[8], cst.Name) or tree.tree), cst.Decorator)
    assert tree.at(spans[0], cst.Name) is None
    assert tree.at(Span(99, 0, 99, 4)) is None


def test_functions_are_found_by_their_first_line() -> None:
    """As Python counts: the first decorator's line. Two lambdas on one line cannot be told apart."""
    tree = module("@a\n@b\ndef f(): pass\n\ndef g(): pass\nh = lambda x: x\ni = lambda: 1, lambda: 2\n")
    found = tree.function_at(1, "f")
    assert isinstance(found, cst.FunctionDef)
    assert tree.line(found) == 3
    assert tree.function_at(3, "f") is None
    assert isinstance(tree.function_at(5, "g"), cst.FunctionDef)
    assert isinstance(tree.function_at(6, "<lambda>"), cst.Lambda)
    assert tree.function_at(7, "<lambda>") is None


def test_the_statement_around_an_expression() -> None:
    """The statement of the nearest body; a body on the line of its owner counts as one."""
    tree = module("for i in y:\n    if i:\n        z = g(i) + 1\nwhile 1: g(2)\n")
    first, second = tree.nodes(cst.Call)
    assert tree.code(tree.statement(first)).strip() == "z = g(i) + 1"
    assert isinstance(tree.statement(second), cst.SimpleStatementSuite)
    assert [type(outer).__name__ for outer in tree.ancestors(first)][-3:] == ["IndentedBlock", "For", "Module"]
    assert tree.holds(tree.tree.body[0], first)
    assert not tree.holds(tree.tree.body[0], second)


FREE = [
    ("x + y.z", {"x", "y"}),
    ("f(x, key=y, *a, **k)", {"f", "x", "y", "a", "k"}),
    ("[x * n for x in xs if x > m]", {"n", "xs", "m"}),
    ("[y for x in xs for y in x for z in z0]", {"xs", "z0"}),
    ("[x for x in x]", {"x"}),
    ("{k: v for k, (v, *w) in d}", {"d"}),
    ("lambda a, b=c, *d, e=f, **g: a + b + d + e + g + h", {"c", "f", "h"}),
    ("(y := x) + y", {"x"}),
    ("[(last := x) for x in xs] + [last]", {"xs"}),
    ('f"{x!r:>{width}} {y}"', {"x", "width", "y"}),
    ("a[i:j].b", {"a", "i", "j"}),
    ("x = x + 1", {"x"}),
    ("x += 1", {"x"}),
    ("x.y = z[i] = v", {"x", "z", "i", "v"}),
    ("for i in range(n):\n    total += i\n    seen = i\n    print(seen)", {"range", "n", "total", "print"}),
    ("with open(p) as s, lock: s.read()", {"open", "p", "lock"}),
    ("try:\n    pass\nexcept E as e:\n    print(e)", {"E", "print"}),
    ("import a.b, c as d\nfrom e import g as h\na, d, h, e", {"e"}),
    ("def f(x: T = d) -> R:\n    y = x + k\n    return f(y)", {"T", "d", "R", "k"}),
    ("@dec(n)\ndef f():\n    return g", {"dec", "n", "g"}),
    ("def f():\n    print(x)\n    x = 1", {"print"}),
    ("def f():\n    nonlocal n\n    n += 1", {"n"}),
    ("def f():\n    global n\n    n = 1", {"n"}),
    ("def f(a):\n    def g():\n        return a + b + h()\n    def h(): return c\n    return g", {"b", "c"}),
    ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        a = 2", set()),
    ("class C(B, metaclass=M):\n    a = 1\n    b = a\n    def m(self): return a + C.b", {"B", "M", "a"}),
    ("class C:\n    x = x\n    n = [a for a in xs if a in x]", {"x", "xs"}),
    ("def f():\n    class C:\n        def m(self): return local\n    local = 1", set()),
    (
        "match v:\n    case Point(x=px, y=0): px\n    case [a, *r]: a, r\n    case {K.a: b, **o}: b, o",
        {"v", "Point", "K"},
    ),
    ("match v:\n    case (1 | 2) as n: n\n    case _: pass", {"v"}),
    ("del x", {"x"}),
    ("None is True or False or ...", set()),
    ("x: int = y", {"int", "y"}),
    ("async def f(p):\n    async for q in p: await q\n    return [r async for r in p]", set()),
]


@pytest.mark.parametrize(("code", "expected"), FREE)
def test_free_names(code: str, expected: set[str]) -> None:
    """What a piece of code takes from around it, by Python's rules of scope."""
    tree = module(code + "\n")
    node: cst.CSTNode = tree.tree
    if len(tree.tree.body) == 1:
        node = tree.tree.body[0]
        if isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Expr):
            node = node.body[0].value
    assert tree.free_names(node) == expected


BOUND = [
    ("def f(a, b=1, *c, d, **e):\n    g = h.i = 1", {"a", "b", "c", "d", "e", "g"}),
    ("def f():\n    for i, (j, k) in x: pass\n    with a as (b, c): pass", {"i", "j", "k", "b", "c"}),
    ("def f():\n    def g(inner): deep = 1\n    class C:\n        attribute = 1\n    lambda p: p", {"g", "C"}),
    ("def f():\n    global n\n    n = 1", {"n"}),
    (
        "def f():\n    count = 0\n    def g():\n        nonlocal count, other\n        count = other = 1",
        {"count", "g", "other"},
    ),
    ("def f():\n    [x for x in y]\n    [(z := x) for x in y]", {"z"}),
    ("@d(w := 1)\ndef f(a=(v := 2)): pass", {"a"}),
    (
        "def f():\n    try: import a.b as c, d.e\n    except E as e: pass\n    x: int\n    del q",
        {"c", "d", "e", "x", "q"},
    ),
    ("for i in y:\n    n += 1\nelse:\n    m = 1", {"i", "n", "m"}),
    ("while (k := g()):\n    pass", {"k"}),
    ("class C:\n    a = 1\n    def m(self): pass", {"a", "m"}),
    ("if a:\n    b, *c = d\n    e[f] = g.h = 1", {"b", "c"}),
]


@pytest.mark.parametrize(("code", "expected"), BOUND)
def test_names_bound_in(code: str, expected: set[str]) -> None:
    """What a scope, a loop or a statement assigns."""
    tree = module(code + "\n")
    assert tree.names_bound_in(tree.tree.body[0]) == expected


def test_type_parameters_are_names_of_their_function() -> None:
    """Of Python 3.12; here parsed only."""
    tree = module("def f[T](x: T) -> dict[T, U]:\n    y: T = x\ntype A[V] = list[V]\nclass C[W](B[W]):\n    w: W\n")
    assert tree.free_names(tree.tree.body[0]) == {"dict", "U"}
    assert tree.free_names(tree.tree.body[1]) == {"list"}
    assert tree.free_names(tree.tree.body[2]) == {"B"}
