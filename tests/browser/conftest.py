"""A browser, reports to open in it, and a server with its pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.browsing import DESKTOP, NewPage, OpenPage, Troubles, launch_chromium
from tests.browser.reports import Reports
from tests.browser.serving import Server, run_server

TOO_LONG = 20_000  # milliseconds: a hang ends as a failure; no test depends on how long anything takes
expect.set_options(timeout=TOO_LONG)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a file of tests. Not for all: its event loop must not meet the asynchronous tests of others."""
    with launch_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The reports, written as they are asked for."""
    return Reports(tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`traceonce serve` on a port of the system's choice, with SQLite in a folder of its own."""
    with run_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes pages in windows of their own; at the end of the test, none of them may have had any trouble."""
    opened: list[tuple[Page, Troubles]] = []

    def make(home: str, **options: Any) -> tuple[Page, Troubles]:
        options = {"viewport": DESKTOP, "reduced_motion": "reduce", "color_scheme": "light", "locale": "en", **options}
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(TOO_LONG)
        opened.append((page, Troubles(page, home)))
        return opened[-1]

    yield make
    for page, _ in opened:
        page.context.close()
    for _, troubles in opened:
        troubles.assert_none()


@pytest.fixture
def open_report(new_page: NewPage, reports: Reports) -> OpenPage:
    """Opens the report of a recording, with `fragment` after the `#` of its address."""

    def open_(name: str, *, language: str = "en", fragment: str = "", **options: Any) -> Page:
        address = reports.html(name, language).as_uri()
        page, _ = new_page(address, **options)
        page.goto(f"{address}#{fragment}" if fragment else address)
        page.locator("h1").wait_for()
        return page

    return open_


@pytest.fixture
def visit(new_page: NewPage, server: Server) -> OpenPage:
    """Opens a page of the server."""

    def open_(path: str = "/", **options: Any) -> Page:
        page, _ = new_page(f"{server.address}/", **options)
        page.goto(server.address + path)
        return page

    return open_
