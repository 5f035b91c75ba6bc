"""The HTML report in a real browser: what it says of every kind of run, as the recording has it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.browsing import OpenPage, assert_accessible, assert_fits
from tests.browser.made_recordings import HOSTILE
from tests.browser.report_parts import TRAIN, card, head, names_shown, open_every_card
from tests.browser.reports import Reports
from traceonce.words.translated import Language


def moment_text(seconds: float) -> str:
    """As the page writes a duration between one second and two minutes."""
    assert 1 <= seconds < 119
    return f"{seconds:.1f}\u00a0s"


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
    expect(verdict.get_by_text("soften may use an old value")).to_be_visible()
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
        ("anew", "step retraced 11 times in 36 calls"),
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
    expect(page.locator("#verdict").get_by_text("The program ended with this error.")).to_be_in_viewport()
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


@pytest.mark.parametrize(
    ("language", "headline", "line"),
    [
        ("en", "changes Python state only during tracing", "changes np.random only during tracing."),
        ("zh", "只在追踪时修改 Python 状态", "只在追踪时修改 np.random。"),
    ],
)
def test_state_that_only_tracing_changes(open_report: OpenPage, language: Language, headline: str, line: str) -> None:
    """The first function is the headline, the other a line below it; random numbers have no values to show."""
    page = open_report("changed_by_tracing", language=language)
    expect(page.locator("h1")).to_have_text(f"count_steps {headline}")
    expect(page.locator(".lede")).not_to_be_empty()
    expect(page.locator(".alarm")).to_have_count(1)
    expect(page.locator(".alarm")).to_contain_text(f"add_noise {line}")
    expect(page.locator("#verdict")).to_contain_text("0 → 1")
    expect(page.locator("#verdict")).not_to_contain_text("verdict.")


def test_a_run_without_traces(open_report: OpenPage) -> None:
    """There is nothing to draw, and that is said."""
    page = open_report("empty")
    expect(page.locator("h1")).to_have_text("No function was traced")
    assert_accessible(page)


def test_a_run_that_was_killed(open_report: OpenPage) -> None:
    """It says that nobody saw the end, and does not claim a share of a time that is not known."""
    page = open_report("killed")
    expect(page.locator("#verdict")).to_contain_text("The recording ends early.")
    expect(page.locator("#verdict")).to_contain_text("signal 9")
    expect(page.locator(".lede")).to_contain_text("of the recorded")
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
