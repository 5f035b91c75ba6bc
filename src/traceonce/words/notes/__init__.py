"""Everything that a note can say: one definition for one code, with its words in every language side by side.

A recipe, a proof or a diagnosis calls a definition with its arguments (``BECOMES_TENSOR(names=["step"])``) and keeps
the note that it gets; whoever shows it asks here for the words. To add a note, define it, and call it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType

import msgspec

from traceonce.facts import Cause, Diagnosis, Fix, Notice, Proof
from traceonce.facts.note import Argument, Note
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.words.backticks import plain
from traceonce.words.sentence import Sentence
from traceonce.words.translated import Language


@cache
def definitions() -> Mapping[str, Sentence]:
    """Every sentence there is, by its code."""
    from traceonce.words.notes import causes, common, declined, diagnoses, notices, proofs, reasons, trials

    of_frameworks = [importlib.import_module(name) for each in known_frameworks() for name in each.notes]
    found: dict[str, Sentence] = {}
    for module in (common, *of_frameworks, causes, declined, proofs, reasons, diagnoses, trials, notices):
        for sentence in _defined_in(module):
            assert sentence.code not in found, f"two sentences have the code {sentence.code}"
            found[sentence.code] = sentence
    return found


def _defined_in(module: ModuleType) -> Iterable[Sentence]:
    return (thing for thing in vars(module).values() if isinstance(thing, Sentence))


def say(note: Note, language: Language) -> str | None:
    """The sentence, marked; None for what a later version of traceonce has noted."""
    sentence = definitions().get(note.code)
    if sentence is None:
        return None
    try:
        return sentence.fill(note, language)
    except (KeyError, ValueError, TypeError):
        return None


def join_notes(*notes: Iterable[Note]) -> tuple[Note, ...]:
    """All of them, each once."""
    joined: list[Note] = []
    for note in (note for some in notes for note in some):
        if note not in joined:
            joined.append(note)
    return tuple(joined)


def in_english(notes: Iterable[Note]) -> tuple[str, ...]:
    """Plain sentences, as the JSON has them beside the codes; for notes that were made here."""
    return tuple(plain(definitions()[note.code].fill(note, "en")) for note in notes)


def english_reason(reason: Note) -> str:
    """Why a repair was not proved, as the JSON has it beside the code."""
    return "".join(in_english([reason]))


def say_reasons(reasons: Iterable[Note], language: Language) -> str:
    """Why a repair was not written, or not proved; of several, each says more than the one before."""
    said = [plain(definitions()[reason.code].fill(reason, language)) for reason in reasons]
    return ("：" if language == "zh" else ": ").join(said)


def english_note(notes: Iterable[Note]) -> str | None:
    """The same as one text."""
    return " ".join(in_english(notes)) or None


def with_notes(diagnosis: Diagnosis, *notes: Note) -> Diagnosis:
    """The diagnosis with more to know about it."""
    return msgspec.structs.replace(
        diagnosis,
        notes=(*diagnosis.notes, *in_english(notes)),
        coded_notes=(*diagnosis.coded_notes, *notes),
    )


def noted(cause: Cause, *notes: Note) -> Cause:
    """The cause, with this to know about it."""
    return msgspec.structs.replace(cause, note="; ".join(in_english(notes)), coded_notes=notes) if notes else cause


def say_all(notes: Iterable[Note], language: Language) -> list[str]:
    """The sentences, marked; none, where one of them is of a later version of traceonce."""
    said = [say(note, language) for note in notes]
    known = [sentence for sentence in said if sentence is not None]
    return known if len(known) == len(said) else []


def say_codes(codes: Mapping[str, dict[str, Argument]], language: Language) -> list[str]:
    """The same, in plain text, for what a file keeps by code."""
    return [plain(sentence) for sentence in say_all((Note(*coded) for coded in codes.items()), language)]


def cause_note(cause: Cause, language: Language) -> str | None:
    """What else to know about a cause, in plain text; None where an older recording has it in English alone."""
    if said := say_all(cause.coded_notes, language):
        return ("；" if language == "zh" else "; ").join(map(plain, said))
    return cause.note if language == "en" else None


def fix_notes(fix: Fix, language: Language) -> list[str]:
    """What to know about a fix, marked (`marks`); from an older recording, the text that it has."""
    return say_all(fix.coded_notes, language) or ([fix.note] if fix.note else [])


def proof_reason(proof: Proof, language: Language) -> str:
    """Why it was not proved; from an older recording, the text that it has."""
    said = say(proof.coded_reason, language) if proof.coded_reason is not None else None
    return plain(said) if said is not None else proof.reason or ""


def notice_text(notice: Notice, language: Language) -> str:
    """What the reader must know of a run, in plain text; from an older recording, the text that it has."""
    said = say(Note(notice.code, notice.arguments), language) if notice.code is not None else None
    return plain(said) if said is not None else notice.text


def diagnosis_notes(diagnosis: Diagnosis, language: Language) -> list[str]:
    """What to know about a function, marked; those of an older recording come last, and as they are."""
    said = [say(note, language) for note in diagnosis.coded_notes]
    texts = diagnosis.notes
    told = [text if sentence is None else sentence for sentence, text in zip(said, texts, strict=False)]
    return [*told, *texts[len(told) :]]
