"""Rules on the expressions that find a record: they must find their own messages, and nothing harmless."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from traceonce.errors import RecordError
from traceonce.knowledge.expressions import compile_re2
from traceonce.knowledge.validation.problem import Problem, shortened, verify_command
from traceonce.knowledge.validation.record_case import RecordCase

BENIGN = Path(__file__).parent.parent / "benign.txt"
_HOME = re.compile(r"(?:/home/|/Users/|[A-Z]:\\Users\\)[^/\\\s\"']+|/root/")
FIELDS = ("regex", "regex_zh", "context")


def expressions_compile(case: RecordCase) -> Iterator[Problem]:
    """`regex` is there; `regex`, `regex_zh` and `context` are expressions that RE2 accepts."""
    if not case.record.regex:
        remedy = "Write one that finds the signature and the examples"
        yield case.problem("expressions_compile", "regex", "it is empty: no message finds this record", remedy)
    for field in FIELDS:
        if reason := why_refused(getattr(case.record, field)):
            what = f"RE2 refuses it: {reason}"
            yield case.problem("expressions_compile", field, what, "Rewrite it in RE2's syntax (no look-around)")
    if case.record.signature_zh and not case.record.regex_zh:
        what, remedy = "it is empty: no Chinese message finds this record", "Write one that finds signature_zh"
        yield case.problem("expressions_compile", "regex_zh", what, remedy, "warning")


def regex_finds_signature(case: RecordCase) -> Iterator[Problem]:
    """`regex` finds the signature, and `regex_zh` the Chinese one, with white space collapsed."""
    for field, signature in (("regex", "signature"), ("regex_zh", "signature_zh")):
        expression = compiled(getattr(case.record, field))
        text = in_one_line(getattr(case.record, signature))
        if expression is not None and text and not expression.search(text):
            what = f"it does not find the record's own {signature}, {shortened(text)}"
            yield case.problem("regex_finds_signature", field, what, f"Change it, or correct {signature}")


def regex_finds_examples(case: RecordCase) -> Iterator[Problem]:
    """`regex` finds every example; where there is a `context`, at least one example has that, too."""
    record = case.record
    if not record.examples:
        remedy = f"Harvest some: {verify_command(record.id)}"
        yield case.problem("regex_finds_examples", "examples", "there are no real messages", remedy, "warning")
    expression, context = compiled(record.regex), compiled(record.context)
    for number, example in enumerate(record.examples):
        if expression is not None and not expression.search(in_one_line(example)):
            what = f"the regex does not find {shortened(example)}"
            yield case.problem("regex_finds_examples", f"examples[{number}]", what, "Widen the regex, or take it out")
    if (
        context is not None
        and record.examples
        and not any(context.search(in_one_line(text)) for text in record.examples)
    ):
        what = "no example has this context, so that no example is a match"
        yield case.problem("regex_finds_examples", "context", what, "Change it, or add an example with a traceback")


def examples_are_anonymous(case: RecordCase) -> Iterator[Problem]:
    """No example names a home folder: that is a place on one machine, and often a person."""
    for number, example in enumerate(case.record.examples):
        if place := _HOME.search(example):
            what = f"it names a folder of one machine, {shortened(place.group())}"
            yield case.problem("examples_are_anonymous", f"examples[{number}]", what, "Take the folder out", "warning")


def no_benign_line(case: RecordCase) -> Iterator[Problem]:
    """`regex` and `regex_zh` hit none of the benign lines; with a `context`, only a line that has it, too, is a hit."""
    context = compiled(case.record.context)
    if case.record.context and context is None:
        return
    for field in ("regex", "regex_zh"):
        expression = compiled(getattr(case.record, field))
        if expression is None:
            continue
        hits = [line for line in benign_lines() if expression.search(line) and (not context or context.search(line))]
        if hits:
            more = f" and {len(hits) - 1} more" if len(hits) > 1 else ""
            what = f"it hits the benign line {shortened(hits[0])}{more}"
            yield case.problem("no_benign_line", field, what, "Add words that only this message has, or a context")


@functools.cache
def benign_lines() -> tuple[str, ...]:
    """Lines of programs in which nothing is wrong that this base knows about; without those that begin with ``#:``."""
    lines = BENIGN.read_text(encoding="utf-8").splitlines()
    return tuple(in_one_line(line) for line in lines if line.strip() and not line.startswith("#:"))


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def compiled(expression: str | None) -> Any:
    """The expression, or None where there is none, or RE2 refuses it."""
    return _compile(expression)[0] if expression else None


def why_refused(expression: str | None) -> str:
    return _compile(expression)[1] if expression else ""


@functools.lru_cache(maxsize=1024)
def _compile(expression: str) -> tuple[Any, str]:
    try:
        return compile_re2(expression), ""
    except RecordError as error:
        return None, shortened(str(error), 120)
