"""What an expression says of itself: its branches, its fixed characters, the words that a text must have."""

from __future__ import annotations

import random

import pytest
import re2

from traceonce.knowledge.expressions import branches_of, tokens_of


@pytest.mark.parametrize(
    ("pattern", "fixed"),
    [
        ("abc", 3),
        (r"a\.c", 3),
        ("a.c", 2),
        ("ab?c", 2),
        ("ab*c+", 2),
        ("a{3}b{0,2}c{2,}", 5),
        ("[abc]d", 1),
        (r"[]\]x]d", 1),
        (r"\d+ \w\s\btimes\b", 7),
        ("(?:abc|de)f", 3),
        ("(?P<function>[^']+)' was", 5),
        ("(?:abc)?d", 1),
        ("^abc$", 3),
        (r"\(a\|b\)", 5),
        (r"a(?:\(b|[(]c)d", 3),
        ("重新?追踪", 9),
    ],
)
def test_fixed_characters(pattern: str, fixed: int) -> None:
    [branch] = branches_of(pattern)
    assert branch.fixed == fixed


def test_branches_at_the_top_are_apart_and_keep_their_flags() -> None:
    assert [(branch.pattern, branch.fixed) for branch in branches_of("ab|c(?:d|e)|[|]f")] == [
        ("ab", 2),
        ("c(?:d|e)", 2),
        ("[|]f", 1),
    ]
    assert [(branch.pattern, branch.required) for branch in branches_of("(?i)x ONE y|two")] == [
        ("(?i)x ONE y", frozenset()),
        ("(?i)two", frozenset()),
    ]


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("has been retraced ", {"been", "retraced"}),
        ("has been retraced", {"been"}),
        (r"a\s+symbolic\s+tensor of", {"symbolic", "tensor"}),
        ("a one? two three", {"two"}),
        ("a (?:one) b", {"one"}),
        ("a (?:one|two) b", set()),
        ("a (?:one)? b", set()),
        ("x (?P<function>.*) is y", {"is"}),
        ("重新追踪", {"重新", "新追", "追踪"}),
        ("重新?追踪", {"追踪"}),
    ],
)
def test_what_a_text_must_have(pattern: str, required: set[str]) -> None:
    [branch] = branches_of(pattern)
    assert branch.required == required


PIECES = {  # of expressions, and what they match
    "ab": ["ab"],
    " ": [" "],
    " d ": [" d "],
    "e?": ["", "e"],
    "f*": ["", "f", "ff"],
    "[gh]": ["g", "h"],
    "(?:ab|cd)": ["ab", "cd"],
    "(?:e )?": ["", "e "],
    r"\s+": [" "],
    "重新": ["重新"],
    "追?": ["", "追"],
    "(?: c d )": [" c d "],
    ".": ["x", " ", "追"],
    r"(?:\( |\) )": ["( ", ") "],
    r"\(": ["("],
    "[()] ": ["( ", ") "],
}


def test_a_text_that_matches_always_has_what_is_required() -> None:
    """Random expressions, and texts that they match: no match may be lost by looking at words first."""
    chance = random.Random(4)
    checked = 0
    for _ in range(3_000):
        chosen = chance.choices(list(PIECES), k=chance.randint(2, 9))
        instance = "".join(chance.choice(PIECES[piece]) for piece in chosen)
        text = " ".join(
            f"{chance.choice(['', 'a', 'b ', '新'])}{instance}{chance.choice(['', 'c', ' d', '踪'])}".split()
        )
        [branch] = branches_of("".join(chosen))
        if branch.required and re2.search(branch.pattern, text):
            checked += 1
            assert branch.required <= tokens_of(text), (branch.pattern, text)
    assert checked > 500


@pytest.mark.parametrize("pattern", ["(", "[", "a)", "(?P<n", "a{", "\\", "*", "(?:", "[[:alpha:", "a|", ""])
def test_what_is_no_expression_does_no_harm(pattern: str) -> None:
    assert branches_of(pattern)
