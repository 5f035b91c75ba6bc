"""A cause as the page shows it: finished words in both languages, and what has been decided about it."""

from __future__ import annotations

from typing import Any

from traceonce.causes import CATALOGUE
from traceonce.causes.cause_text import say_what
from traceonce.causes.definition import Happened, WrongValueWords
from traceonce.facts import Cause, Diagnosis
from traceonce.facts.attention import is_changed_since
from traceonce.report.json import describe_cause
from traceonce.report.phrases import chinese, english
from traceonce.words.translated import LANGUAGES

_NOT_SHOWN = ("differs", "coded_notes", "call_site")  # of a cause: `said` has the first two in words


def describe_cause_in_words(cause: Cause, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        **{name: value for name, value in describe_cause(cause).items() if name not in _NOT_SHOWN},
        "finite": cause.finite,
        "said": _say_what(cause, diagnosis),
        "remedy": _describe_remedy(cause, diagnosis),
        "alarm": _describe_alarm(cause),
        "changed_since": is_changed_since(cause, diagnosis),
    }


def _say_what(cause: Cause, diagnosis: Diagnosis) -> dict[str, str]:
    happened = Happened(cause, diagnosis.backend, traces=diagnosis.traces)
    return {language: say_what(happened, language) for language in LANGUAGES}


def describe_wrong(diagnosis: Diagnosis) -> dict[str, dict[str, str]] | None:
    """What the first screen says of a function that returns wrong values; the page fills in the name."""
    causes = [cause for cause in diagnosis.causes if CATALOGUE[cause.code].wrong_value is not None]
    if not causes or not diagnosis.verdict.is_silent:
        return None
    words = _wrong_words(causes[0], sure=diagnosis.surely_wrong)
    return {"headline": words.headline._asdict(), "lede": words.lede._asdict()} if words is not None else None


def _describe_alarm(cause: Cause) -> dict[str, str] | None:
    """The same in a line, of a cause that decides a verdict; the page fills in the name, the place and the values."""
    words = _wrong_words(cause, sure=cause.evidence == "measured")
    return words.alarm._asdict() if words is not None and not cause.note else None


def _wrong_words(cause: Cause, *, sure: bool) -> WrongValueWords | None:
    wrong = CATALOGUE[cause.code].wrong_value
    if wrong is None:
        return None
    return wrong.words if sure or wrong.unsure is None else wrong.unsure


def _describe_remedy(cause: Cause, diagnosis: Diagnosis) -> dict[str, str]:
    return sentences(english.describe_remedy(cause, diagnosis), chinese.describe_remedy(cause, diagnosis))


def sentences(words: str, in_chinese: str) -> dict[str, str]:
    """The same in both languages of the page, each as a sentence of its own."""
    return {"en": f"{words[0].upper()}{words[1:]}.", "zh": f"{in_chinese}。"}
