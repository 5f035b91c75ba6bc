"""A record for people at a terminal: what it is, why it happens, what to try, what not to. Colours are the caller's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from traceonce.facts.printable import in_line
from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.record import Record
from traceonce.knowledge.render.line_breaks import columns, wrap
from traceonce.knowledge.render.markup import clean, one_line
from traceonce.knowledge.render.view import ClaimView, RecordView, TranslatedText, view_of
from traceonce.words.translated import Language

WIDTH = 100  # of a text that goes to a file
Role: TypeAlias = Literal["title", "heading", "label", "good", "bad", "code", "own", "text", "dim"]


class Styled(NamedTuple):
    """A piece of a line, and what it is."""

    text: str
    role: Role = "text"


Line: TypeAlias = tuple[Styled, ...]


def render_text(record: Record, language: Language = "en", width: int = WIDTH, own: Sequence[Outcome] = ()) -> str:
    lines = record_lines(record, language, width, own)
    return "".join(in_line("".join(span.text for span in line).rstrip()) + "\n" for line in lines)


def record_lines(record: Record, language: Language, width: int, own: Sequence[Outcome] = ()) -> Iterator[Line]:
    """The lines of a record. What the user noted stands with the workaround that it was noted for.

    What cannot be seen in its texts is written out; that none of its lines is a command is for who prints them.
    """
    view = view_of(record, language)
    page = _Page(view, max(width, 20))
    yield from page.head()
    if view.root_cause:
        yield from page.heading("root_cause")
        yield from page.text(view.root_cause)
    noted = _by_number(record, own)
    for name, claims, role in (("workarounds", view.workarounds, "good"), ("dead_ends", view.dead_ends, "bad")):
        if claims:
            yield from page.heading(name)
        for claim in claims:
            yield from page.claim(claim, "good" if role == "good" else "bad")
            if name == "workarounds":
                yield from page.own(noted.get(claim.number, []))
    yield from page.tail()
    elsewhere = noted.get(0, [])
    if elsewhere:
        yield from page.heading("own")
        yield from page.own(elsewhere, with_action=True)


def _by_number(record: Record, own: Sequence[Outcome]) -> dict[int, list[Outcome]]:
    """Outcomes by the number that their workaround has today; 0: there is none that is worded like this any more."""
    today = {item.action: number for number, item in enumerate(record.workarounds, 1)}
    noted: dict[int, list[Outcome]] = {}
    for outcome in own:
        noted.setdefault(today.get(outcome.action, 0), []).append(outcome)
    return noted


class _Page:
    """Lays out one record in a given width."""

    def __init__(self, view: RecordView, width: int) -> None:
        self.view, self.words, self.width = view, view.words, width

    def head(self) -> Iterator[Line]:
        view = self.view
        facts = [view.category, view.tier, f"{self.words['fix_rate']} {view.fix_rate}" if view.fix_rate else ""]
        said = " · ".join(one_line(fact) for fact in facts if fact)
        if columns(f"{view.id} · {said}") <= self.width:
            yield (Styled(one_line(view.id), "title"), Styled(f" · {said}", "dim"))
        else:
            yield (Styled(one_line(view.id), "title"),)
            yield from self._wrapped(said, "", "", "dim")
        yield from self._wrapped(self._said(view.title), "", "", "heading")
        if view.original:
            yield from self._wrapped(view.original, "", "", "dim")

    def heading(self, name: str) -> Iterator[Line]:
        yield ()
        yield (Styled(self.words[name], "heading"),)

    def text(self, phrase: TranslatedText) -> Iterator[Line]:
        yield from self._wrapped(self._said(phrase), "  ", "  ", "text")

    def claim(self, claim: ClaimView, role: Literal["good", "bad"]) -> Iterator[Line]:
        mark = f"{claim.number}." if role == "good" else "✗"
        hang = " " * (columns(mark) + 3)
        action = self._said(claim.action) or "—"
        rate = self.words["open"] + claim.rate + self.words["close"] if claim.rate else ""
        first = True
        for line in wrap(one_line(action) + rate, self.width - len(hang)):
            start: Line = (Styled("  "), Styled(mark, role), Styled(" ")) if first else (Styled(hang),)
            yield (*start, Styled(line, role if first and role == "good" else "text"))
            first = False
        if claim.why:
            yield from self._wrapped(self._said(claim.why), hang, hang, "text")
        if claim.condition:
            yield from self._labelled(self.words["condition"], self._said(claim.condition), hang)
        if claim.cost:
            yield from self._labelled(self.words["cost"], self._said(claim.cost), hang)
        if claim.how.strip() and not claim.repeats:
            yield from self._code(claim.how, hang + "    ")
        for run in claim.runs:
            yield from self._labelled(self.words["run"], run, hang)
        for label, cases in claim.cases:
            yield from self._labelled(label, cases, hang)
        for source in claim.sources:
            yield from self._labelled(self.words["sources"], source, hang)

    def own(self, outcomes: Sequence[Outcome], *, with_action: bool = False) -> Iterator[Line]:
        if not outcomes:
            return
        if not with_action:
            counts = Counter(self.words["worked" if outcome.worked else "failed"] for outcome in outcomes)
            said = self.words["comma"].join(f"{word} × {count}" for word, count in counts.items())
            yield from self._labelled(self.words["own"], said, "     ", "own")
        for outcome in outcomes:
            how = self.words["worked" if outcome.worked else "failed"]
            parts = [outcome.date, outcome.version, how, outcome.note]
            if with_action:
                parts.append(self.words["own_elsewhere"].format(action=outcome.action))
            said = " · ".join(one_line(part) for part in parts if part)
            yield from self._wrapped(said, "       ", "         ", "own")

    def tail(self) -> Iterator[Line]:
        view = self.view
        if view.versions or view.runs:
            yield from self.heading("versions")
            for version in view.versions:
                yield from self._wrapped(f"{version.name}{self.words['colon']}{version.status}", "  ", "    ", "text")
            for run in view.runs:
                yield from self._labelled(self.words["run"], run, "  ")
        if view.examples:
            yield from self.heading("examples")
            for example in view.examples:
                yield from self._code(example, "    ")
        if view.related:
            yield from self.heading("related")
            for way, records in view.related.items():
                for other in records:
                    note = self.words["colon"] + other.note if other.note else ""
                    yield from self._labelled(self.words[way], other.id + note, "  ")
        if view.aliases or view.document:
            yield ()
            for alias in view.aliases:
                yield from self._labelled(self.words["aliases"], alias, "")
            if view.document:
                section = f" ({view.document_section})" if view.document_section else ""
                yield from self._labelled(self.words["documentation"], view.document + section, "")

    def _code(self, code: str, indent: str) -> Iterator[Line]:
        """As it is, whatever the width: a line that was broken could not be copied."""
        for line in clean(code).strip("\n").expandtabs(4).split("\n"):
            yield (Styled(indent), Styled(line, "code")) if line.strip() else ()

    def _said(self, phrase: TranslatedText) -> str:
        if phrase.translated or not phrase:
            return phrase.text
        return phrase.text + self.words["open"] + self.words["untranslated"] + self.words["close"]

    def _labelled(self, label: str, text: str, indent: str, role: Role = "text") -> Iterator[Line]:
        lines = wrap(one_line(text), max(10, self.width - columns(indent + label) - 2))
        for number, line in enumerate(lines):
            start = Styled(label + "  ", "own" if role == "own" else "label")
            yield (Styled(indent), start if not number else Styled(" " * (columns(label) + 2)), Styled(line, role))

    def _wrapped(self, text: str, first: str, rest: str, role: Role) -> Iterator[Line]:
        for number, line in enumerate(wrap(one_line(text), self.width - columns(rest))):
            yield (Styled(rest if number else first), Styled(line, role))
