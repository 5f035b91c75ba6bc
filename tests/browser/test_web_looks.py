"""All pages of `traceonce serve`: languages, themes, sizes, hostile names, and the door."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import (
    PHONE,
    NewPage,
    OpenPage,
    assert_accessible,
    assert_fits,
    english_left,
    wait_for_background,
)
from tests.browser.reports import Reports, another_run
from tests.browser.seeing import clipped_texts, small_targets
from tests.browser.serving import Server, run_server
from tests.browser.site_parts import KNOWN, UNKNOWN, run_named
from traceonce.serve.web.labels import WORDS


@pytest.fixture(scope="module")
def stocked(server: Server) -> dict[str, str]:
    """Two recordings, and the addresses of one page of each kind."""
    before = server.upload(another_run("translate_fixed"), "translator-before")
    after = server.upload(another_run("translate_after"), "translator-after")
    return {
        "recordings": "/recordings?search=translator-",
        "recording": f"/recordings/{before}",
        "compare": f"/compare?before={before}&after={after}",
        "knowledge": "/knowledge",
        "record": "/knowledge/tensorflow/retracing-shape",
        "explain": "/explain",
        "api": "/api",
    }


PAGES = ["recordings", "recording", "compare", "knowledge", "record", "explain", "api"]


def show_answer(page: Page) -> None:
    """On the page that explains, something to look at."""
    if page.url.endswith("/explain"):
        page.locator("#text").fill(f"{KNOWN}{UNKNOWN}\n")
        page.locator("#ask [type=submit]").click()
        page.get_by_role("article").first.wait_for()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible(visit: OpenPage, stocked: dict[str, str], name: str) -> None:
    """Light and English, dark and Chinese: axe finds nothing serious."""
    page = visit(stocked[name])
    show_answer(page)
    assert_accessible(page)
    page.get_by_role("link", name="Dark").click()
    page.get_by_role("link", name="中文").click()
    page.wait_for_url(re.compile("lang=zh"))
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    show_answer(page)
    assert_accessible(page)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "api"])
def test_every_page_is_in_chinese(visit: OpenPage, stocked: dict[str, str], name: str) -> None:
    """Nothing that people read is left in English, but for code, names and what is marked as English."""
    page = visit(stocked[name])
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    show_answer(page)
    english_only = [english for english, chinese in WORDS.values() if english != chinese]
    assert not english_left(page, english_only, ["traceonce", "translator"])


def test_language_and_theme_are_kept(visit: OpenPage, stocked: dict[str, str]) -> None:
    """From page to page, and in the report inside."""
    page = visit(stocked["knowledge"])
    page.get_by_role("link", name="中文").click()
    page.get_by_role("link", name="深色").click()
    page.get_by_role("link", name="运行记录").first.click()
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    wait_for_background(page, "rgb(13, 16, 20)")
    page.get_by_role("link", name="translator-before").click()
    inside = page.frame_locator("iframe").locator("html")
    expect(inside).to_have_attribute("lang", re.compile("^zh"))
    expect(inside).to_have_attribute("data-theme", "dark")
    page.get_by_role("link", name="浅色").click()
    expect(inside).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_fits_a_phone(visit: OpenPage, stocked: dict[str, str], name: str) -> None:
    """Nothing has to be scrolled sideways."""
    page = visit(stocked[name], viewport=PHONE)
    show_answer(page)
    assert_fits(page)


@pytest.mark.parametrize("language", ["English", "中文"])
def test_a_recording_has_one_header(visit: OpenPage, stocked: dict[str, str], language: str) -> None:
    """The report inside brings no brand, no command, and no switch of language or theme of its own."""
    page = visit(stocked["recording"])
    page.get_by_role("link", name=language).click()
    inside = page.frame_locator("iframe")
    expect(inside.locator("h1")).to_be_visible()
    for name in ("English", "中文", "Dark", "深色", "Light", "浅色"):
        expect(inside.get_by_role("button", name=name)).to_have_count(0)
    expect(inside.get_by_role("banner")).to_have_count(0)
    expect(inside.get_by_text("traceonce", exact=True)).to_have_count(0)
    expect(inside.locator(".run")).to_have_count(0)
    expect(inside.get_by_role("searchbox")).to_be_visible()
    inside.locator("#verdict").focus()
    before = inside.locator("html").get_attribute("lang")
    for key in ("l", "d"):
        page.keyboard.press(key)
    assert inside.locator("html").get_attribute("lang") == before
    expect(inside.locator("html")).to_have_attribute("data-theme", "light")


def test_a_report_alone_has_its_header(visit: OpenPage, stocked: dict[str, str]) -> None:
    """Opened by itself, nothing around it has one."""
    page = visit(f"{stocked['recording']}/report")
    expect(page.get_by_role("button", name="中文")).to_be_visible()
    expect(page.locator(".top .run")).to_contain_text("translate.py")


@pytest.mark.parametrize("name", PAGES)
def test_a_finger_meets_what_it_aims_at(visit: OpenPage, stocked: dict[str, str], name: str) -> None:
    """Every control of every page is at least 44 pixels wide and high, those of the report inside, too."""
    page = visit(stocked[name], viewport=PHONE, has_touch=True, is_mobile=True)
    show_answer(page)
    for frame in page.frames:
        frame.locator("h1").wait_for()
        assert not small_targets(frame)


@pytest.mark.parametrize("width", [1440, 1280, 768, 390])
@pytest.mark.parametrize("name", PAGES)
def test_no_text_is_cut_off(
    visit: OpenPage, stocked: dict[str, str], server: Server, reports: Reports, name: str, width: int
) -> None:
    """Also of names that are long, at every width."""
    path = stocked[name]
    if name in ("recordings", "recording", "compare"):
        long = server.upload(reports.json("lookalikes").encode(), f"nightly ablation of {'a_long_branch_name_' * 6}")
        path = {
            "recordings": "/recordings?search=nightly",
            "recording": f"/recordings/{long}",
            "compare": f"{stocked['compare'].partition('&')[0]}&after={long}",
        }[name]
    page = visit(path, viewport={"width": width, "height": 900})
    show_answer(page)
    for frame in page.frames:
        frame.locator("h1").wait_for()
        assert not clipped_texts(frame)


# ---- safety ----


def test_hostile_names_are_harmless(visit: OpenPage, server: Server, reports: Reports) -> None:
    """Markup in names of functions, files and recordings is shown, and does nothing, on every page that has it."""
    hostile = server.upload(reports.json("hostile").encode(), "<img src=x onerror=alert(1)>\u202e")
    other = server.upload(another_run("healthy"), "beside the hostile one")
    for path in ("/recordings", f"/recordings/{hostile}", f"/compare?before={hostile}&after={other}"):
        page = visit(path)
        opened: list[str] = []
        page.on("dialog", lambda dialog, opened=opened: (opened.append(dialog.message), dialog.dismiss()))
        page.reload()
        expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_attached()
        assert page.locator("img, main script").count() == 0
        assert_fits(page)
        assert not opened
    server.ask("DELETE", f"/recordings/{hostile}")


def test_a_page_that_does_not_exist(new_page: NewPage, server: Server) -> None:
    """It is told in words, with a way on."""
    page, troubles = new_page(f"{server.address}/")
    troubles.expect("404")
    page.goto(f"{server.address}/recordings/{'0' * 32}")
    expect(page.locator("h1")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Knowledge").first.click()
    expect(page).to_have_url(re.compile("/knowledge$"))


def test_a_server_with_a_token_asks_for_it(new_page: NewPage, tmp_path: Path) -> None:
    """Once: then everything works, until one signs out. The page that was asked for is shown afterwards."""
    with run_server(tmp_path, token="correct-horse-battery-staple") as guarded:
        guarded.upload(another_run("wall"), "behind the door")
        page, troubles = new_page(f"{guarded.address}/")
        page.goto(f"{guarded.address}/recordings?search=door")
        expect(page).to_have_url(re.compile("/login"))
        assert_accessible(page)
        troubles.expect("Failed to load resource")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("not the server's token")
        page.get_by_label("Token").fill("correct-horse-battery-staple")
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(re.compile(r"/recordings\?search=door"))
        run_named(page, "behind the door").get_by_role("link").click()
        expect(page.frame_locator("iframe").locator("h1")).to_contain_text("score")
        page.get_by_role("button", name="Sign out").click()
        page.goto(f"{guarded.address}/recordings")
        expect(page).to_have_url(re.compile("/login"))
