"""Texts that would do something to a terminal or a CI system, and what must not be in anything that is printed."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

TITLE = "\x1b]0;owned\x07"
HOSTILE = (
    TITLE,
    "\x1b[2J\x1b[31mred",
    "\x9b31m C1",
    "name\n::add-mask::secret",
    "::error::no",
    "  ::add-path::/tmp",
    "##[group]x",
    "##vso[task.setvariable variable=a]b",
    "safe\u202egnp.exe",
    "\u2066x\u2069 \u200e\u200f\u061c",
    "zero\u200bwidth pass\u200cword \ufeff \u00ad",
    "two\u2028lines\u2029here\x85and\x0bmore\x0c",
    "over\rwritten\b\b\x7f",
    "half \udcff \ud800",
    "tag \U000e0041 filler \u3164 selector a\ufe0f\U000e0100",
    "[bold]markup[/] [/] :smile:",
    "$(id) `id` 'it' \"is\" \\ -x",
)
_characters = st.sampled_from("".join(HOSTILE)) | st.characters(exclude_categories=())  # halves of characters, too
hostile = st.sampled_from(HOSTILE) | st.text(_characters, max_size=30)
unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])  # no clock decides
_JOINERS = "\u200c\u200d"  # which ordinary text has between some letters


def assert_safe(printed: str, own: str = r"(?!)") -> None:
    """Every character can be seen, but for the ends of lines; no line is a command, unless it matches `own`."""
    hidden = {
        char
        for char in printed
        if char not in "\n" + _JOINERS and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    assert not hidden, (hidden, printed)
    for line in printed.split("\n"):
        assert not re.match(r"\s*::", line) or re.match(own, line), line
        assert not re.search(r"##\w*\[", line), line
