"""Words and values as the web pages write them."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import get_args

import pytest

import traceonce.serve.web
from traceonce.facts import Verdict
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.language import is_chinese
from traceonce.knowledge.record import TIERS as KNOWN_TIERS
from traceonce.knowledge.render.labels import VALUES
from traceonce.serve.models import Change
from traceonce.serve.web import formats
from traceonce.serve.web.labels import CATEGORIES, LIVE, WORDS
from traceonce.serve.web.recordings import FORMS
from traceonce.serve.web.speech import Speech
from traceonce.words.sentence import choose_forms
from traceonce.words.verdicts import BADGES

TABLES = {"words": WORDS, "live": LIVE, "categories": CATEGORIES, "tiers": VALUES}
FOLDER = Path(traceonce.serve.web.__file__).parent
UNTRANSLATED = ("API", "XLA", "AutoGraph", "SavedModel", "dtype", "TypeError", "%", "REST")


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("table", TABLES)
def test_both_languages_say_the_same(table: str) -> None:
    """The same places to fill in, nothing left out, and Chinese where something is said at all."""
    for key, (english, chinese) in TABLES[table].items():
        one, many = (choose_forms(english, {"n": n}) for n in (1, 5))
        assert places(chinese) == places(one) == places(many), key
        said = any(map(is_chinese, chinese)) or not re.search("[A-Za-z]", english)
        assert said or any(name in chinese for name in UNTRANSLATED), key


def test_words_are_safe_inside_of_an_attribute() -> None:
    """They are markup of our own, and some are used there."""
    assert not [key for key, both in WORDS.items() if '"' in "".join(both)]


def test_every_word_is_used_and_every_used_word_is_there() -> None:
    """In the templates, the routes and the scripts; some are put together from a kind of thing and its name."""
    sources = [
        path.read_text() for path in FOLDER.rglob("*") if path.suffix in (".j2", ".py") and path.name != "labels.py"
    ]
    said = set(re.findall(r"""say\(["'](\w+)["']\s*[,)]""", "\n".join(sources)))
    families = (*re.findall(r"""["'](\w+_)["'] ~""", "\n".join(sources)), "error_")
    passed_on = {"helped", "did_not_help"}
    assert said - WORDS.keys() == set()
    assert {key for key in WORDS if not key.startswith(families)} - said == passed_on
    scripts = "\n".join(path.read_text() for path in FOLDER.rglob("*.js"))
    live = {key for key in LIVE if re.search(rf"'{key}'", scripts)}
    assert live == LIVE.keys()
    assert set(re.findall(r"say\('(\w+)'", scripts)) <= LIVE.keys()


def test_everything_that_can_be_named_has_a_name() -> None:
    """Each verdict, cause, change and form of the report; each category and tier of our own records."""
    assert set(BADGES) == set(Verdict)
    assert {f"{kind}_{change}" for change in get_args(Change) for kind in ("change", "count")} <= WORDS.keys()
    assert {f"form_{form.name}" for form in FORMS} <= WORDS.keys()
    assert {record.category for record in Collection()} <= CATEGORIES.keys()
    assert set(KNOWN_TIERS) <= VALUES.keys()


def test_what_is_put_into_a_word_is_escaped() -> None:
    """The word is ours, the value is not."""
    speech = Speech("en")
    assert speech.say("delete_named", name="<b>\u202e") == "Delete &lt;b&gt;\\u202e"


@pytest.mark.parametrize(("n", "said"), [(0, "0 traces"), (1, "1 trace"), (2, "2 traces")])
def test_one_and_many(n: int, said: str) -> None:
    """English has two forms, Chinese one."""
    assert Speech("en").say("traces", n=n) == said
    assert Speech("zh").say("traces", n=n) == f"追踪 {n} 次"


def test_a_category_of_another_base_is_shown_as_it_is() -> None:
    """Nobody has translated it."""
    assert Speech("zh").category("custom_kind") == "custom kind"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, "0 s"),
        (-1.0, "0 s"),
        (0.0001, "< 1 ms"),
        (0.81, "810 ms"),
        (9.46, "9.5 s"),
        (119.9, "119.9 s"),
        (600, "10.0 min"),
        (7200, "2.0 h"),
        (1e300, "2.8e+296 h"),
    ],
)
def test_times_are_read_at_a_glance(seconds: float, said: str) -> None:
    """With a unit that fits, which stays on the line of its number."""
    assert formats.seconds(seconds) == said.replace(" ", "\u00a0")


@pytest.mark.parametrize("epoch", [1e300, -1e300, 1e15])
def test_a_moment_that_no_calendar_has(epoch: float) -> None:
    """A recording may claim it; the page shows a dash."""
    assert formats.when(formats.instant(epoch)) == "–"


def test_a_moment_without_scripts_is_told_in_utc() -> None:
    """And says so."""
    assert formats.when(formats.instant(0)) == "1970-01-01 00:00 UTC"
    assert formats.when("2026-11-15T22:07:00+02:00") == "2026-11-15 20:07 UTC"


@pytest.mark.parametrize(
    ("address", "trusted"),
    [
        ("https://www.tensorflow.org/guide/function#retracing", True),
        ("http://www.tensorflow.org/", False),
        ("javascript:alert(1)", False),
        ('https://example.org/" onclick=alert(1)', False),
        ("//example.org", False),
        (None, False),
    ],
)
def test_pages_link_to_https_only(address: str | None, trusted: bool) -> None:
    """Anything else in a record is shown as text."""
    assert formats.is_https(address) is trusted


@pytest.mark.parametrize("id", ["../../etc/passwd", "a/b/c", "a", "a/<b>", "a/b?x", "./b", "a/.."])
def test_what_is_no_record_s_name_is_no_link(id: str) -> None:
    """A transition of a record may name anything."""
    assert not formats.is_record_id(id)


def test_the_words_of_a_query_are_marked() -> None:
    """In any case; around them everything is escaped."""
    assert formats.highlight("<Shape> of x", "shape X") == "&lt;<mark>Shape</mark>&gt; of <mark>x</mark>"
    assert formats.highlight("<Shape>", "") == "&lt;Shape&gt;"
    assert formats.highlight("a.c abc", "a.c") == "<mark>a.c</mark> abc"
