"""Every web page as a browser gets it: in both languages, with nothing hostile left in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.serve.web_site import HOSTILE, Elements, Site, open_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for all tests here."""
    with open_site(tmp_path_factory.mktemp("site")) as site:
        yield site


def addresses(site: Site) -> dict[str, str]:
    return {
        "recordings": "/recordings",
        "recordings found": "/recordings?search=wall",
        "recording": f"/recordings/{site.hostile}",
        "compare": f"/compare?before={site.before}&after={site.hostile}",
        "compare what": "/compare",
        "knowledge": "/knowledge",
        "knowledge found": "/knowledge?search=shape&category=retracing&tier=verified&domain=tensorflow",
        "knowledge, second page": "/knowledge?offset=30",
        "record": "/knowledge/tensorflow/retracing-shape",
        "explain": "/explain",
        "api": "/api",
    }


PAGES = [
    "recordings",
    "recordings found",
    "recording",
    "compare",
    "compare what",
    "knowledge",
    "knowledge found",
    "knowledge, second page",
    "record",
    "explain",
    "api",
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_in_both_languages(site: Site, name: str, language: str) -> None:
    """It is there, says which language it is in, and uses nothing that the policy forbids."""
    address = addresses(site)[name]
    answer = site.client.get(address + ("&" if "?" in address else "?") + f"lang={language}")
    site.client.cookies.clear()
    assert answer.status_code == 200
    page = Elements(answer.text)
    assert page.all("html")[0]["lang"] == {"en": "en", "zh": "zh-Hans"}[language]
    assert ("运行记录" in page.text) is (language == "zh")
    assert not [attributes for _, attributes in page.elements if "style" in attributes]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert all(script.get("src", "/static/").startswith("/static/") for script in page.all("script"))
    assert all("src" in script or script["type"] == "application/json" for script in page.all("script"))


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_this_server_or_to_https(site: Site, name: str) -> None:
    """What leads elsewhere is https, and tells the other site nothing."""
    for link in Elements(site.client.get(addresses(site)[name]).text).all("a"):
        target = link["href"]
        assert re.match(r"/(?!/)|\?|#|https://", target), target
        if target.startswith("https://"):
            assert {"noopener", "noreferrer"} <= set(link["rel"].split())


def test_hostile_names_are_text(site: Site) -> None:
    """A recording, a function and a file whose names are markup: shown as they are, on every page that has them."""
    for address in ("/recordings", f"/recordings/{site.hostile}", addresses(site)["compare"]):
        answer = site.client.get(address)
        page = Elements(answer.text)
        assert "<script>alert(1)" not in answer.text
        assert not page.all("img")
        assert HOSTILE in page.text
    assert "<script>alert(1)</script>" in Elements(site.client.get(addresses(site)["compare"]).text).text


def test_a_hostile_query_is_text(site: Site) -> None:
    """Searched for, and repeated in the page: in the field, in links, and in what is found."""
    for address in ("/recordings", "/knowledge", "/compare"):
        answer = site.client.get(address, params={"search": HOSTILE, "category": HOSTILE, "offset": 0})
        assert "<script>alert(1)" not in answer.text
        assert not Elements(answer.text).all("img")


def test_a_pasted_text_is_text(site: Site) -> None:
    """Also where it is repeated: in the box, as what matched, and as what nobody knows."""
    text = f"ValueError: tf.function only supports singleton tf.Variables {HOSTILE}\n\nKeyError: {HOSTILE}\n\x00\u202e"
    answer = site.client.post("/explain", data={"text": text})
    assert answer.status_code == 200
    assert "<script>alert(1)" not in answer.text
    assert "\x00" not in answer.text
    assert "\u202e" not in answer.text
    assert HOSTILE in Elements(answer.text).text


def test_characters_that_turn_text_around_are_shown_by_number(site: Site) -> None:
    """A name cannot hide what follows it."""
    page = site.client.get("/recordings", params={"search": "evil\u202etxt"}).text
    assert "\u202e" not in page
    assert "evil\\u202etxt" in page


def test_the_report_is_kept_apart(site: Site) -> None:
    """Inside a page it has no origin of its own; opened alone, the server's policy says the same."""
    frame = Elements(site.client.get(f"/recordings/{site.before}?lang=zh&theme=dark").text).all("iframe")[0]
    site.client.cookies.clear()
    assert frame["sandbox"].split() == ["allow-scripts", "allow-modals", "allow-downloads"]
    assert frame["allow"] == "clipboard-write"
    assert frame["data-src"] == f"/recordings/{site.before}/report#embedded=1&lang=zh&theme=dark"
    report = site.client.get(f"/recordings/{site.before}/report")
    policy = report.headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy


@pytest.mark.parametrize(
    ("address", "status", "title"),
    [
        ("/nothing/here", 404, "There is nothing here"),
        ("//evil.example/", 404, "There is nothing here"),
        (f"/recordings/{'0' * 32}", 404, "There is nothing here"),
        ("/recordings/..%2f..%2fetc%2fpasswd", 404, "There is nothing here"),
        ("/knowledge/tensorflow/no-such-record", 404, "There is nothing here"),
        ("/compare?before=x&after=y", 404, "There is nothing here"),
        ("/recordings?offset=-1", 422, "This request does not fit"),
        ("/knowledge?search=" + "x" * 201, 422, "This request does not fit"),
    ],
)
def test_errors_are_pages_with_a_way_on(site: Site, address: str, status: int, title: str) -> None:
    """In the look of all others; no link in them leads to another site."""
    answer = site.client.get(f"http://testserver{address}")
    assert answer.status_code == status
    page = Elements(answer.text)
    assert title in page.text
    assert "/recordings" in [link["href"] for link in page.all("a")]
    assert not [link["href"] for link in page.all("a") if link["href"].startswith("//")]


def test_programs_get_json_for_the_same_errors(site: Site) -> None:
    """Under /api for everybody, and elsewhere for whoever asks for no page."""
    assert "detail" in site.client.get("/api/v1/nothing").json()
    assert "detail" in site.client.get("/nothing", headers={"Accept": "*/*"}).json()


def test_language_and_theme_are_kept(site: Site) -> None:
    """Chosen once, with the address; then told by a cookie, in the page itself, so that nothing flashes."""
    site.client.get("/recordings?lang=zh&theme=dark")
    page = Elements(site.client.get("/knowledge").text).all("html")[0]
    site.client.cookies.clear()
    assert (page["lang"], page["data-theme"]) == ("zh-Hans", "dark")
    assert "data-theme" not in Elements(site.client.get("/knowledge").text).all("html")[0]


@pytest.mark.parametrize("chosen", ["lang=fr", "theme=%22%3E%3Cscript%3E", "lang=&theme="])
def test_a_choice_that_there_is_not_is_passed_over(site: Site, chosen: str) -> None:
    """The page is as it was, and nothing is kept."""
    answer = site.client.get(f"/explain?{chosen}")
    assert Elements(answer.text).all("html")[0] == {"lang": "en"}
    assert "set-cookie" not in answer.headers


def test_the_browser_s_language_is_the_first(site: Site) -> None:
    """Before anything was chosen."""
    answer = site.client.get("/explain", headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    assert Elements(answer.text).all("html")[0]["lang"] == "zh-Hans"


@pytest.mark.parametrize(
    "name", ["palette.css", "site.css", "parts.css", "knowledge.css", "fonts.css", "icon.svg", "site.js"]
)
def test_files_are_served(site: Site, name: str) -> None:
    """With a type that browsers take, and asked for again each time."""
    answer = site.client.get(f"/static/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] in ("text/css", "image/svg+xml", "text/javascript")
    assert answer.headers["cache-control"] == "no-cache"


def test_everything_that_pages_load_is_there(site: Site) -> None:
    """Scripts, the modules that they import, styles, and fonts."""
    wanted = {"/static/" + found for found in re.findall(r'url\("(.*?)"\)', site.client.get("/static/fonts.css").text)}
    for address in addresses(site).values():
        page = Elements(site.client.get(address).text)
        wanted |= {script["src"] for script in page.all("script") if "src" in script}
        wanted |= {link["href"] for link in page.all("link")}
    scripts = {address for address in wanted if address.endswith(".js")}
    wanted |= {
        f"/static/{found}"
        for script in scripts
        for found in re.findall(r"from '\./(.*?)'", site.client.get(script).text)
    }
    assert len(wanted) > 15
    for address in wanted:
        assert site.client.get(address).status_code == 200, address


def test_the_palette_follows_the_system(site: Site) -> None:
    """Where no theme was chosen: the report's own dark colours, once more."""
    palette = site.client.get("/static/palette.css").text
    ours = palette.partition("@media (prefers-color-scheme: dark)")[2]
    assert ":root:not([data-theme])" in ours
    assert re.search(r"--bg:\s*#0d1014", ours)
