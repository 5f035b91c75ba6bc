"""The words of the HTML report: the same in both languages, and all that the scripts ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

from traceonce.facts import EventKind, Safety, Verdict
from traceonce.frameworks.base.registry import BUILT_IN, dialect_of
from traceonce.report.page import FOLDER, words_in
from traceonce.words.sentence import choose_forms
from traceonce.words.translated import LANGUAGES

WORDS: dict[str, Any] = {language: words_in(language) for language in LANGUAGES}


def entries(words: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """All texts by dotted key."""
    if isinstance(words, str):
        yield path, words
    else:
        for key, inner in words.items():
            yield from entries(inner, f"{path}.{key}" if path else key)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)[:}]", text))


TEXTS = {language: dict(entries(words)) for language, words in WORDS.items()}
ENGLISH, CHINESE = TEXTS["en"], TEXTS["zh"]


def test_the_same_keys() -> None:
    """What is said in one language is said in the other."""
    assert ENGLISH.keys() == CHINESE.keys()


def test_the_same_placeholders() -> None:
    """And bold marks come in pairs."""
    for key, text in ENGLISH.items():
        assert placeholders(text) == placeholders(CHINESE[key]), key
        assert text.count("**") % 2 == CHINESE[key].count("**") % 2 == 0, key


def test_no_text_was_left_in_english() -> None:
    """A text with words in it has Chinese characters; only the name of the other language has none."""
    spoken = {key: re.sub(r"\{\w+\}|`[^`]*`", "", text) for key, text in CHINESE.items()}
    left = {
        key for key, text in spoken.items() if re.search("[a-z]{2}", text) and not re.search("[\u4e00-\u9fff]", text)
    }
    assert left == {"top.language"}


def asked_for() -> Iterator[tuple[str, str]]:
    """The keys that the scripts name, each with its file; one that is put together ends with ``${``."""
    areas = "|".join(WORDS["en"])
    for file in (FOLDER / "scripts").glob("*.js"):
        for key in re.findall(rf"['`]((?:{areas})\.[\w.]*(?:\$\{{)?)", file.read_text(encoding="utf-8")):
            yield file.name, key


def names(key: str, text: str) -> bool:
    """Does a key that a script asks for name this text, or may it?"""
    return text.startswith(key.removesuffix("${")) if key.endswith("${") else key == text


def test_all_that_the_scripts_ask_for_exists() -> None:
    """A missing key would be shown as it is."""
    missing = [(script, key) for script, key in asked_for() if not any(names(key, text) for text in ENGLISH)]
    assert missing == []


def test_nothing_is_said_that_nobody_asks_for() -> None:
    """Words that no script needs any more are taken out."""
    keys = {key for _, key in asked_for()}
    assert [text for text in ENGLISH if not any(names(key, text) for key in keys)] == []


def test_every_name_has_words() -> None:
    """Verdicts, safety and kinds of events are closed lists: none may lack its words."""
    for verdict in Verdict:
        assert f"verdict.badge.{verdict.value}" in ENGLISH
    for safety in get_args(Safety):
        assert f"fix.safety.{safety}" in ENGLISH
        assert f"fix.safety_note.{safety}" in ENGLISH
    for kind in get_args(EventKind):
        assert f"timeline.event.{kind}" in ENGLISH


def test_a_framework_says_otherwise_only_what_is_said_for_all() -> None:
    """Where it has no words of its own, those for all are used: so there must be some, and somebody who asks."""
    keys = {key for _, key in asked_for()}
    own = [(key, text) for known in BUILT_IN for key, text in dialect_of(known.name).page.items()]
    assert len(own) > 10
    for key, text in own:
        assert placeholders(text.en) == placeholders(ENGLISH[key]), key
        assert any(names(asked, key) for asked in keys), key


def test_the_words_for_one_and_for_several_are_written_in_one_way() -> None:
    """By the number `n`, in English alone, as in sentences of Python's: a place that is left of one was misspelt."""
    both = [text for text in ENGLISH.values() if "|" in text]
    assert len(both) > 30
    for text in both:
        for n, form in ((1, "one"), (5, "several")):
            assert not re.search(r"[|]|\{\w+:", choose_forms(text, {"n": n})), (form, text)
    assert choose_forms(ENGLISH["count.times"], {"n": 1}) == "once"
    assert choose_forms(ENGLISH["count.times"], {"n": 5}) == "{n} times"
    assert not [text for text in CHINESE.values() if "|" in text]
