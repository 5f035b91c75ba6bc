"""The screenshots of README and docs: real runs, a real server. TRACEONCE_SCREENSHOTS=1 pytest tests/browser"""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.browsing import PHONE, NewPage, OpenPage
from tests.browser.pictures import only_for_pictures, take_picture
from tests.browser.reports import RECORDED
from tests.browser.serving import run_server

pytestmark = only_for_pictures

RUNS = {  # in the order in which they came in
    "tokenizer, threads": "threads",
    "keras baseline": "fit",
    "cross-validation": "anew",
    "normalise with XLA": "lengths",
    "translator": "translate",
    "translator, repaired": "translate_after",
}


def test_the_report(open_report: OpenPage) -> None:
    """With its proved fix, in both themes, both languages, on a phone; and a function in detail."""
    take_picture(open_report("translate_fixed"), "report-light")
    take_picture(open_report("translate_fixed", color_scheme="dark"), "report-dark")
    take_picture(open_report("translate_fixed", language="zh"), "report-zh")
    take_picture(open_report("translate_fixed", viewport=PHONE, has_touch=True, is_mobile=True), "report-phone")
    page = open_report("translate", fragment="fn=Translator.train_step&trace=7")
    page.evaluate("document.activeElement.blur()")
    take_picture(page, "report-function")
    page = open_report("translate")
    page.locator("#run").evaluate("section => section.scrollIntoView()")
    take_picture(page, "report-timeline", 430)


def test_the_pages_of_the_server(new_page: NewPage, tmp_path: Path) -> None:
    """The list, a comparison, an explained error, the knowledge."""
    with run_server(tmp_path) as server:
        ids = {name: server.upload((RECORDED / f"{file}.jsonl").read_bytes(), name) for name, file in RUNS.items()}
        page, _ = new_page(f"{server.address}/")
        page.goto(f"{server.address}/recordings")
        expect(page.locator("#runs > li")).to_have_count(len(RUNS))
        take_picture(page, "serve-recordings", 760)
        page.goto(f"{server.address}/compare?before={ids['translator']}&after={ids['translator, repaired']}")
        take_picture(page, "serve-compare", 700)
        page.goto(f"{server.address}/explain")
        page.locator("#text").fill(error_of("fails"))
        page.locator("#ask [type=submit]").click()
        expect(page.get_by_role("article")).to_be_visible()
        take_picture(page, "serve-explain")
        page.goto(f"{server.address}/knowledge?search=retracing")
        take_picture(page, "serve-knowledge", 760)


def error_of(name: str) -> str:
    """What the program of a recording ended by."""
    entries = [json.loads(line) for line in (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    (error,) = [entry["error"] for entry in entries if entry["entry"] == "end"]
    return str(error)
