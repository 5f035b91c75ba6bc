"""What the page says agrees with what it shows: colours, values, errors, notes, records."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import OpenPage
from tests.browser.demanding_recordings import ERROR
from tests.browser.report_parts import TRAIN, card, open_every_card
from tests.browser.reports import Reports

FAMILIES = ("value", "shape", "type", "object", "function", "context", "compile", "eager", "silent", "failed")


def seen(page: Page) -> str:
    """All texts that can be seen."""
    return str(page.evaluate("document.body.innerText"))


# ---- what it cost ----


def coloured_share(page: Page) -> float:
    """How much of the bar has the colour of a cause, which says that something is to be changed."""
    return float(
        page.evaluate(
            """(families) => {
              const probe = document.body.appendChild(document.createElement('i'));
              const colour = (name) => {
                probe.style.setProperty('color', `var(--${name})`);
                return getComputedStyle(probe).color;
              };
              const alarming = new Set(families.map(colour));
              probe.remove();
              const parts = [...document.querySelectorAll('#verdict .bar i')];
              const width = (part) => part.getBoundingClientRect().width;
              const all = parts.reduce((sum, part) => sum + width(part), 0);
              return parts
                .filter((part) => alarming.has(getComputedStyle(part).backgroundColor))
                .reduce((sum, part) => sum + width(part), 0) / all;
            }""",
            list(FAMILIES),
        )
    )


@pytest.mark.parametrize(
    ("language", "headline", "told"),
    [
        ("en", "No alarm, but 1 function is worth a line", "60\u00a0% of this run"),
        ("zh", "没有警报，但有 1 个函数值得一提", "占本次运行的 60\u00a0%"),
    ],
)
def test_a_cost_without_an_alarm_is_told(open_report: OpenPage, language: str, headline: str, told: str) -> None:
    """The headline says that it is no alarm, the line below what it took, and the bar where that went."""
    page = open_report("bounded", language=language)
    expect(page.locator("h1")).to_have_text(headline)
    expect(page.locator(".lede")).to_contain_text(told)
    assert coloured_share(page) == pytest.approx(6.3 / 10.5, abs=0.02)


def test_a_cost_that_needs_a_fix_has_its_colour(open_report: OpenPage) -> None:
    """And what it shares the run with has not."""
    page = open_report("stepping")
    assert coloured_share(page) == pytest.approx(3.2 / 9.0, abs=0.02)  # what is unclear of first runs is not lost


# ---- what changed ----


def test_a_change_is_told_since_the_trace_before(open_report: OpenPage, reports: Reports) -> None:
    """Of a value that is new each time; the nearest earlier trace, which the cause is found by, is another one."""
    causes = reports.causes("stepping", "train_step")[8]
    assert [(cause.path, cause.was, cause.now) for cause in causes] == [("step", "6", "9")]
    page = open_report("stepping", fragment="fn=train_step&trace=9")
    expect(page.locator("#events [data-row='8'] .column-change")).to_have_text("step 8 → 9")
    for position in range(1, 9):
        changed = page.locator(f"#events [data-row='{position}'] .column-change")
        expect(changed).to_contain_text(f"step {position} → {position + 1}")
    cell = card(page, "train_step").locator("table.grid tbody tr").first.locator("td").last
    expect(cell).to_have_attribute("title", "8 → 9")
    head = card(page, "train_step").locator("table.signature thead")
    expect(head).to_contain_text("trace 6")  # the signatures are compared with the nearest one, by its name
    page.locator("#plot").focus()
    page.keyboard.press("End")
    expect(page.locator("#tip")).to_contain_text(re.compile(r"step\s+8 → 9"))


def test_a_change_since_another_trace_says_which(open_report: OpenPage) -> None:
    """Where the trace before had the same value there, it is told since which trace it is one."""
    page = open_report("returning")
    expect(page.locator("#events [data-row='2'] .column-change")).to_have_text(
        "x.dtype float32 → float64 (compared with trace 1)"
    )
    page = open_report("returning", language="zh")
    expect(page.locator("#events [data-row='2'] .column-change")).to_contain_text("（与追踪 1 相比）")


# ---- what was raised ----


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_error_is_told_once_with_its_count(open_report: OpenPage, language: str) -> None:
    """At the top; the card, the trace and the table name its type."""
    page = open_report("failing", language=language)
    open_every_card(page)
    sentence = ERROR.partition(": ")[2].partition(". You")[0]
    said = seen(page).replace("\n", " ")
    assert said.count(sentence) == 1
    expect(page.locator("#verdict .lede")).to_contain_text("3 times" if language == "en" else "3 次")
    ended = "The program ended with this error." if language == "en" else "程序因此错误而结束。"
    expect(page.locator("#verdict .alarm")).to_have_text(ended)
    expect(page.locator("#events [data-row='0'] .column-change")).to_have_text("OperatorNotAllowedInGraphError")


def test_an_error_that_the_program_survived_is_in_its_card(open_report: OpenPage) -> None:
    """Once, with its count, where the headline is about something else; another function refers to it."""
    page = open_report("surviving")
    open_every_card(page)
    assert seen(page).count("the shapes do not agree") == 1
    expect(card(page, "combine").locator(".remarks")).to_contain_text("Raised 2 times during tracing")
    expect(card(page, "merge").locator(".remarks")).to_contain_text("the same error as in combine")


# ---- notes of a fix ----


def test_notes_of_a_fix_are_sentences(open_report: OpenPage) -> None:
    """A list, with code as code; no backtick is left, and no semicolon joins them. In the language of the page."""
    for language, said in (("en", "cannot be combined with Python floats"), ("zh", "不能与 Python 浮点数一起运算")):
        page = open_report("lookalikes", language=language)
        notes = page.locator("#verdict section.fix .sentences li")
        expect(notes).to_have_count(4)
        expect(notes.nth(2)).to_contain_text(said)
        expect(notes.nth(2).locator("code")).to_have_text("step")
        assert "`" not in page.locator("#verdict section.fix .proof").inner_text()


# ---- what is known ----


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_record_is_a_sentence_that_opens(open_report: OpenPage, language: str) -> None:
    """Closed at first, under its title in the language of the page; it stays open when the language is changed."""
    page = open_report("translate", language=language)
    title = page.evaluate(
        """(language) => {
          const data = JSON.parse(document.getElementById('data').textContent);
          return data.records['tensorflow/retracing-python-number'][language].signature;
        }""",
        language,
    )
    record = card(page, TRAIN).locator(".record").first
    summary = record.locator("> summary")
    expect(summary).to_contain_text(str(title).replace("`", ""))
    expect(record.locator(".record-body")).to_be_hidden()
    summary.focus()
    page.keyboard.press("Enter")
    expect(record.locator(".record-body")).to_be_visible()
    expect(record).to_contain_text("9 of 9 runs" if language == "en" else "9 次运行中有 9 次")
    page.keyboard.press("l")
    expect(record.locator(".record-body")).to_be_visible()


def test_the_page_is_about_the_run(open_report: OpenPage) -> None:
    """What is known of such failures in general takes less room than what happened here."""
    page = open_report("translate")
    parts = [card(page, TRAIN).locator(name).bounding_box() for name in (".record-part", ".card-body")]
    known, whole = (part["height"] for part in parts if part is not None)
    assert known < 0.15 * whole
