"""What the web pages say: the answer to a pasted error, two runs compared, records browsed and read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.serve.web_site import BROWSER, Elements, Site, open_site
from traceonce.frameworks.base.registry import example_error
from traceonce.serve.app import create_app
from traceonce.serve.settings import ServerSettings

RECORD = "tensorflow/retracing-shape"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for all tests here."""
    with open_site(tmp_path_factory.mktemp("site")) as site:
        yield site


def test_explaining_works_without_scripts(site: Site) -> None:
    """Two errors in one log: both are explained, in the reader's language."""
    answer = site.client.post("/explain?lang=zh", data={"text": example_error()})
    site.client.cookies.clear()
    records = [card["data-record"] for card in Elements(answer.text).all("article")]
    assert records == ["tensorflow/retracing-warning", "tensorflow/variable-created-later"]
    assert "先试" in answer.text


def test_what_nobody_knows_is_called_a_guess(site: Site) -> None:
    """No record is claimed to explain it."""
    text = "the saved model has no concrete function for this signature shape when loaded"
    page = Elements(site.client.post("/explain", data={"text": text}).text)
    assert not page.all("article")
    assert "They are guesses" in page.text
    assert "/knowledge/tensorflow/saved-model-no-matching-function" in [link["href"] for link in page.all("a")]


def test_an_error_that_nobody_knows_is_repeated(site: Site) -> None:
    """Among others that are explained, so that none is forgotten."""
    page = Elements(
        site.client.post("/explain", data={"text": example_error() + "\nValueError: it grew a beard\n"}).text
    )
    assert len(page.all("article")) == 2
    assert "Nothing is known about ValueError: it grew a beard" in " ".join(page.text.split())


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [("", 422, "Nothing to explain"), (" \n", 422, "Nothing to explain"), ("x" * 1_000_001, 413, "1,000,000")],
)
def test_a_text_that_cannot_be_explained(site: Site, text: str, status: int, reason: str) -> None:
    """The page says why, and what to do."""
    answer = site.client.post("/explain", data={"text": text})
    assert answer.status_code == status
    assert reason in answer.text


def test_too_many_questions_are_refused_with_a_page(tmp_path: Path) -> None:
    """The page says when to ask again; so does the header."""
    app = create_app(ServerSettings(database=f"sqlite:///{tmp_path / 'slow.sqlite3'}", match_rate=0.001))
    with TestClient(app, headers=BROWSER) as client:
        answers = [client.post("/explain", data={"text": "x"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert "Too many questions at once" in answers[1].text
    assert int(answers[1].headers["retry-after"]) > 0


def test_two_that_were_picked_are_compared_older_first(site: Site) -> None:
    """Whatever the order in which they were picked; a form without scripts knows no before and after."""
    summaries = [site.client.get(f"/api/v1/recordings/{run}").json() for run in (site.before, site.after)]
    first, second = (summary["id"] for summary in sorted(summaries, key=lambda summary: summary["started"]))
    for picked in ([site.before, site.after], [site.after, site.before]):
        answer = site.client.get("/compare", params={"run": picked}, follow_redirects=False)
        assert answer.headers["location"] == f"/compare?before={first}&after={second}"


@pytest.mark.parametrize("count", [1, 3])
def test_only_two_can_be_compared(site: Site, count: int) -> None:
    """One or three: the page says so, and offers what there is."""
    answer = site.client.get("/compare", params={"run": [site.before, site.after, site.hostile][:count]})
    page = Elements(answer.text)
    assert f"Two recordings can be compared, not {count}" in page.text
    assert len(page.all("option")) == 6


def test_a_comparison_has_its_figures(site: Site) -> None:
    """The headline and the table say what the REST API says."""
    told = site.client.get("/api/v1/compare", params={"before": site.before, "after": site.after}).json()
    page = Elements(site.client.get(f"/compare?before={site.before}&after={site.after}").text)
    assert f"From {told['traces']['before']} traces to {told['traces']['after']}" in page.text
    rows = [row["data-change"] for row in page.all("tr") if "data-change" in row]
    assert rows == [function["change"] for function in told["functions"]]
    swap = next(link for link in page.all("a") if link.get("id") == "swap")
    assert swap["href"] == f"/compare?before={site.after}&after={site.before}"


def test_records_are_narrowed_down(site: Site) -> None:
    """Each kind shows as many records as it promises."""
    page = Elements(site.client.get("/knowledge").text)
    counted = re.search(r"XLA\s+(\d+)", page.text)
    assert counted is not None
    found = site.client.get("/knowledge?category=xla_error").text
    assert len(re.findall('class="hit"', found)) == int(counted.group(1))


def test_found_words_are_marked(site: Site) -> None:
    """In any case, and without being taken for an expression."""
    page = site.client.get("/knowledge", params={"search": "RETRACING-shape"}).text
    assert "tensorflow/<mark>retracing-shape</mark>" in page
    assert site.client.get("/knowledge", params={"search": "(["}).status_code == 200


def test_a_record_links_to_its_neighbours(site: Site) -> None:
    """Every record that it names can be opened."""
    page = Elements(site.client.get("/knowledge/tensorflow/retracing-shape").text)
    neighbours = {link["href"] for link in page.all("a") if link["href"].startswith("/knowledge/")}
    assert len(neighbours) > 3
    for address in neighbours:
        assert site.client.get(address).status_code == 200


def test_outcomes_of_this_server_stand_beside_the_evidence(site: Site) -> None:
    """What colleagues noted is counted apart from our runs."""
    assert "On this server" not in site.client.get("/knowledge/tensorflow/recursion").text
    for worked in (True, True, False):
        noted = {"record": "tensorflow/recursion", "workaround": 1, "worked": worked}
        assert site.client.post("/api/v1/outcomes", json=noted).status_code == 201
    assert "worked 2×, failed 1×" in site.client.get("/knowledge/tensorflow/recursion").text


def test_the_api_page_lists_every_route(site: Site) -> None:
    """As many as /openapi.json has."""
    documented = site.client.get("/openapi.json").json()["paths"]
    page = Elements(site.client.get("/api").text)
    assert len([one for one in page.all("details") if one["class"] == "route"]) == sum(map(len, documented.values()))
    for path in documented:
        assert path in page.text
