"""A cause in words: what happened and what to change, in each language, as its framework calls it."""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.causes import CATALOGUE
from traceonce.causes.definition import Definition, Happened
from traceonce.facts import Reason
from traceonce.frameworks.base.registry import dialect_of
from traceonce.words.notes import cause_note
from traceonce.words.translated import Language, Text
from traceonce.words.verdicts import REASONS

IN_BRACKETS = Text(" ({note})", "（{note}）")
A_TYPE = Text("Python", "值")  # where the type of a value is not known


def say_what(happened: Happened, language: Language) -> str:
    """What happened at the place of a cause, in a few words."""
    cause, definition = happened.cause, CATALOGUE[happened.cause.code]
    words = _choose(happened, definition, dialect_of(happened.backend).what, definition.special_what) or definition.what
    said = words.said_in(language).format(type=cause.type_name or A_TYPE.said_in(language), step=cause.step)
    if definition.with_note is not None and cause.note:
        said += definition.with_note.said_in(language).format(note=cause.note)
    if definition.when_inferred is not None and cause.evidence == "inferred":
        note = cause_note(cause, language)
        said += IN_BRACKETS.said_in(language).format(note=note) if note else definition.when_inferred.said_in(language)
    return said


def say_remedy(happened: Happened, language: Language) -> str:
    """What to change, in a few words."""
    cause, definition = happened.cause, CATALOGUE[happened.cause.code]
    words = (
        _choose(happened, definition, dialect_of(happened.backend).remedy, definition.special_remedy)
        or definition.remedy
    )
    return words.said_in(language).format(note=cause.note)


def say_reason(reason: Reason, backend: str, language: Language) -> str:
    """Why a verdict is what it is."""
    words = dialect_of(backend).reasons.get(reason) or REASONS[reason]
    return words.said_in(language)


def _choose(
    happened: Happened, definition: Definition, own: Mapping[str, Text], special: Mapping[str, Text]
) -> Text | None:
    """The words of the most special case that has any: the framework's own, or those for all.

    A note is a case, too, by its code.
    """
    code = definition.code.value
    for case in (*definition.cases(happened), *(note.code for note in happened.cause.coded_notes)):
        words = own.get(f"{code}.{case}") or special.get(case)
        if words is not None:
            return words
    return own.get(code)
