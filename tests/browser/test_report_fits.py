"""Nothing is cut off: at every width, in both languages, on every kind of screen, and on paper."""

from __future__ import annotations

import io
import re

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser.browsing import PHONE, OpenPage, assert_accessible
from tests.browser.demanding_recordings import LAYERS, PARTS
from tests.browser.report_parts import open_every_card
from tests.browser.seeing import clipped_texts, small_targets

WIDTHS = [1440, 1280, 768, 390]
TABLET = {"width": 820, "height": 1180}


def at(width: int) -> dict[str, object]:
    """A screen of this width; the narrow one is a phone's."""
    if width < 640:
        return {"viewport": {"width": width, "height": 844}, "has_touch": True, "is_mobile": True}
    return {"viewport": {"width": width, "height": 900}}


def open_the_first(page: Page, count: int) -> None:
    """So many more cards than are open, and all that can be opened inside of them."""
    for _ in range(count):
        closed = page.locator("#functions button[aria-expanded=false]")
        if closed.count():
            closed.first.click()
    page.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true; })")


@pytest.mark.parametrize("widths", [[1440, 1280, 768], [390]], ids=["a window made narrower", "a phone"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["lookalikes", "translate_fixed", "failing", "fell_back", "bounded", "hostile"])
def test_no_text_is_cut_off(open_report: OpenPage, name: str, language: str, widths: list[int]) -> None:
    """Names and paths are cut in the middle where they must be; all other texts are there."""
    page = open_report(name, language=language, **at(widths[0]))
    open_the_first(page, 2)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        assert not clipped_texts(page), width


@pytest.mark.parametrize("width", WIDTHS)
def test_names_that_differ_at_their_end_look_different(open_report: OpenPage, width: int) -> None:
    """Beside the timeline, in the list and in the table: no two names look the same."""
    page = open_report("lookalikes", **at(width))
    page.locator("#functions button.more").last.click()
    for names in (page.locator("#lanes button"), page.locator("#functions .card-name > b")):
        pictures = [name.screenshot(animations="disabled") for name in names.all()]
        assert len(pictures) == PARTS * len(LAYERS)
        assert len(set(pictures)) == len(pictures)


def test_a_cut_name_is_heard_and_copied_whole(open_report: OpenPage) -> None:
    """Its text is one text, not two pieces of it."""
    page = open_report("lookalikes", **at(390))
    name = page.locator("#functions .card-name > b").first
    whole = name.get_attribute("title")
    assert whole is not None
    short = whole.rpartition(".<locals>.")[2]
    expect(name).to_have_text(short)
    assert page.get_by_role("button", name=short, exact=True).count() == 1  # its lane


def test_where_a_function_is_called_from_is_read_beside_the_line(open_report: OpenPage) -> None:
    """However long the line is, what is said of it is inside the box, without scrolling."""
    page = open_report("lookalikes", **at(1440))
    source = page.locator(".source-part .source").last
    tag = source.get_by_text("called from here").first
    box, around = tag.bounding_box(), source.bounding_box()
    assert box is not None
    assert around is not None
    assert box["x"] + box["width"] <= around["x"] + around["width"]


# ---- fingers ----


@pytest.mark.parametrize("screen", [PHONE, TABLET], ids=["phone", "tablet"])
@pytest.mark.parametrize("name", ["translate_fixed", "lookalikes", "silently_wrong", "fails"])
def test_a_finger_meets_what_it_aims_at(open_report: OpenPage, name: str, screen: dict[str, int]) -> None:
    """Every control is at least 44 pixels wide and high, those that sort the table, too."""
    page = open_report(name, viewport=screen, has_touch=True, is_mobile=True)
    open_the_first(page, 1)
    assert not small_targets(page)


# ---- paper ----


def printed(page: Page) -> list[list[str]]:
    """The lines of each printed page."""
    paper = PdfReader(io.BytesIO(page.pdf(format="A4")))
    return [[line for text in sheet.extract_text().splitlines() if (line := text.strip())] for sheet in paper.pages]


HEADINGS = "h1, h2, h4, h5, .part-head, .section-head h2"


@pytest.mark.parametrize("name", ["translate", "translate_fixed", "lookalikes", "failing", "fell_back", "fit", "wall"])
def test_paper_has_no_heading_alone_and_no_foot_alone(open_report: OpenPage, name: str) -> None:
    """No page ends with a heading, and the last page has something to say."""
    page = open_report(name)
    page.evaluate(
        """(wanted) => addEventListener('beforeprint', () => {
          const texts = (element) => [...element.childNodes].map((node) => node.textContent.trim()).filter(Boolean);
          window.headings = [...document.querySelectorAll(wanted)].map((element) => texts(element)[0]);
        })""",
        HEADINGS,
    )
    sheets = printed(page)
    headings = {str(text) for text in page.evaluate("window.headings")}
    assert {"The run", "Functions"} <= headings
    assert all(sheets), "an empty page"
    for number, lines in enumerate(sheets, 1):
        ends = lines[-1]
        assert ends not in headings, f"page {number} ends with the heading {ends!r}"
        assert [line for line in lines if "traceonce.recording/1" not in line], f"page {number} has the foot alone"
    whole = " ".join(line for lines in sheets for line in lines)
    assert re.search(r"traceonce \d+\.\d+", whole), "paper does not say what made it"


# ---- for everybody ----


@pytest.mark.parametrize("name", ["lookalikes", "failing", "fell_back", "bounded"])
def test_it_is_accessible(open_report: OpenPage, name: str) -> None:
    """On a phone and on a desk, in the other theme each."""
    page = open_report(name, color_scheme="dark")
    assert_accessible(page)
    page = open_report(name, language="zh", viewport=PHONE, has_touch=True, is_mobile=True)
    if name != "lookalikes":
        open_every_card(page)
    assert_accessible(page)
