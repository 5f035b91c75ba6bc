"""The pages of the site: links out of docs, and pages in two languages. `make site` checks the rest."""

from __future__ import annotations

import importlib.util
import logging
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
IN_BOTH = [
    page for folder in ("tutorial", "guides") for page in sorted((DOCS / folder).glob("*.md")) if ".zh" not in page.name
]
spec = importlib.util.spec_from_file_location("outside_links", DOCS / "generators" / "outside_links.py")
assert spec is not None
assert spec.loader is not None
outside_links = importlib.util.module_from_spec(spec)
spec.loader.exec_module(outside_links)


def shown(markdown: str, repo_url: str = "", page: str = "guides/ci.md") -> str:
    file = SimpleNamespace(src_uri=page)
    text: str = outside_links.on_page_markdown(
        markdown, page=SimpleNamespace(file=file), config=SimpleNamespace(docs_dir=str(DOCS), repo_url=repo_url)
    )
    return text


def test_a_link_out_of_the_site_becomes_a_path_or_a_link_to_the_repository() -> None:
    assert shown("[results](../../bench/results), [`fix.py`](../../bench/fix.py)") == (
        "`bench/results`, `bench/fix.py`"
    )
    assert shown("[how](../../bench/fix.py#L3)") == "how (`bench/fix.py`)"
    assert (
        shown("[how](../../bench/fix.py)", "https://example.com/r")
        == "[how](https://example.com/r/blob/main/bench/fix.py)"
    )
    assert shown("[causes](../causes.md#shape)") == "[causes](../causes.md#shape)"


def test_a_link_to_nothing_fails_the_build(caplog: pytest.LogCaptureFixture) -> None:
    """A warning does, since the build is strict."""
    with caplog.at_level(logging.WARNING, "mkdocs.hooks"):
        shown("[how](../../bench/absent.py)")
    assert caplog.messages == ["guides/ci.md links to ../../bench/absent.py, which does not exist"]
    assert "strict: true" in (ROOT / "mkdocs.yml").read_text()


@pytest.mark.parametrize("page", IN_BOTH, ids=lambda page: page.stem)
def test_tutorials_and_guides_are_in_both_languages(page: Path) -> None:
    """With the same headings, links and commands: who changes one is reminded of the other."""

    def parts(text: str) -> tuple[int, list[str], list[str]]:
        blocks = re.findall(r"^```(?:console|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        code = re.sub(r"\s*#.*| --lang zh", "", "".join(blocks))
        return (
            len(re.findall(r"^#+ ", text, re.MULTILINE)),
            sorted(re.findall(r"\]\((\S+?)\)", text)),
            code.splitlines(),
        )

    english, chinese = (file.read_text(encoding="utf-8") for file in (page, page.with_suffix(".zh.md")))
    assert parts(chinese) == parts(english)
