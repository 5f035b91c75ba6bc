"""Finding one's way through the report: filter, search, sort, links, and the keyboard alone."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.browsing import OpenPage, assert_accessible
from tests.browser.report_parts import TRAIN, card, events_shown, head, names_shown, selected_trace
from tests.browser.reports import Reports

# ---- finding ----


def test_a_chip_hides_a_cause(open_report: OpenPage, reports: Reports) -> None:
    """In the list and in the table; on the timeline it is dimmed. With Shift, it is shown alone."""
    events = reports.recording("translate").events
    page = open_report("translate")
    assert events_shown(page) == len(events)
    compiles = sum(event.kind == "compile" for event in events)
    chip = page.get_by_role("button", name=re.compile("Compilation"))
    expect(chip).to_contain_text(str(compiles))
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "false")
    assert events_shown(page) == len(events) - compiles
    chip.click(modifiers=["Shift"])
    assert events_shown(page) == compiles
    assert names_shown(page) == ["attend"]
    expect(page.locator("#live")).to_contain_text(f"{compiles} of")
    page.keyboard.press("Escape")
    assert events_shown(page) == len(events)
    assert len(names_shown(page)) == 5


def test_search_finds_functions_arguments_and_causes(open_report: OpenPage) -> None:
    """And says so where nothing is found, with a way back."""
    page = open_report("translate")
    box = page.get_by_role("searchbox")
    for query, found in (
        ("evaluate", ["Translator.evaluate"]),
        ("queries.shape", ["attend"]),
        ("temperature", ["soften"]),
        ("wrong value", ["soften"]),
        ("translate.py:47", ["soften"]),
    ):
        box.fill(query)
        expect(page.locator("#functions article .card-name b")).to_have_text(found)
    page.get_by_role("button", name="中文").click()
    box.fill("形状")
    expect(page.locator("#functions article .card-name b")).to_have_text([TRAIN, "attend"])
    box.fill("no such thing")
    expect(page.locator("#functions .empty")).to_be_visible()
    page.locator("#functions .empty").get_by_role("button").click()
    expect(box).to_have_value("")
    assert len(names_shown(page)) == 5


def test_functions_and_events_are_sorted(open_report: OpenPage, reports: Reports) -> None:
    """Functions by weight, traces or name; events by any column, both ways."""
    functions = reports.findings("translate")["functions"]
    page = open_report("translate")
    page.get_by_label("Sort").select_option("name")
    assert names_shown(page) == sorted((f["name"] for f in functions), key=str.lower)
    page.get_by_label("Sort").select_option("traces")
    assert names_shown(page)[0] == TRAIN
    header = page.get_by_role("columnheader").filter(has_text="cost")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    first = page.locator("#events [data-row='0']").inner_text()
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert page.locator("#events [data-row='0']").inner_text() != first


# ---- going to a trace ----


def test_from_the_grid_to_the_signatures(open_report: OpenPage, reports: Reports) -> None:
    """A column of the grid shows that trace beside the one before, with what changed marked."""
    page = open_report("translate")
    body = card(page, TRAIN).locator(".card-body")
    body.locator("table.grid thead button").get_by_text("7", exact=True).click()
    assert selected_trace(page, TRAIN) == "7"
    causes = reports.causes("translate", TRAIN)[6]
    assert {cause.path for cause in causes} >= {"step"}
    for cause in causes:
        row = body.locator("table.signature tr.changed").filter(has=page.get_by_role("rowheader", name=cause.path))
        expect(row.get_by_role("cell")).to_have_text([cause.was, cause.now])
    body.get_by_role("button", name="Later trace").click()
    assert selected_trace(page, TRAIN) == "8"
    expect(page).to_have_url(re.compile("trace=8"))


def test_a_link_opens_its_function_and_trace(open_report: OpenPage) -> None:
    """And only a message, where there is no such function."""
    page = open_report("translate", fragment="fn=attend&trace=4")
    expect(head(page, "attend")).to_have_attribute("aria-expanded", "true")
    expect(head(page, "attend")).to_be_in_viewport()
    expect(head(page, "attend")).to_be_focused()
    assert selected_trace(page, "attend") == "4"
    page = open_report("translate", fragment="fn=nobody")
    expect(page.locator("#toast")).to_contain_text("nobody")
    page = open_report("translate", fragment="lang=zh&theme=dark")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_an_event_of_the_timeline_opens(open_report: OpenPage) -> None:
    """With the keyboard: the arrows walk from event to event and tell what they are, Enter opens one."""
    page = open_report("translate")
    page.locator("#plot").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#tip")).to_be_visible()
    said = page.locator("#live").inner_text()
    assert TRAIN in said
    assert "5" in said
    page.keyboard.press("Enter")
    expect(head(page, TRAIN)).to_be_focused()
    assert selected_trace(page, TRAIN) == "5"


def test_an_event_of_the_timeline_is_clicked(open_report: OpenPage) -> None:
    """With the mouse: the pointer shows what it is over, a click opens it."""
    page = open_report("wall")
    area = page.locator("#plot .u-over").bounding_box()
    assert area is not None
    for fraction in range(5, 100):
        page.mouse.move(area["x"] + area["width"] * fraction / 100, area["y"] + 18)
        if page.locator("#tip").is_visible():
            break
    expect(page.locator("#tip")).to_contain_text("score")
    page.mouse.down()
    page.mouse.up()
    expect(head(page, "score")).to_be_focused()


def test_rows_of_the_table_open_by_keyboard(open_report: OpenPage) -> None:
    """The table is one stop of the Tab key; the arrows walk through it."""
    page = open_report("translate")
    page.locator("#events [data-row='0']").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    name = page.locator("#events [data-row]:focus .column-function").inner_text()
    page.keyboard.press("Enter")
    expect(head(page, name)).to_be_focused()


def test_the_report_is_walked_by_keyboard_alone(open_report: OpenPage) -> None:
    """Every shortcut of the help does what it says."""
    page = open_report("translate")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("attend")
    expect(page.locator("#functions article")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#functions article")).to_have_count(5)
    names = names_shown(page)
    for key, position in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(head(page, names[position])).to_be_focused()
    page.keyboard.press("Enter")
    expect(head(page, names[1])).to_have_attribute("aria-expanded", "true")
    before = int(selected_trace(page, names[1]))
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("[")
    assert int(selected_trace(page, names[1])) == before + 1
    page.keyboard.press("l")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.keyboard.press("l")
    page.keyboard.press("d")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_single_keys_can_be_turned_off(open_report: OpenPage) -> None:
    """For those who speak to their computer (WCAG 2.1.4)."""
    page = open_report("translate")
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single-key shortcuts").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("d")
    page.keyboard.press("l")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_the_tab_key_follows_the_page(open_report: OpenPage) -> None:
    """From the link that skips the bar, down the page, with a ring that can be seen; nothing is reached twice."""
    page = open_report("translate_fixed")
    stops: list[dict[str, Any]] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate(
                """() => {
                  const at = document.activeElement;
                  return {id: at.id, tag: at.tagName, text: (at.textContent || at.ariaLabel || '').slice(0, 30),
                    ring: [at, at.parentElement].some(ringed => getComputedStyle(ringed).outlineStyle !== 'none'),
                    area: at.closest('#top, #verdict, #run, #functions, #events')?.id ?? 'skip'};
                }"""
            )
        )
        if stops[-1]["area"] == "events":
            break
    areas = [stop["area"] for stop in stops]
    order = ["skip", "top", "verdict", "run", "functions", "events"]
    assert areas[0] == "skip"
    assert [area for area, before in zip(areas, [None, *areas], strict=False) if area != before] == order
    assert all(stop["ring"] for stop in stops), [stop for stop in stops if not stop["ring"]]
