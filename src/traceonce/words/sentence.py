"""A sentence in every language, with places for arguments, and how it is filled in.

A template is written as for `str.format`. Code stands between backticks; `marks` says what each form of a report makes
of those. A place can say how its argument is shown:

- ``{path:code}``: a name, a path or an expression; of several, each is marked, and they are enumerated.
- ``{kinds:or}``: several words, of which one holds.
- ``{errors:texts}``: several texts, the first few of them.
- ``{lost:duration}``: a time, in a unit that fits; ``{lost:seconds}``: in seconds, to compare with another.
- ``{count:trace|traces}``: the word for one, and for several; by the number, or by how many there are. The words of the
  pages (`report/page/words`, `serve/web/labels.py`, `Dialect.page`) have the same.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from traceonce.facts.entries import Notice
from traceonce.facts.note import Argument, Note
from traceonce.words.backticks import KEPT, plain
from traceonce.words.durations import duration, in_seconds
from traceonce.words.translated import Language

TEXTS = 3  # of a list of texts that are shown
_COMMA = {"en": ", ", "zh": "、"}
_AND = {"en": " and ", "zh": " 和 "}
_OR = {"en": " or ", "zh": " 或 "}
_SEMICOLON = {"en": "; ", "zh": "；"}
_MORE = {"en": " (and {:,} more)", "zh": "（另有 {:,} 处）"}


_MADE: dict[str, Sentence] = {}
# Each form may have places of its own: ``{n:once|{n} times}``. The page reads them by the same expression (words.js).
_FORMS = re.compile(r"\{(\w+):((?:[^{}|]|\{\w+\})*)\|((?:[^{}]|\{\w+\})*)\}")


@dataclass(frozen=True)
class Sentence:
    """One definition for one code. Called with its arguments, it makes the note."""

    code: str
    en: str
    zh: str

    def __post_init__(self) -> None:
        _MADE[self.code] = self

    def __call__(self, **arguments: Argument | Sequence[str]) -> Note:
        if arguments.keys() != self.places("en"):
            raise TypeError(f"{self.code} takes {sorted(self.places('en'))}, and was given {sorted(arguments)}")
        return Note(self.code, {name: _plain_data(value) for name, value in arguments.items()})

    def places(self, language: Language) -> set[str]:
        """The names of its arguments."""
        return {name for _, name, _, _ in string.Formatter().parse(self.template(language)) if name is not None}

    def template(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en

    def fill(self, note: Note, language: Language) -> str:
        """The sentence, with code between backticks; KeyError or ValueError where the arguments are not its own."""
        return _Filler(language).vformat(self.template(language), (), note.arguments)


@dataclass(frozen=True)
class Phrase(Sentence):
    """What stands after something else, such as a verdict or the name of a recipe: no whole sentence."""


def choose_forms(template: str, values: Mapping[str, object]) -> str:
    """The template with the word for one, or for several, wherever it has both; other places stay."""
    return _FORMS.sub(lambda both: both[2] if values.get(both[1]) == 1 else both[3], template)


def noticed(note: Note, *, error: bool = False, hook: bool = False) -> Notice:
    """A notice of what was noted here; no more is loaded for it than the module that has its words."""
    text = plain(_MADE[note.code].fill(note, "en"))
    return Notice(text, error, hook, note.code, note.arguments)


def enumerate_in(language: Language, words: Sequence[str]) -> str:
    """``a, b and c``; ``a、b 和 c``."""
    *first, last = words
    return f"{_COMMA[language].join(first)}{_AND[language]}{last}" if first else last


def _plain_data(value: Argument | Sequence[str]) -> Argument:
    return value if isinstance(value, str | int | float) else tuple(value)


class _Filler(string.Formatter):
    def __init__(self, language: Language) -> None:
        self._language = language

    def format_field(self, value: Any, spec: str) -> str:
        if "|" in spec:
            one, several = spec.split("|")
            return one if (value if isinstance(value, int) else len(value)) == 1 else several
        if spec in _TIMES:
            return _TIMES[spec](value, self._language)
        if isinstance(value, str):
            return _marked(value) if spec == "code" else _unmarked(value)
        if isinstance(value, Sequence):
            return self._several(value, spec)
        if spec:
            raise ValueError(f"{value} is a number, and cannot be shown as {spec}")
        return f"{value:,}"

    def _several(self, values: Sequence[str], spec: str) -> str:
        if spec == "texts":
            more = _MORE[self._language].format(len(values) - TEXTS) if len(values) > TEXTS else ""
            return _SEMICOLON[self._language].join(map(_unmarked, values[:TEXTS])) + more
        if spec == "or":
            return _OR[self._language].join(map(_unmarked, values))
        return enumerate_in(self._language, list(map(_marked if spec == "code" else _unmarked, values)))


def _unmarked(text: str) -> str:
    """What was put in cannot end or begin code."""
    return text.replace("`", KEPT)


def _marked(text: str) -> str:
    return f"`{_unmarked(text)}`"


_TIMES: dict[str, Callable[[float, str], str]] = {"duration": duration, "seconds": in_seconds}
