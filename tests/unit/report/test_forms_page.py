"""The page about reports knows every form, and what it shows is what the forms say."""

from __future__ import annotations

import re
from pathlib import Path

from tests.unit.report.made_reports import material_of, recorded
from traceonce.integrations.jupyter.magic_line import describe_options
from traceonce.report.base import FORMS, find_renderer
from traceonce.report.csv import Row
from traceonce.report.sarif.rules import FAILED, LIMIT
from traceonce.words.translated import Language

PAGE = (Path(__file__).parents[3] / "docs" / "reports.md").read_text()


def examples(language: str) -> list[tuple[str, str]]:
    return re.findall(rf"^(`{{3,}}){language}\n(.*?)^\1$", PAGE, re.DOTALL | re.MULTILINE)


def test_every_form_has_a_row_that_says_its_languages() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\w, ]+) \|$", PAGE, re.MULTILINE))
    assert rows == {name: "English, Chinese" if form.in_chinese else "English" for name, form in FORMS.items()}


def test_the_markdown_on_the_page_is_what_is_written() -> None:
    languages: list[Language] = ["en", "zh"]
    for (_, shown), language in zip(examples("markdown"), languages, strict=True):
        material = material_of(recorded("translate_fixed"), "markdown", language)
        assert find_renderer("markdown")(material).startswith(shown)


def test_the_table_on_the_page_is_what_is_written() -> None:
    (_, shown) = next(example for example in examples("text") if example[1].startswith("id,"))
    written = find_renderer("csv")(material_of(recorded("wall"), "csv")).replace("\r\n", "\n")
    assert written.startswith(shown)
    columns = re.findall(r"^\| (`.*?`) \|", PAGE.split("| column | meaning |")[1].split("## ")[0], re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(columns))) == sorted(Row._fields)


def test_the_rules_that_are_no_causes_are_named() -> None:
    assert f"`{FAILED}` (" in PAGE
    assert f"`{LIMIT}` (" in PAGE
    (shown,) = re.findall(r'"text": ".*?"', PAGE)
    assert shown in find_renderer("sarif")(material_of(recorded("limited"), "sarif"))


def test_every_option_of_the_magic_is_there() -> None:
    options = set(re.findall(r"(?<!\S)(-o|--[a-z]+)", describe_options())) - {"--output"}
    assert len(options) == 6
    for option in options:
        assert re.search(rf"^\| `{option}\b", PAGE, re.MULTILINE), option
