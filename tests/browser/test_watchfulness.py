"""The checks that all other tests here rest on can fail: a bad page is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.browsing import Troubles, assert_accessible, assert_fits, english_left

BAD = """\
<!doctype html><html lang="zh"><title>bad</title><body>
<p style="width: 5000px; color: #aaa; background: #bbb">this was never translated</p><p>保留 <code>x</code></p>
<img src="http://127.0.0.1:9/outside.png"><button></button>
<script>console.error('a complaint'); throw new Error('a mistake');</script>
"""


@pytest.fixture
def bad_page(browser: Browser, tmp_path: Path) -> tuple[Page, Troubles]:
    """A page with every fault that we look for."""
    file = tmp_path / "bad.html"
    file.write_text(BAD, encoding="utf-8")
    page = browser.new_page()
    troubles = Troubles(page, file.as_uri())
    page.goto(file.as_uri())
    return page, troubles


def test_troubles_are_noticed(bad_page: tuple[Page, Troubles]) -> None:
    """What is logged, what is raised, and what is asked for elsewhere."""
    _, troubles = bad_page
    with pytest.raises(AssertionError) as found:
        troubles.assert_none()
    for part in ("a complaint", "a mistake", "http://127.0.0.1:9/outside.png"):
        assert part in str(found.value)


def test_what_was_expected_must_happen(bad_page: tuple[Page, Troubles]) -> None:
    """A trouble that a test announces is no excuse for others, and has to come."""
    _, troubles = bad_page
    for part in ("a complaint", "a mistake", "outside.png", "ERR_", "never seen"):
        troubles.expect(part)
    with pytest.raises(AssertionError, match="never seen"):
        troubles.assert_none()


def test_a_page_that_few_can_use_is_noticed(bad_page: tuple[Page, Troubles]) -> None:
    """By axe: a button without a name, a picture without a text, grey on grey."""
    page, _ = bad_page
    with pytest.raises(AssertionError) as found:
        assert_accessible(page)
    for rule in ("button-name", "image-alt", "color-contrast"):
        assert rule in str(found.value)


def test_a_page_that_is_too_wide_or_not_translated_is_noticed(bad_page: tuple[Page, Troubles]) -> None:
    """Too wide by pixels; English by its words, though not where it is code or a name."""
    page, _ = bad_page
    with pytest.raises(AssertionError, match="pixels wider"):
        assert_fits(page)
    assert english_left(page, [], []) == ["this was never translated"]
    assert english_left(page, [], ["never translated"]) == []
    assert english_left(page, ["保留"], ["never"]) == ["保留"]
