"""The scripts of the report, as the modules that they are: loaded one by one by the browser, and not put together."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route

from tests.browser.browsing import NewPage, OpenPage
from tests.browser.report_parts import open_every_card
from tests.browser.reports import Reports
from traceonce.report.page import FOLDER

HOME = "http://report.test/"


def open_modules(new_page: NewPage, html: str) -> Page:
    """The report with its script taken out, and the modules in its place, at addresses of their own."""
    html, scripts = re.subn(
        r'<script type="module">.*?</script>', '<script type="module" src="main.js"></script>', html, flags=re.DOTALL
    )
    html, policies = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    assert scripts == policies == 1

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(HOME)
        if name.endswith(".js"):
            route.fulfill(path=FOLDER / "scripts" / name, content_type="text/javascript")
        else:
            route.fulfill(body=html, content_type="text/html")

    page, _ = new_page(HOME)
    page.route(f"{HOME}**", answer)
    page.goto(HOME)
    page.locator("h1").wait_for()
    return page


@pytest.mark.parametrize("name", ["translate", "silently_wrong", "empty"])
def test_put_together_they_do_the_same(new_page: NewPage, open_report: OpenPage, reports: Reports, name: str) -> None:
    """Each imports all that it uses, and runs after what it needs: the page is the same, with every card open."""
    pages = [open_report(name), open_modules(new_page, reports.html(name).read_text(encoding="utf-8"))]
    shown = []
    for page in pages:
        open_every_card(page)
        page.evaluate("document.fonts.ready.then(() => 0)")
        shown.append(page.locator("main").inner_html())
    assert shown[0] == shown[1]
    assert len(shown[0]) > 500
