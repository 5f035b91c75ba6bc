"""Texts of the user's in GitHub's Markdown: shown as they are, and nothing but shown."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.unit.report.made_reports import HARM
from traceonce.report.markdown.escape import LONGEST, block, cell, code, html_code, prose, sentence, visible
from traceonce.words.backticks import parts_of

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
characters = st.sampled_from("ab1_*`~|\\<>&[]()!#@$-+=.:/ \n\t\"'😀汉\u202e\x07")
texts = st.text(characters, max_size=40) | st.sampled_from(HARM)


def text_of(rendered: str) -> str:
    """What a reader sees; blanks of no width are not seen."""
    return html.unescape(re.sub(r"<[^<>]*>", "", rendered)).replace("\u200b", "").strip()


@settings(deadline=None)
@given(texts)
def test_code_in_a_line_is_one_piece_of_code(text: str) -> None:
    rendered = MARKDOWN.render(f"before {code(text)} after")
    found = re.fullmatch(r"<p>before <code>([^<]*)</code> after</p>\n", rendered)
    assert found
    assert html.unescape(found[1]) == (visible(text) or " ")


@settings(deadline=None)
@given(texts)
def test_code_in_a_table_stays_in_its_cell(text: str) -> None:
    rendered = MARKDOWN.render(f"| a | b |\n|---|---|\n| {cell(text)} | end |\n")
    first, second = re.findall(r"<td>(.*?)</td>", rendered, re.DOTALL)
    assert second == "end"
    assert re.fullmatch(r"<code>[^<]*</code>", first)
    assert text_of(first) == visible(text).strip()


@settings(deadline=None)
@given(texts)
def test_a_block_of_code_ends_where_it_should(text: str) -> None:
    rendered = MARKDOWN.render(f"{block(text, 'diff')}\n\nafter")
    assert re.fullmatch(r'<pre><code class="language-diff">[^<]*</code></pre>\n<p>after</p>\n', rendered)


@settings(deadline=None)
@given(texts)
def test_prose_is_one_paragraph_of_text(text: str) -> None:
    """Also where it begins a line: no heading, no list, no rule, no markup, no HTML."""
    rendered = MARKDOWN.render(f"{prose(text)} end")
    assert re.fullmatch(r"<p>[^<]*</p>\n", rendered)
    assert text_of(rendered).replace(" ", "") == f"{visible(text)} end".replace(" ", "").replace("\u200b", "")


@settings(deadline=None)
@given(texts)
def test_a_sentence_is_one_paragraph_of_text_and_code(text: str) -> None:
    """What stands between backticks is code, and nothing else is anything but text."""
    rendered = MARKDOWN.render(f"{sentence(text)} end")
    assert re.fullmatch(r"<p>(?:[^<]|<code>[^<]*</code>)*</p>\n", rendered)
    seen = "".join(visible(part.text) for part in parts_of(text))
    assert text_of(rendered).replace(" ", "") == f"{seen} end".replace(" ", "").replace("\u200b", "")
    found = [html.unescape(code_).strip() for code_ in re.findall(r"<code>([^<]*)</code>", rendered)]
    assert found == [visible(part.text).strip() for part in parts_of(text) if part.code]


@settings(deadline=None)
@given(texts)
def test_code_in_a_line_of_html(text: str) -> None:
    assert re.fullmatch(r"<code>[^<>\n]*</code>", html_code(text))
    assert text_of(html_code(text)) == visible(text).strip()


@pytest.mark.parametrize(
    "text", ["@octocat", "#12", "GH-12", "https://evil.example", "www.evil.example", "a@evil.example", "1@.a", "x/y#3"]
)
def test_github_finds_no_mention_reference_or_link_in_prose(text: str) -> None:
    """It looks at the text after Markdown: a blank of no width must lie where it would begin."""
    shown = html.unescape(MARKDOWN.renderInline(prose(f"see {text}")))
    assert not re.search(r"@[\w.]|#\d|GH-\d|\w://|www\.", shown, re.IGNORECASE)
    assert shown.replace("\u200b", "") == f"see {text}"


def test_what_cannot_be_seen_is_written_out() -> None:
    """Text that runs the other way could show another name than the one that is there."""
    assert visible("a\u202eb\u200bc\x07d\ne") == "a\\u202eb\\u200bc\\x07d e"


def test_a_long_text_is_cut() -> None:
    assert visible("x" * LONGEST) == "x" * LONGEST
    assert re.fullmatch(r"x+…\[10,000 characters\]…x+", visible("x" * 10_000))
    assert len(visible("x" * 10_000)) == LONGEST
