"""Foreign text made safe to print: what cannot be seen is written out, ordinary text of every script stays."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given

from tests.unit.hostile_texts import HOSTILE, assert_safe, hostile, unhurried
from traceonce.facts import CallSite, Cause, CauseCode, FunctionId
from traceonce.facts.printable import LONGEST, cut, in_line, in_lines, printable, visible

ORDINARY = (
    "train_step",
    "größer naïve ½ × — “quoted” …",
    "عربي עברית ไทย हिन्दी 中文　全角 日本語 한국어",
    "می‌خواهم क्‍ष",  # joiners between letters are spelling here
    "😀 👩‍💻 ❤️ 1️⃣ 👍🏽 🇩🇪",
    "a\u00a0b\u202fc",  # blanks that do not break
    "a::b std::vector #[x] ## heading",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    assert in_line(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;x\x07", "\\x1b]0;x\\x07"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202ea\u2028\x9b", "\\u202ea\\u2028\\x9b"),
        ("\udcff\U000e0041", "\\udcff\\U000e0041"),
        ("pass\u200cword", "pass\\u200cword"),
        ("a\ufe0f \u3164", "a\\ufe0f \\u3164"),
        ("::x", "\\x3a:x"),
        (" \u3000::x::y", " \u3000\\x3a:x::y"),
        ("a ##[x] ###vso[y]", "a \\x23#[x] #\\x23#vso[y]"),
    ],
)
def test_what_cannot_be_seen_or_has_power_is_written_out(text: str, shown: str) -> None:
    assert in_line(text) == shown


@unhurried
@given(hostile)
def test_a_line_is_safe_and_made_safe_once(text: str) -> None:
    shown = in_line(text)
    assert_safe(shown)
    assert "\n" not in shown
    assert in_line(shown) == shown


@unhurried
@given(hostile)
def test_lines_are_safe_each(text: str) -> None:
    assert_safe("\n".join(in_lines(text)))


def test_lines_keep_their_breaks_and_the_indentation() -> None:
    assert in_lines("a\r\n\tb\n::c") == ["a", "    b", "\\x3a:c"]


@pytest.mark.parametrize("most", [40, 41, 600])
def test_a_long_text_is_cut_in_its_middle_and_says_how_long_it_was(most: int) -> None:
    text = "".join(str(number % 10) for number in range(12_345))
    short = cut(text, most)
    found = re.fullmatch(r"(\d+)…\[12,345 characters\]…(\d+)", short)
    assert found
    assert text.startswith(found[1])
    assert text.endswith(found[2])
    assert len(short) == most
    assert cut(text[:most], most) == text[:most]


class Both(NamedTuple):
    function: FunctionId
    causes: list[Cause]


def test_facts_are_cut_and_visible_field_by_field() -> None:
    long = "x" * 5_000
    made = Both(FunctionId(long, "a\x1b.py"), [Cause(CauseCode.VALUE, long, "1", long, values=(long, "2"))])
    shown = printable(made)
    assert isinstance(shown, Both)
    assert len(shown.function.name) == LONGEST["name"]
    assert shown.function.file == "a\\x1b.py"
    (cause,) = shown.causes
    assert cause.code is CauseCode.VALUE
    assert (len(cause.path), cause.was, len(cause.now)) == (LONGEST["path"], "1", LONGEST["now"])
    assert [len(value) for value in cause.values] == [LONGEST["values"], 1]


def test_facts_that_need_no_change_are_the_same() -> None:
    site = CallSite("train.py", 3)
    assert printable(site) is site
    assert printable((site, None, 3)) == (site, None, 3)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_to_be_kept_is_kept(text: str) -> None:
    assert visible(text, keep=text) == text
