"""``traceonce explain``: what an error, a log or a recording means, what to try first, and what not to."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
from rich.console import Console

from traceonce.analysis.error_records import explain_run
from traceonce.causes.description import describe
from traceonce.commands.knowledge.match import make_index
from traceonce.computation import compute_from
from traceonce.console.input import is_file, join_words, open_input, read_chunks
from traceonce.console.shared_options import base_option, format_option
from traceonce.errors import UsageError
from traceonce.facts import CauseCode, Recording
from traceonce.home import latest_recording
from traceonce.knowledge.advice import MetRecord
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.language import in_language
from traceonce.knowledge.local_base import open_to_read
from traceonce.knowledge.match import Index
from traceonce.knowledge.match.plain_lines import decode
from traceonce.knowledge.render.explanations import cause_lines, explanation_lines
from traceonce.knowledge.text_explanations import TextExplainer, TextExplanation
from traceonce.report.terminal import print_line
from traceonce.words.translated import LANGUAGES, Language

_CAUSES = {code.value for code in CauseCode}
WIDTH = 100  # columns, where the output is no terminal
_PATH = re.compile(r"[\w.~+@-]*(?:/[\w.~+@-]+)+/?", re.ASCII)


@click.command(short_help="Explain an error, a log or a recording, and what to do.")
@click.argument("text", nargs=-1, metavar="TEXT|FILE|-|RECORD_ID|CAUSE...")
@click.option("--latest", is_flag=True, help="Explain the last run's recording.")
@base_option
@click.option(
    "--lang", type=click.Choice(LANGUAGES), help="The language; default: that of the message, otherwise LANG."
)
@click.option("--all", "everything", is_flag=True, help="Show all workarounds, not only the first.")
@format_option("the answer")
def command(
    text: tuple[str, ...], latest: bool, base: Path | None, lang: Language | None, everything: bool, form: str
) -> None:
    """Explain a failure: its cause, what to try first, what not to try, and what usually follows.

    TEXT is a message, a traceback or a log with several errors, in English or Chinese; unquoted words are joined. FILE
    is a log of any size or a recording of `traceonce run`. RECORD_ID names a record, CAUSE a cause as in reports.

    \b
    traceonce explain "UnboundLocalError: cannot access local variable 'loss' …"
    traceonce explain train.log
    python train.py 2>&1 | traceonce explain -
    traceonce explain retracing-shape
    traceonce explain weak_type
    traceonce explain --latest

    Exit status: 0 if something is known, 1 if nothing is (the nearest records are shown as guesses), 2 for
    invalid input.
    """
    if latest:
        if text:
            raise UsageError("give --latest or something else to explain, not both.")
        text = (str(latest_recording()),)
    if not text:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("nothing to explain: give a message, a file, a record's id, or - for standard input.")
        text = ("-",)
    asked = _Asked(lang, everything, open_to_read(base))
    parts = _parts(text, asked.collection)
    causes = [CauseCode(part.value) for part in parts if part.kind == "cause"]
    answers = [asked.answer(part) for part in parts if part.kind != "cause"]
    everything_found = TextExplanation(
        list(chain.from_iterable(answer.explanations for answer in answers)),
        list(chain.from_iterable(answer.ignorable for answer in answers)),
        list(chain.from_iterable(answer.unknown for answer in answers)),
        list(chain.from_iterable(answer.guesses for answer in answers)),
        any(answer.fine for answer in answers),
        next((answer.language for answer in answers if answer.language), None),
    )
    if form == "json":
        told = [describe(code, asked.answering.language_for(None)) for code in causes]
        document = msgspec.json.encode(everything_found.plain() | {"causes": told})
        sys.stdout.write(msgspec.json.format(document, indent=2).decode() + "\n")
    else:
        print_explanations(everything_found, asked.answering.language_for(everything_found.language), causes)
    if not (causes or everything_found.explanations or everything_found.ignorable or everything_found.fine):
        raise SystemExit(1)


def print_explanations(explained: TextExplanation, language: Language, causes: Sequence[CauseCode] = ()) -> None:
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(file=sys.stdout, highlight=False, width=WIDTH)
    lines = chain.from_iterable(cause_lines(describe(code, language), language, console) for code in causes)
    if not causes or any(explained.plain().values()) or explained.fine:
        lines = chain(lines, explanation_lines(explained, language, console))
    for line in lines:
        print_line(console, line)


class _Part(NamedTuple):
    """One thing to explain."""

    kind: str  # id · cause · file · text
    value: str


def _parts(arguments: tuple[str, ...], collection: Collection) -> list[_Part]:
    """Files and records one by one; anything else is words of one text."""
    kinds = [_kind(argument, collection) for argument in arguments]
    if "text" not in kinds:
        return [_Part(kind, argument) for kind, argument in zip(kinds, arguments, strict=True)]
    if len(arguments) == 1 or "id" in kinds:
        for argument, kind in zip(arguments, kinds, strict=True):
            if kind == "text":
                _refuse_a_wrong_id(argument, collection)
    if len(arguments) == 1 and _PATH.fullmatch(arguments[0]):
        raise UsageError(f"{arguments[0]}: no such file. If it is a text, quote more of it.")
    return [_Part("text", join_words(arguments))]


def _kind(argument: str, collection: Collection) -> str:
    if argument in collection or _is_slug(argument, collection):
        return "id"
    if is_file(argument):
        return "file"
    return "cause" if argument in _CAUSES else "text"


def _is_slug(argument: str, collection: Collection) -> bool:
    return "-" in argument and sum(known.partition("/")[2] == argument for known in collection.paths) == 1


def _refuse_a_wrong_id(argument: str, collection: Collection) -> None:
    """A name that has the form of an id, and is none: say which ones are near."""
    domains = {known.partition("/")[0] for known in collection.paths}
    domain, slash, slug = argument.partition("/")
    is_name = (slug if slash else argument).replace("-", "").isalnum()
    if is_name and (domain in domains if slash else "-" in argument):
        collection.complete_id(argument)


class _Asked:
    """What the user wants, and what answers need."""

    def __init__(self, language: Language | None, everything: bool, collection: Collection) -> None:
        self._language = language
        self._everything = everything
        self.collection = collection

    @functools.cached_property
    def index(self) -> Index:
        return make_index(self.collection)

    @functools.cached_property
    def answering(self) -> TextExplainer:
        usual = _language_of_surroundings()
        return TextExplainer(self.index, self._language, usual=usual, everything=self._everything)

    def answer(self, part: _Part) -> TextExplanation:
        if part.kind == "id":
            record = self.collection.find(part.value)
            language = self.answering.language_for(None)
            why = in_language(language, "requested by name", "按名称查询")
            return TextExplanation([self.answering.explain(MetRecord(record, [], why), language)], [], [], [])
        if part.kind == "text":
            return self.answering.text(part.value)
        with open_input(part.value) as file:
            chunks = read_chunks(file, part.value)
            first = next(chunks, b"")
            if not first:
                raise UsageError(f"{part.value}: is empty; nothing to explain.")
            if _is_recording(first):
                return self._explain_recording(part.value, chain([first], chunks))
            return self.answering.text(chain([first], chunks), "".join(decode([first])))

    def _explain_recording(self, name: str, chunks: Iterator[bytes]) -> TextExplanation:
        piped = b"".join(chunks) if name == "-" else None

        def explain() -> TextExplanation:
            recording = Recording.load(name) if piped is None else Recording.from_bytes(piped, "standard input")
            met, unknown = explain_run(recording, self.index)
            answered = self.answering.gathered(met, unknown, [], None)
            return answered._replace(fine=not answered.explanations and not unknown)

        return compute_from([Path(name)], explain)


def _is_recording(beginning: bytes) -> bool:
    return beginning.lstrip()[:1] == b"{" and b'"traceonce.recording/' in beginning[:4_000]


def _language_of_surroundings() -> Language:
    wanted = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh" if wanted.lower().startswith("zh") else "en"
