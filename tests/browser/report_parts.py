"""The parts of the HTML report that tests look at, by what they are."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

TRAIN = "Translator.train_step"


def card(page: Page, name: str) -> Locator:
    """The card of a function."""
    return page.locator("#functions article").filter(has=page.locator(".card-name").get_by_title(name, exact=True))


def head(page: Page, name: str) -> Locator:
    """What opens the card of a function."""
    return card(page, name).locator("button[aria-expanded]")


def names_shown(page: Page) -> list[str]:
    """The functions of the list, in order, by their whole names."""
    names = page.locator("#functions article .card-name b").evaluate_all("names => names.map(({title}) => title)")
    return [str(name) for name in names]


def open_every_card(page: Page) -> None:
    closed = page.locator("#functions button[aria-expanded=false]")
    while closed.count():
        closed.first.click()


def events_shown(page: Page) -> int:
    """How many rows the table of events has, in view or not."""
    return int(page.get_by_role("grid").get_attribute("aria-rowcount") or 0) - 1


def share_in_view(page: Page) -> float:
    """How much of the run the timeline shows: 1 for all of it. The bar below it tells."""
    return float(page.locator("#pan > i").evaluate("thumb => parseFloat(thumb.style.width)")) / 100


def selected_trace(page: Page, name: str) -> str:
    """The trace that the card of a function is about."""
    return card(page, name).locator("table.grid [aria-pressed=true]").inner_text()
