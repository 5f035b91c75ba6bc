"""A run of ten thousand events: the page holds what is in view, and finds all of it. Speed is for bench/page.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.browsing import DESKTOP, Troubles, assert_accessible, wait_until
from tests.browser.made_recordings import EVENTS, FUNCTIONS
from tests.browser.reports import Reports

MOST_NODES = 6_000  # of the document: far fewer than there are events
WORST = "Model.part_00"


@pytest.fixture(scope="module")
def report(browser: Browser, reports: Reports) -> Iterator[Page]:
    """The page, opened once: each test leaves it as it was."""
    page = browser.new_context(viewport=DESKTOP, reduced_motion="reduce", locale="en").new_page()
    address = reports.html("large").as_uri()
    troubles = Troubles(page, address)
    page.goto(address)
    page.locator("h1").wait_for()
    yield page
    page.context.close()
    troubles.assert_none()


@pytest.fixture(scope="module")
def traces(reports: Reports) -> Counter[str]:
    """How often each function was traced."""
    return Counter(event.function.name for event in reports.recording("large").events)


def nodes(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('*').length"))


def test_it_says_the_same_as_ever(report: Page, reports: Reports, traces: Counter[str]) -> None:
    """The headline, and every function with its traces."""
    (counts,) = reports.recording("large").calls.values()
    (calls,) = [count for key, count in counts.items() if key.startswith(f"{WORST}|")]
    expect(report.locator("h1")).to_have_text(f"{WORST} retraced {traces[WORST] - 1:,} times in {calls:,} calls")
    assert sum(traces.values()) == EVENTS
    expect(report.locator("#functions .section-head")).to_contain_text(str(FUNCTIONS))


def test_the_document_stays_small(report: Page) -> None:
    """Rows of the table and columns of the grid are there as they come into view."""
    grid = report.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", str(EVENTS + 1))
    assert report.locator("#events [data-row]").count() < 60
    assert report.locator("#functions table.grid thead th").count() < 80
    assert nodes(report) < MOST_NODES


def test_the_timeline_says_that_there_are_more_functions(report: Page) -> None:
    """Below those in view; they can be scrolled to."""
    expect(report.locator("#lanes-below")).to_contain_text("more functions")
    expect(report.locator("#lanes li")).to_have_count(FUNCTIONS)
    report.locator("#lanes li").last.scroll_into_view_if_needed()
    expect(report.locator("#lanes-below")).to_be_empty()
    report.locator("#lanes li").first.scroll_into_view_if_needed()


def test_the_table_is_scrolled_to_its_end(report: Page) -> None:
    """The last row is the last event; the rows before are gone from the document."""
    body = report.locator("#events .event-body")
    body.evaluate("body => { body.scrollTop = body.scrollHeight; }")
    last = report.locator(f"#events [data-row='{EVENTS - 1}']")
    expect(last).to_be_visible()
    expect(last).to_contain_text(f"{EVENTS:,}")
    assert report.locator("#events [data-row]").count() < 60
    body.evaluate("body => { body.scrollTop = 0; }")
    expect(report.locator("#events [data-row='0']")).to_be_visible()


def test_the_grid_is_walked_to_its_end(report: Page, traces: Counter[str]) -> None:
    """Thousands of columns: the keys lead to the last one, and the signatures follow."""
    card = report.locator("#functions article").filter(has=report.get_by_text(WORST, exact=True))
    card.locator("table.grid [aria-pressed=true]").focus()
    report.keyboard.press("End")
    expect(card.locator("table.grid [aria-pressed=true]")).to_have_text(str(traces[WORST]))
    expect(card.locator("table.signature")).to_contain_text(str(traces[WORST]))
    report.keyboard.press("Home")
    expect(card.locator("table.grid [aria-pressed=true]")).to_have_text("1")


def test_a_search_leaves_what_matches(report: Page, traces: Counter[str]) -> None:
    """A function far down is found, with all its events, and its lane comes first."""
    rare = min(traces, key=lambda name: (traces[name], name))
    box = report.get_by_role("searchbox")
    box.fill(rare)
    expect(report.get_by_role("grid")).to_have_attribute("aria-rowcount", str(traces[rare] + 1))
    expect(report.locator("#functions article")).to_have_count(1)
    expect(report.locator("#lanes li").first).to_contain_text(rare)
    box.fill("")
    expect(report.get_by_role("grid")).to_have_attribute("aria-rowcount", str(EVENTS + 1))


def test_functions_beyond_the_first_are_listed_on_request(report: Page) -> None:
    """The list begins with the worst; the others are a click away."""
    names = report.locator("#functions article")
    shown = names.count()
    assert shown < FUNCTIONS
    report.locator("#functions button.more").last.click()
    expect(names).to_have_count(FUNCTIONS)
    assert nodes(report) < MOST_NODES


def test_the_timeline_is_zoomed_far_in(report: Page) -> None:
    """To single events, which can still be told apart; and back."""

    def share() -> float:
        return float(report.locator("#pan > i").evaluate("thumb => parseFloat(thumb.style.width)"))

    report.locator("#plot").focus()
    for _ in range(10):
        report.keyboard.press("+")
    wait_until(report, lambda: share() < 0.15)
    report.keyboard.press("ArrowRight")
    expect(report.locator("#tip")).to_be_visible()
    report.keyboard.press("0")
    wait_until(report, lambda: share() > 99)


def test_it_is_accessible(report: Page) -> None:
    """With all that in it."""
    assert_accessible(report)
