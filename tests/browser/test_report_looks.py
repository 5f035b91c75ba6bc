"""The report in both languages, both themes, and on a phone: for everybody."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.browsing import PHONE, OpenPage, assert_accessible, assert_fits, english_left, wait_for_background
from tests.browser.report_parts import open_every_card
from tests.browser.reports import Reports, words_of_report

LOOKS = [("en", "light"), ("en", "dark"), ("zh", "light"), ("zh", "dark")]


@pytest.mark.parametrize(("language", "theme"), LOOKS)
def test_it_is_accessible(open_report: OpenPage, language: str, theme: str) -> None:
    """With every card open, in both languages and both themes, axe finds nothing serious."""
    page = open_report("translate_fixed", language=language, color_scheme=theme)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    open_every_card(page)
    assert_accessible(page)


@pytest.mark.parametrize(
    "name", ["translate", "translate_fixed", "silently_wrong", "fails", "limited", "healthy", "fit"]
)
def test_it_is_in_chinese(open_report: OpenPage, reports: Reports, name: str) -> None:
    """Every text of the page; what exists in English only is marked as English, for those who listen."""
    page = open_report(name)
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    open_every_card(page)
    functions = reports.findings(name)["functions"]
    names = ["traceonce", "IBM Plex", "python ", *(f["name"] for f in functions), *(f["file"] for f in functions)]
    english, chinese = words_of_report("en"), words_of_report("zh")
    english_only = [text for key, text in english.items() if text != chinese[key]]
    assert not english_left(page, english_only, names)
    page.keyboard.press("?")
    assert not english_left(page, english_only, names)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_both_languages_have_the_same_words() -> None:
    """No text of one is missing in the other, nor a place in it that a value is put into."""
    english, chinese = words_of_report("en"), words_of_report("zh")
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", chinese[key])), key


def test_a_phone_is_wide_enough(open_report: OpenPage) -> None:
    """Nothing has to be scrolled sideways, with every card open."""
    page = open_report("translate_fixed", viewport=PHONE, has_touch=True, is_mobile=True)
    open_every_card(page)
    assert_fits(page)
    page = open_report("hostile", viewport=PHONE, has_touch=True, is_mobile=True)
    assert_fits(page)


def test_the_theme_is_that_of_the_system_until_one_is_chosen(open_report: OpenPage) -> None:
    """It follows the system, then the button."""
    page = open_report("wall", color_scheme="dark")
    wait_for_background(page, "rgb(13, 16, 20)")
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
