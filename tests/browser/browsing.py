"""A real Chromium: where it is, and pages that remember everything that went wrong in them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

# Pages that a test opens: in a window with what went wrong there, or just the page.
NewPage: TypeAlias = Callable[..., tuple[Page, "Troubles"]]
OpenPage: TypeAlias = Callable[..., Page]

STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def find_chromium() -> str | None:
    """The browser that `CHROMIUM` names, or the first that is installed."""
    named = os.environ.get("CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    """Chromium without a window; tests without one are skipped, but fail where everything must run."""
    path = find_chromium()
    if path is None:
        reason = "no Chromium: install the Debian package chromium, or name a browser in the variable CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Troubles:
    """What a page must not do: log errors, raise them, or ask for anything that is not `home` or below it."""

    def __init__(self, page: Page, home: str) -> None:
        self._home = home
        self._seen: list[str] = []
        self._expected: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._seen.append(f"an exception: {error}"))
        page.on("request", lambda request: self._check(request.url))

    def expect(self, part: str) -> None:
        """What the browser itself logs about an answer that the test asks for, such as a refused upload."""
        self._expected.append(part)

    def assert_none(self) -> None:
        left = [trouble for trouble in self._seen if not any(part in trouble for part in self._expected)]
        assert not left, "\n".join(["the page had troubles:", *left])
        never = [part for part in self._expected if not any(part in trouble for trouble in self._seen)]
        assert not never, f"expected, but never seen: {never}"

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._seen.append(f"console {message.type}: {message.text}")

    def _check(self, url: str) -> None:
        inside = url.split("#")[0] == self._home or (self._home.endswith("/") and url.startswith(self._home))
        if not inside and not url.startswith(("data:", "blob:", "about:")):
            self._seen.append(f"a request: {url}")


def assert_accessible(page: Page) -> None:
    """axe-core finds nothing, not even a minor issue, by WCAG 2.2 AA and its own best practices."""
    options: dict[str, Any] = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": STANDARDS}}
    found = [
        f"{violation['id']} ({violation['impact']}): {violation['help']}\n    "
        + "\n    ".join(f"{node['target']} {node['html'][:160]}" for node in violation["nodes"][:5])
        for violation in Axe().run(page, options=options).response["violations"]
    ]
    assert not found, "\n".join(["axe found:", *found])


def assert_fits(page: Page) -> None:
    """Nothing is wider than the window: no page of ours is scrolled sideways."""
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, f"the page is {wider} pixels wider than the window"


def wait_for_background(page: Page, colour: str) -> None:
    """Wait until this is the colour behind the page."""
    behind = "[document.body, document.documentElement].map(element => getComputedStyle(element).backgroundColor)"
    wait_until(page, lambda: colour in page.evaluate(behind))


# Texts that people read, and that tell them what an element is; not code, and not what is marked as English.
_READ = """
() => {
  const known = 'code, pre, kbd, td, [lang=en], .mono, .values, script, style, textarea, option, noscript';
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const host = walker.currentNode.parentElement;
    if (!host.closest(known) && host.checkVisibility()) found.push(walker.currentNode.textContent.trim());
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
    if (element.closest(known) || !element.checkVisibility()) continue;
    for (const name of ['aria-label', 'placeholder', 'title']) found.push(element.getAttribute(name) ?? '');
  }
  return found.filter(Boolean);
}
"""
_ENGLISH = re.compile(
    r"[^\u4e00-\u9fff]*\b[a-z]{2,} [a-z]{2,}\b[^\u4e00-\u9fff]*"
)  # quoted in a Chinese text, it is meant


def english_left(page: Page, english: Iterable[str], names: Iterable[str]) -> list[str]:
    """What is still English on a page in Chinese: two words in a row, or one of the texts of the `english` page.

    What contains one of the `names`, of functions, files and the like, is what it is called in any language.
    """
    known = set(english)
    read = [text for text in page.evaluate(_READ) if not any(name in text for name in names)]
    return [text for text in read if _ENGLISH.fullmatch(text) or text in known]


def wait_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait for what Playwright cannot wait for itself: its own way needs `eval`, which our pages forbid."""
    for _ in range(200):
        if is_so():
            return
        page.wait_for_timeout(25)
    raise AssertionError("it did not come about")
