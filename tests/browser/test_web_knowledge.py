"""Knowledge on the pages of `traceonce serve`: search it, read a record, paste an error."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.browsing import OpenPage
from tests.browser.reports import another_run
from tests.browser.serving import Server
from tests.browser.site_parts import KNOWN, UNKNOWN, run_named


def test_knowledge_is_searched_as_you_type(visit: OpenPage, server: Server) -> None:
    """The list follows the keys, the arrows walk through it, Enter opens a record."""
    page = visit("/knowledge")
    everything = server.ask("GET", "/records?limit=1")["total"]
    expect(page.get_by_role("status").filter(has_text=f"{everything} records")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("stale")
    wanted = server.ask("GET", "/records?search=stale&limit=100")
    assert 0 < wanted["total"] < everything
    expect(page.locator("#records > li")).to_have_count(wanted["total"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/knowledge/{wanted['records'][0]['id']}"))


def test_a_record_says_what_was_run(visit: OpenPage, server: Server) -> None:
    """Its cause, every workaround and every dead end, and code that can be copied."""
    record = server.ask("GET", "/records/tensorflow/stale-capture")
    page = visit("/knowledge/tensorflow/stale-capture")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.locator("#cause")).to_contain_text(record["explanation"]["root_cause"][:40])
    expect(page.locator("#workarounds li.advice")).to_have_count(len(record["record"]["workarounds"]))
    expect(page.locator("#dead-ends li.advice")).to_have_count(len(record["record"]["dead_ends"]))
    block = page.locator(".code").first
    block.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == block.locator("pre").text_content()


def test_an_error_is_pasted_and_explained(visit: OpenPage) -> None:
    """The answer comes with the paste; the whole record is a click away."""
    page = visit("/explain")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", KNOWN)
    page.get_by_label("Error or log").focus()
    page.keyboard.press("Control+v")
    answer = page.get_by_role("article")
    expect(answer).to_have_count(1)
    expect(answer).to_have_attribute("data-record", "tensorflow/symbolic-tensor-as-bool")
    answer.get_by_role("link", name="The whole record").click()
    expect(page).to_have_url(re.compile("/knowledge/tensorflow/symbolic-tensor-as-bool$"))


def test_what_nobody_knows_is_said_so(visit: OpenPage) -> None:
    """With the nearest records, which are called guesses; nothing is asked for an empty box."""
    page = visit("/explain")
    page.get_by_label("Error or log").fill(UNKNOWN)
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#unknown")).to_contain_text(UNKNOWN)
    expect(page.locator("#guesses")).to_contain_text("They are guesses")
    expect(page.get_by_role("article")).to_have_count(0)
    page.get_by_label("Error or log").fill("")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#unknown")).to_be_visible()


def test_it_works_without_scripts(visit: OpenPage, server: Server) -> None:
    """Searching, asking and comparing are plain forms."""
    server.upload(another_run("healthy"), "no scripts here")
    page = visit("/recordings?search=no+scripts", java_script_enabled=False)
    expect(run_named(page, "no scripts here")).to_be_visible()
    page.goto(f"{server.address}/explain")
    page.get_by_label("Error or log").fill(KNOWN)
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("article")).to_have_attribute("data-record", "tensorflow/symbolic-tensor-as-bool")
