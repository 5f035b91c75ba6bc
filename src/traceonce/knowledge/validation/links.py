"""Rules on what a record points to: other records, and the framework's documentation."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from traceonce.knowledge.record import record_named_in
from traceonce.knowledge.validation.problem import Problem, shortened
from traceonce.knowledge.validation.record_case import RecordCase

BACK = {
    "leads_to": "preceded_by",
    "preceded_by": "leads_to",
    "frequently_confused_with": "frequently_confused_with",
}


def transitions_lead_somewhere(case: RecordCase) -> Iterator[Problem]:
    """There is a transition; each names a record of this base, once, and not the record itself."""
    record, known = case.record, case.base.collection
    if not any(getattr(record.transition_graph, kind) for kind in BACK):
        what, remedy = "there are none", "Name what comes before or after, or what it is confused with"
        yield case.problem("transitions_lead_somewhere", "transition_graph", what, remedy, "warning")
    for kind in BACK:
        seen: set[str] = set()
        for number, entry in enumerate(getattr(record.transition_graph, kind)):
            at, target = f"transition_graph.{kind}[{number}]", record_named_in(entry)
            if target is None:
                what, remedy = f"{shortened(entry)} names no record", "Write the id of one"
            elif target == record.id:
                what, remedy = "it is the record itself", "Take it out"
            elif target in seen:
                what, remedy = f"{shortened(target)} is named twice", "Take one out"
            elif target not in known:
                what, remedy = f"there is no record {shortened(target)}", "Correct the id, or add that record first"
            else:
                seen.add(target)
                continue
            yield case.problem("transitions_lead_somewhere", at, what, remedy)


def transitions_lead_back(case: RecordCase) -> Iterator[Problem]:
    """What leads to a record is named there as preceding it, and the other way round; confusion is mutual."""
    record = case.record
    if record.id not in case.base.collection:
        return  # nobody can name it yet
    for kind, back in BACK.items():
        for name in dict.fromkeys(record.transition_graph.targets(kind)):
            other = case.base.records.get(name)
            if other is not None and name != record.id and record.id not in other.transition_graph.targets(back):
                what = f"{kind} names {name}, whose {back} does not name this record"
                yield _one_sided(case, kind, what, f"Add {record.id} to {back} there, or take {name} out here")
        if case.at_home:
            for name, other in case.base.records.items():
                names_this = record.id in other.transition_graph.targets(kind)
                forgotten = names_this and name not in record.transition_graph.targets(back)
                if forgotten and name not in case.together and name != record.id:
                    what = f"{name} names this record in its {kind}, and is not named here"
                    yield _one_sided(case, back, what, f"Add {name} to {back} here, or take this record out there")


def _one_sided(case: RecordCase, kind: str, what: str, remedy: str) -> Problem:
    return case.problem("transitions_lead_back", f"transition_graph.{kind}", what, remedy)


def documented(case: RecordCase) -> Iterator[Problem]:
    """`official_doc_url` is a page that a browser can open over https."""
    url = case.record.official_doc_url
    if not url:
        what, remedy = "there is none", "Link the page of the framework's documentation that says most about it"
        yield case.problem("documented", "official_doc_url", what, remedy, "warning")
    elif not _is_page(url):
        what = f"{shortened(url)} is no page"
        yield case.problem("documented", "official_doc_url", what, "Write an address that begins with https://")


def _is_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and "." in parts.netloc and not any(letter.isspace() for letter in url)
