"""The pages of `traceonce serve`, used as people use them: upload, look, compare, ask, delete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import PHONE, NewPage, OpenPage, assert_accessible, assert_fits, english_left
from playwright.sync_api import FilePayload, Page, expect
from reports import Reports, another_run
from serving import Server, run_server

from traceonce.serve.web.words import WORDS


@pytest.fixture
def visit(new_page: NewPage, server: Server) -> OpenPage:
    """Opens a page of the server."""

    def open_(path: str = "/", **options: Any) -> Page:
        page, _ = new_page(f"{server.address}/", **options)
        page.goto(server.address + path)
        return page

    return open_


def as_file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def choose_files(page: Page, *files: FilePayload) -> None:
    """With the button, and the window that the system opens."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add recordings").click()
    chooser.value.set_files(list(files))


def upload_named(page: Page, name: str) -> Any:
    """The line that says how the upload of a file fared."""
    return page.get_by_role("region", name="Uploads").get_by_role("listitem").filter(has_text=name)


def run_named(page: Page, name: str) -> Any:
    """The row of a recording in the list."""
    return page.locator("#runs > li").filter(has=page.get_by_role("link", name=name, exact=True))


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
    expect(upload_named(page, "again.jsonl")).to_contain_text("was here already")
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


# ---- knowledge ----


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


KNOWN = """\
2026-11-15 12:13:04 INFO starting
Traceback (most recent call last):
  File "train.py", line 17, in <module>
tensorflow.python.framework.errors_impl.OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python \
`bool` is not allowed. You can attempt the following resolutions to the problem.
"""


UNKNOWN = "WeirdError: XLA compilation: the dynamic shape of a tensor grew a beard"


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


# ---- language, theme, size ----


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
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 16, 20)"
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
        expect(page.get_by_role("alert")).to_contain_text("not the token")
        page.get_by_label("Token").fill("correct-horse-battery-staple")
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(re.compile(r"/recordings\?search=door"))
        run_named(page, "behind the door").get_by_role("link").click()
        expect(page.frame_locator("iframe").locator("h1")).to_contain_text("score")
        page.get_by_role("button", name="Sign out").click()
        page.goto(f"{guarded.address}/recordings")
        expect(page).to_have_url(re.compile("/login"))
