"""Rules on what a record is called, and where it lies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.knowledge.validation.problem import Problem, shortened
from traceonce.knowledge.validation.record_case import RecordCase

_ID = re.compile(r"[a-z0-9_]+/[a-z0-9]+(-[a-z0-9]+)*")


def id_form(case: RecordCase) -> Iterator[Problem]:
    """The id is `<domain>/<slug>` in lower case, with hyphens between the words of the slug."""
    if not _ID.fullmatch(case.record.id):
        yield case.problem(
            "id_form",
            "id",
            f"{shortened(case.record.id)} is no id",
            "Write <domain>/<slug>, as in my-framework/stale-capture",
        )


def id_equals_path(case: RecordCase) -> Iterator[Problem]:
    """The file is `records/<id>.json`. In a base it is found by its path; elsewhere (a draft) this is a warning."""
    path = case.file.absolute()
    if not _ID.fullmatch(case.record.id) or path.parts[-3:] == ("records", *f"{case.record.id}.json".split("/")):
        return
    remedy = f"Move it to records/{case.record.id}.json"
    if case.at_home:
        what = "the file would be found under another id, or not at all"
        yield case.problem("id_equals_path", "id", what, remedy)
    else:
        what = "the file does not lie in the records/ of a base"
        yield case.problem("id_equals_path", "id", what, remedy, "warning")


def domain_of_id(case: RecordCase) -> Iterator[Problem]:
    """`domain` is the first part of the id."""
    domain, _, _ = case.record.id.partition("/")
    if case.record.domain != domain:
        what = f"it is {shortened(case.record.domain)}, and the id begins with {shortened(domain)}"
        yield case.problem("domain_of_id", "domain", what, f"Write {shortened(domain)}, or change the id")


def said_at_all(case: RecordCase) -> Iterator[Problem]:
    """Signature, root cause, category, workarounds and dead ends are there; an error code is one that users see."""
    record = case.record
    if not record.signature.strip():
        yield case.problem("said_at_all", "signature", "it is empty", "Write the message as users see it")
    for name, remedy in (("root_cause", "Say what happens, and why"), ("category", "Name the kind of failure")):
        if not getattr(record, name).strip():
            yield case.problem("said_at_all", name, "it is empty", remedy, "warning")
    for name, remedy in (
        ("workarounds", "Add what helps"),
        ("dead_ends", "Add a fix that people try and that doesn't work"),
    ):
        if not getattr(record, name):
            yield case.problem("said_at_all", name, "there are none", remedy, "warning")
    if record.error_code and not any(record.error_code in text for text in (record.signature, *record.examples)):
        what = f"no message of this record carries {shortened(record.error_code)}"
        yield case.problem("said_at_all", "error_code", what, "Write null, or a code that users see", "warning")
    if not record.tags:
        yield case.problem("said_at_all", "tags", "there are none", "Add the words that people search for", "note")
