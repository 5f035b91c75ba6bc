"""The HTML report in a real browser: what it says, how it is searched, walked through and copied from."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsing import PHONE, OpenPage, assert_accessible, assert_fits, english_left, wait_until
from made_recordings import HOSTILE
from playwright.sync_api import Locator, Page, expect
from reports import Reports, words_of_report

TRAIN = "Translator.train_step"


def card(page: Page, name: str) -> Locator:
    """The card of a function."""
    return page.locator("#functions article").filter(has=page.locator(".card-name b").get_by_text(name, exact=True))


def head(page: Page, name: str) -> Locator:
    """What opens the card of a function."""
    return card(page, name).locator("button[aria-expanded]")


def names_shown(page: Page) -> list[str]:
    """The functions of the list, in order."""
    return page.locator("#functions article .card-name b").all_text_contents()


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


def moment_text(seconds: float) -> str:
    """As the page writes a duration between one second and two minutes."""
    assert 1 <= seconds < 119
    return f"{seconds:.1f}\u00a0s"


# ---- what it says ----


def test_the_first_screen_says_what_matters(open_report: OpenPage, reports: Reports) -> None:
    """Who, how often, what it cost, why, what to change: all as the recording has it."""
    findings, worst = reports.findings("translate"), reports.function("translate", TRAIN)
    assert (worst["verdict"], worst["retraces"], worst["calls"]) == ("retracing", 40, 41)
    page = open_report("translate")
    verdict = page.locator("#verdict")
    expect(verdict.locator("h1")).to_have_text(f"{TRAIN} retraced 40 times in 41 calls")
    lede = verdict.locator(".lede")
    expect(lede).to_contain_text(f"It cost {moment_text(worst['lost_seconds'])}")
    expect(lede).to_contain_text(f"of a {moment_text(findings['seconds'])} run")
    expect(lede).to_contain_text(f"{worst['share']:.0%}".replace("%", "\u00a0%"))
    for cause in worst["causes"]:
        expect(verdict.locator(".why")).to_contain_text(cause["path"])
    expect(verdict.get_by_text("soften may answer with an old value")).to_be_visible()
    expect(page).to_have_title(f"{TRAIN}: Retracing · traceonce")
    assert names_shown(page) == [function["name"] for function in findings["functions"]]
    expect(head(page, TRAIN)).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("wall", "score retraced 119 times in 120 calls"),
        ("lengths", "normalise recompiled 7 times in 24 calls"),
        ("silently_wrong", "describe mixes up equal values of different types"),
        ("fails", "keep_positive could not be traced"),
        ("anew", "fit.<locals>.step retraced 11 times in 36 calls"),
        ("threads", "embed retraced 23 times in 24 calls"),
        ("limited", "train_step retraced 2 times in 3 calls"),
        ("healthy", "Nothing to fix here"),
        ("fit", "Nothing to fix here"),
    ],
)
def test_every_kind_of_run_has_its_headline(open_report: OpenPage, reports: Reports, name: str, headline: str) -> None:
    """And every function of it can be opened, one after the other, without trouble."""
    page = open_report(name)
    expect(page.locator("h1")).to_have_text(headline)
    for function in reports.findings(name)["functions"]:
        opener = head(page, function["name"])
        if opener.get_attribute("aria-expanded") == "false":
            opener.click()
        expect(card(page, function["name"]).locator(".card-body")).to_be_visible()


def test_the_error_and_the_limit_are_above_the_fold(open_report: OpenPage) -> None:
    """What the program ended by, and the calls that were refused."""
    page = open_report("fails")
    expect(page.locator("#verdict").get_by_text("The program ended with an error.")).to_be_in_viewport()
    expect(page.locator("#verdict")).to_contain_text("OperatorNotAllowedInGraphError")
    page = open_report("limited")
    expect(page.locator("#verdict").get_by_text("has reached its limit:")).to_be_in_viewport()
    expect(page.locator("#verdict")).to_contain_text("5 calls refused")


def test_nothing_to_fix_is_calm(open_report: OpenPage) -> None:
    """No alarm, no fix; the counts are there."""
    page = open_report("healthy")
    expect(page.locator(".lede")).to_contain_text("2 functions were traced")
    expect(page.locator(".alarm")).to_have_count(0)
    expect(page.locator("section.fix")).to_have_count(0)
    assert_accessible(page)


def test_a_run_without_traces(open_report: OpenPage) -> None:
    """There is nothing to draw, and that is said."""
    page = open_report("empty")
    expect(page.locator("h1")).to_have_text("No function was traced")
    assert_accessible(page)


def test_a_run_that_was_killed(open_report: OpenPage) -> None:
    """It says that nobody saw the end, and does not claim a share of a time that is not known."""
    page = open_report("killed")
    expect(page.locator("#verdict")).to_contain_text("Nobody saw the end of this run.")
    expect(page.locator("#verdict")).to_contain_text("signal 9")
    expect(page.locator(".lede")).to_contain_text("that were seen")
    expect(page.locator(".lede")).not_to_contain_text("%")


def test_a_card_tells_the_whole_story(open_report: OpenPage, reports: Reports) -> None:
    """Causes with their values, the growth, the source with the call, and the record with what was run."""
    page = open_report("translate")
    body = card(page, TRAIN).locator(".card-body")
    for cause in reports.function("translate", TRAIN)["causes"]:
        expect(body.get_by_text(cause["path"], exact=True).first).to_be_visible()
    expect(body.locator(".curve-part")).to_contain_text("per call")
    source = body.locator(".source-part")
    expect(source).to_contain_text("def train_step(self, ids, step):")
    expect(source.locator(".marked.called")).to_contain_text("model.train_step(")
    expect(source.locator("mark").first).to_be_visible()
    expect(body.locator(".record-part")).to_contain_text("tensorflow/retracing-python-number")
    expect(body.locator(".record-part")).to_contain_text("9 of 9 runs")


# ---- finding ----


def test_a_chip_hides_a_cause(open_report: OpenPage, reports: Reports) -> None:
    """In the list and in the table; on the timeline it is dimmed. With Shift, it is shown alone."""
    events = reports.recording("translate").events
    page = open_report("translate")
    assert events_shown(page) == len(events)
    compiles = sum(event.kind == "compile" for event in events)
    chip = page.get_by_role("button", name=re.compile("XLA compile"))
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


# ---- taking it along ----


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


# ---- languages, themes, sizes ----

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
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 16, 20)"
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


# ---- safety ----


def test_hostile_names_are_harmless(open_report: OpenPage) -> None:
    """Markup in names, values, files, threads and errors is text: nothing runs, nothing is loaded."""
    page = open_report("hostile")
    opened: list[str] = []
    page.on("dialog", lambda dialog: (opened.append(dialog.message), dialog.dismiss()))
    open_every_card(page)
    shown = names_shown(page)
    assert set(HOSTILE.values()) <= set(shown)
    assert page.locator("img, svg[onload], script:not([type]):not([id])").count() == 0
    assert page.title() != "owned"
    page.get_by_role("searchbox").fill("<script>")
    expect(page.locator("#functions article")).not_to_have_count(0)
    assert_fits(page)
    assert_accessible(page)
    assert not opened
