"""The rule on provenance."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.knowledge.validation.problem import Problem, shortened
from traceonce.knowledge.validation.record_case import RecordCase


def message_exists(case: RecordCase) -> Iterator[Problem]:
    """The fixed parts of the message are in the package that raises it, as it is installed here."""
    finding = case.provenance
    if finding is None:
        return
    package = "the standard library of Python" if finding.package == "python" else shortened(finding.package)
    if finding.missing is None:
        what = f"the package {package} is not installed here, so that the message could not be looked for in it"
        yield case.problem("message_exists", "regex", what, "Install it to check this", "note")
    elif finding.missing:
        parts = " and ".join(map(shortened, finding.missing))
        what = f"{parts}: found nowhere in {package} as it is installed here"
        remedy = "Take the words of a real message, or name the package that prints them in raised_by"
        yield case.problem("message_exists", "regex", what, remedy)
