"""Recordings on the pages of `traceonce serve`, as people use them: upload, look, compare, delete."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.browsing import NewPage, OpenPage
from tests.browser.reports import Reports, another_run
from tests.browser.serving import Server
from tests.browser.site_parts import as_file, choose_files, run_named, upload_named

# ---- adding recordings ----


def test_a_file_is_added_with_the_button(visit: OpenPage, server: Server) -> None:
    """It is stored under its name, and its row says what was found."""
    page = visit("/")
    choose_files(page, as_file("chosen.jsonl", another_run("wall")))
    expect(upload_named(page, "chosen.jsonl")).to_contain_text("added")
    row = run_named(page, "chosen.jsonl")
    expect(row).to_contain_text("score")
    expect(row).to_contain_text("Retracing")
    expect(row).to_contain_text("120 traces")
    assert "chosen.jsonl" in server.names()


def test_files_are_dropped_anywhere_on_the_page(visit: OpenPage, server: Server) -> None:
    """Two at once; while they are held over the page, it says what will happen."""
    page = visit("/recordings")
    files = {f"dropped_{name}.jsonl": another_run(name).decode() for name in ("lengths", "anew")}
    carried = page.evaluate_handle(
        """files => {
          const carried = new DataTransfer();
          for (const [name, text] of Object.entries(files)) carried.items.add(new File([text], name));
          return carried;
        }""",
        files,
    )
    page.dispatch_event("h1", "dragover", {"dataTransfer": carried})
    expect(page.get_by_text("Drop the recordings here")).to_be_visible()
    page.dispatch_event("h1", "drop", {"dataTransfer": carried})
    expect(page.get_by_text("Drop the recordings here")).to_be_hidden()
    for name in files:
        expect(run_named(page, name)).to_be_visible()
    assert set(files) <= set(server.names())


def test_a_file_that_is_no_recording_is_refused(new_page: NewPage, server: Server) -> None:
    """The page says why, in words; what came along is added all the same, and nothing else is lost."""
    server.upload(another_run("healthy"), "was here before")
    page, troubles = new_page(f"{server.address}/")
    page.goto(server.address)
    troubles.expect("Failed to load resource")
    choose_files(
        page,
        as_file("notes.txt", b"not a recording\n"),
        as_file("nothing.jsonl", b""),
        as_file("beside.jsonl", another_run("limited")),
    )
    expect(upload_named(page, "notes.txt")).to_contain_text("is not a traceonce recording")
    expect(upload_named(page, "nothing.jsonl")).to_contain_text("is empty")
    expect(upload_named(page, "beside.jsonl")).to_contain_text("added")
    names = server.names()
    assert {"was here before", "beside.jsonl"} <= set(names)
    assert not {"notes.txt", "nothing.jsonl"} & set(names)


def test_the_same_file_again_is_the_one_that_is_there(visit: OpenPage, server: Server) -> None:
    """It is not kept twice."""
    data = another_run("healthy")
    server.upload(data, "only once")
    page = visit("/")
    choose_files(page, as_file("again.jsonl", data))
    expect(upload_named(page, "again.jsonl")).to_contain_text("was already here")
    assert "again.jsonl" not in server.names()


# ---- the list, and one recording ----


def test_the_list_is_searched_as_you_type(visit: OpenPage, server: Server) -> None:
    """By name or by function; the address can be sent to somebody."""
    server.upload(another_run("wall"), "needle one")
    server.upload(another_run("lengths"), "needle two")
    page = visit("/")
    page.keyboard.press("/")
    page.keyboard.type("needle")
    expect(page.locator("#runs > li")).to_have_count(2)
    expect(page.get_by_role("status").filter(has_text="2 recordings")).to_be_visible()
    page.get_by_role("searchbox").fill("needle two")
    expect(page.locator("#runs > li")).to_have_count(1)
    expect(page).to_have_url(re.compile("search=needle"))
    page.reload()
    expect(run_named(page, "needle two")).to_be_visible()
    page.get_by_role("searchbox").fill("no such recording")
    expect(page.get_by_text("No recording matches")).to_be_visible()


def test_a_report_opens_inside(visit: OpenPage, server: Server, reports: Reports) -> None:
    """With the recording's own figures; a link to a trace reaches it."""
    server.upload(another_run("translate"), "translator")
    page = visit("/")
    run_named(page, "translator").get_by_role("link", name="translator").click()
    inside = page.frame_locator("iframe")
    worst = reports.findings("translate")["functions"][0]
    expect(inside.locator("h1")).to_contain_text(worst["name"])
    expect(inside.locator("h1")).to_contain_text(str(worst["retraces"]))
    page.goto(f"{page.url}#fn=attend&trace=3")
    page.reload()
    expect(inside.locator("article", has_text="attend").locator("[aria-pressed=true]")).to_have_text("3")


def test_a_recording_can_be_downloaded_in_every_form(visit: OpenPage, server: Server, tmp_path: Path) -> None:
    """Each entry of the menu gives a file, and the file of the recording is the one that was uploaded."""
    data = another_run("wall")
    page = visit(f"/recordings/{server.upload(data, 'downloads')}")
    page.get_by_text("Download", exact=True).click()
    links = page.locator("#downloads a").all()
    assert len(links) >= 8
    for number, link in enumerate(links):
        with page.expect_download() as download:
            link.click()
        download.value.save_as(tmp_path / str(number))
        assert (tmp_path / str(number)).stat().st_size > 100
    assert (tmp_path / str(len(links) - 1)).read_bytes() == data


def test_a_recording_is_deleted_after_a_question(visit: OpenPage, server: Server) -> None:
    """Cancelling keeps it; from the list and from its own page."""
    for name in ("first to go", "second to go"):
        server.upload(another_run("healthy"), name)
    page = visit("/")
    run_named(page, "first to go").get_by_role("button", name="Delete first to go").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("first to go")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert "first to go" in server.names()
    run_named(page, "first to go").get_by_role("button", name="Delete first to go").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(run_named(page, "first to go")).to_have_count(0)
    run_named(page, "second to go").get_by_role("link").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("/recordings$"))
    assert not {"first to go", "second to go"} & set(server.names())


# ---- comparing ----


def test_two_recordings_are_compared(visit: OpenPage, server: Server) -> None:
    """Two are picked in the list, not one and not three; the page has the figures of the REST interface."""
    before = server.upload(another_run("translate"), "pair before")
    after = server.upload(another_run("translate_after"), "pair after")
    server.upload(another_run("anew"), "pair third")
    page = visit("/recordings?search=pair")
    button = page.get_by_role("button", name="Compare the two")
    for name, enabled in (("pair before", False), ("pair after", True), ("pair third", False)):
        page.get_by_role("checkbox", name=f"Pick {name} to compare").check()
        assert button.is_enabled() is enabled
    page.get_by_role("checkbox", name="Pick pair third to compare").uncheck()
    button.click()
    expected = server.ask("GET", f"/compare?before={before}&after={after}")
    traces = expected["traces"]
    assert traces["after"] < traces["before"]
    expect(page.locator("h1")).to_have_text(f"From {traces['before']} traces to {traces['after']}")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(len(expected["functions"]))
    for function in expected["functions"]:
        row = rows.filter(has=page.get_by_role("rowheader").filter(has_text=function["name"]))
        expect(row).to_have_attribute("data-change", function["change"])
    page.get_by_role("link", name="Swap before and after").click()
    expect(page.locator("h1")).to_have_text(f"From {traces['after']} traces to {traces['before']}")
