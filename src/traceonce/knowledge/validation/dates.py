"""Rules on dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from itertools import pairwise

from traceonce.knowledge.validation.problem import Problem, shortened
from traceonce.knowledge.validation.record_case import RecordCase

ORDER = ("first_seen", "last_confirmed", "last_updated")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day(text: str) -> datetime.date | None:
    """The day that a text gives as YYYY-MM-DD; the same on every version of Python."""
    try:
        return datetime.date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def dates_are_days(case: RecordCase) -> Iterator[Problem]:
    """Dates are days (YYYY-MM-DD), and none is in the future."""
    tomorrow = datetime.date.today() + datetime.timedelta(days=1)  # it may be tomorrow already where it was written
    said = [(name, getattr(case.record, name)) for name in ORDER]
    for field, text in [*said, *((f"{at}.date", piece.date) for at, piece in case.evidence)]:
        if text is None:
            continue
        date = day(text)
        if date is None and field in ORDER:
            yield case.problem("dates_are_days", field, f"{shortened(text)} is no day", "Write YYYY-MM-DD")
        elif date is not None and date > tomorrow:
            yield case.problem("dates_are_days", field, f"{text} is in the future", "Write the day on which it was")


def dates_in_order(case: RecordCase) -> Iterator[Problem]:
    """`first_seen` ≤ `last_confirmed` ≤ `last_updated`."""
    dates = [(name, day(getattr(case.record, name) or "")) for name in ORDER]
    known = [(name, date) for name, date in dates if date is not None]
    for (earlier, one), (later, other) in pairwise(known):
        if one > other:
            what = f"{other} is before {earlier}, {one}"
            yield case.problem("dates_in_order", later, what, f"Correct {later} or {earlier}")
