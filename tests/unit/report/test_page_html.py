"""The HTML report as a file: one document that loads nothing, with a policy that allows exactly what is in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from tests.unit.handmade import record
from tests.unit.report.made_reports import HARM, harmful, material_of, recorded
from traceonce.report.page import FOLDER, STYLES, render_html

LIMIT = 1_500_000  # bytes without data


class Document(HTMLParser):
    """The elements of a page, with the text of those that hold script, style or data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.contents: dict[str, str] = {}
        self.text = ""
        self._open = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self._open = given.get("type") or tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.contents[self._open] = self.contents.get(self._open, "") + data
        else:
            self.text += data


def hash_of(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@pytest.fixture(scope="module")
def page() -> str:
    """The page of a real run."""
    return render_html(material_of(recorded("translate_fixed"), "html"))


def test_the_policy_allows_what_is_there_and_nothing_else(page: str) -> None:
    """The hashes are those of the scripts and the style as a browser sees them."""
    document = Document(page)
    (policy,) = [
        given["content"] for tag, given in document.tags if given.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": " ".join(f"'{hash_of(document.contents[kind])}'" for kind in ("script", "module")),
        "style-src": f"'{hash_of(document.contents['style'])}'",
        "font-src": "data:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_nothing_is_loaded_and_nothing_is_inline(page: str) -> None:
    """No address, no handler, no style attribute: the policy would refuse them anyway."""
    for tag, given in Document(page).tags:
        assert not {"src", "style", "action"} & set(given), tag
        assert not any(name.startswith("on") for name in given), tag
        assert (given.get("href") or "#").startswith("#"), tag
    assert not re.search(r"url\((?!data:)|@import", page)


def test_texts_never_become_markup() -> None:
    """The scripts build elements, and put texts into them as texts."""
    for file in (FOLDER / "scripts").glob("*.js"):
        script = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", script), file


def test_size(page: str) -> None:
    """All but the data stays well below 1.5 MB."""
    empty = render_html(material_of(record(), "html"))
    assert len(empty.encode()) < LIMIT
    assert len(page.encode()) > len(empty.encode())


def test_harmful_names_stay_data() -> None:
    """The document has the same elements as that of an empty run, whatever a function is called."""
    hostile = Document(render_html(material_of(harmful(), "html")))
    harmless = Document(render_html(material_of(record(), "html")))
    assert hostile.tags == harmless.tags
    assert hostile.text == harmless.text
    data = hostile.contents["application/json"]  # words, causes, and the run
    assert not set(data) & set("<>&\u2028\u2029")
    assert HARM[0].replace("<", "\\u003c").replace(">", "\\u003e") in data


def test_the_page_says_its_language() -> None:
    """Before a script has run."""
    assert '<html lang="en">' in render_html(material_of(record(), "html"))
    assert '<html lang="zh-CN">' in render_html(material_of(record(), "html", "zh"))


def test_every_part_is_in_the_page(page: str) -> None:
    """A style that is not listed would be forgotten; a licence goes with what is not ours."""
    assert sorted(file.stem for file in (FOLDER / "styles").glob("*.css")) == sorted(STYLES)
    assert "uPlot (v1.6.32)" in page
    assert "MIT License" in (FOLDER / "vendor" / "LICENSE").read_text(encoding="utf-8")
    for font in ("sans", "mono"):
        assert "SIL OPEN FONT LICENSE" in (FOLDER / "fonts" / f"LICENSE-{font}").read_text(encoding="utf-8").upper()
