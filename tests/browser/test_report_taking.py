"""Taking something along from the report: the fix, the patch, paper. And a closer look at the timeline."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.browsing import PHONE, OpenPage, wait_until
from tests.browser.report_parts import TRAIN, head, share_in_view
from tests.browser.reports import Reports


def test_the_fix_is_copied_exactly(open_report: OpenPage, reports: Reports) -> None:
    """The code with one button, the patch with the other, also with the key."""
    (fix,) = reports.function("translate_fixed", TRAIN)["fixes"]
    assert fix["proof"]["verdict"] == "proved"
    page = open_report("translate_fixed")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hero = page.locator("#verdict section.fix")
    hero.get_by_role("button", name="Copy fix").click()
    expect(page.locator("#toast")).to_have_text("Copied to the clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == fix["snippet"]
    hero.get_by_role("button", name="Copy patch").click()
    assert page.evaluate("navigator.clipboard.readText()") == fix["diff"]
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("c")
    wait_until(page, lambda: page.evaluate("navigator.clipboard.readText()") == fix["snippet"])


def test_the_fix_is_copied_without_permission(open_report: OpenPage, reports: Reports) -> None:
    """A page from a file may have no clipboard: then the old way is taken."""
    (fix,) = reports.function("wall", "score")["fixes"]
    page = open_report("wall")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }")
    page.get_by_role("button", name="Copy fix").first.click()
    expect(page.locator("#toast")).to_have_text("Copied to the clipboard")
    page.get_by_role("searchbox").focus()
    page.keyboard.press("Control+v")
    expect(page.get_by_role("searchbox")).to_have_value(fix["snippet"].replace("\n", ""))


def test_a_proof_is_shown_as_it_was_found(open_report: OpenPage, reports: Reports) -> None:
    """Traces before and after, the outputs, the speed-up; and the diff with both sides."""
    (fix,) = reports.function("translate_fixed", TRAIN)["fixes"]
    proof = fix["proof"]
    page = open_report("translate_fixed")
    hero = page.locator("#verdict section.fix")
    expect(hero).to_contain_text(f"{proof['before']['traces']} → {proof['after']['traces']}")
    expect(hero).to_contain_text("same")
    before, after = (proof[side]["seconds_per_call"] for side in ("before", "after"))
    expect(hero).to_contain_text(f"{before / after:.1f}× faster")
    expect(hero.locator(".del")).to_contain_text("@tf.function")
    expect(hero.locator(".add")).to_contain_text(fix["snippet"].splitlines()[0])


def test_it_can_be_printed(open_report: OpenPage) -> None:
    """On paper it is light, what needs attention is open, and the screen is as before when it is done."""
    page = open_report("translate", color_scheme="dark")
    page.evaluate(
        """addEventListener('beforeprint', () => {
          window.printed = {theme: document.documentElement.dataset.theme,
            open: [...document.querySelectorAll('#functions [aria-expanded=true] b')].map(name => name.textContent)};
        })"""
    )
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) >= 2
    printed = page.evaluate("window.printed")
    assert printed["theme"] == "light"
    assert {TRAIN, "attend", "soften"} <= set(printed["open"])
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(head(page, "attend")).to_have_attribute("aria-expanded", "false")
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("searchbox")).to_be_hidden()


# ---- zooming ----


def test_the_timeline_is_zoomed_by_buttons_and_keys(open_report: OpenPage) -> None:
    """In by half, out again, and back to the whole run."""
    page = open_report("translate")
    assert share_in_view(page) == pytest.approx(1)
    page.get_by_role("button", name="Zoom in").click()
    assert share_in_view(page) == pytest.approx(0.5, rel=0.01)
    page.keyboard.press("+")
    assert share_in_view(page) == pytest.approx(0.25, rel=0.01)
    page.get_by_role("button", name="Zoom out").click()
    page.keyboard.press("-")
    assert share_in_view(page) == pytest.approx(1)
    page.keyboard.press("+")
    page.keyboard.press("0")
    assert share_in_view(page) == pytest.approx(1)
    page.keyboard.press("+")
    page.get_by_role("button", name="Whole run").click()
    assert share_in_view(page) == pytest.approx(1)


def test_the_timeline_is_zoomed_by_dragging_and_wheel(open_report: OpenPage) -> None:
    """A drag over a third shows that third; Ctrl and wheel zoom; the plain wheel scrolls the page."""
    page = open_report("translate")
    page.locator("#plot").scroll_into_view_if_needed()
    area = page.locator("#plot .u-over").bounding_box()
    assert area is not None
    x, y = area["x"], area["y"] + 20
    page.mouse.move(x + area["width"] / 3, y)
    page.mouse.down()
    page.mouse.move(x + area["width"] * 2 / 3, y, steps=4)
    page.mouse.up()
    assert share_in_view(page) == pytest.approx(1 / 3, rel=0.05)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    wait_until(page, lambda: share_in_view(page) < 0.3)
    page.mouse.dblclick(x + area["width"] / 2, area["y"] + area["height"] - 5)
    wait_until(page, lambda: share_in_view(page) > 0.99)
    top = page.evaluate("scrollY")
    page.mouse.wheel(0, 120)
    wait_until(page, lambda: page.evaluate("scrollY") > top)
    assert share_in_view(page) == pytest.approx(1)


def test_the_timeline_is_zoomed_by_fingers(open_report: OpenPage) -> None:
    """Two fingers that move apart enlarge what is between them."""
    page = open_report("translate", viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator("#plot").scroll_into_view_if_needed()
    area = page.locator("#plot .u-over").bounding_box()
    assert area is not None
    touch = page.context.new_cdp_session(page)
    middle, y = area["x"] + area["width"] / 2, area["y"] + 20

    def fingers(kind: str, apart: float) -> None:
        points = [{"x": middle - apart, "y": y, "id": 1}, {"x": middle + apart, "y": y, "id": 2}] if apart else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", area["width"] / 10)
    for tenths in (1.5, 2.0, 2.5, 3.0):
        fingers("touchMove", area["width"] * tenths / 10)
    fingers("touchEnd", 0)
    assert share_in_view(page) == pytest.approx(1 / 3, rel=0.1)
